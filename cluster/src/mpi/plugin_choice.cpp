#include "plugin_choice.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace cupool::detail {

namespace {

/// A library that cupool has a plugin for.
struct Known {
    std::string_view name;  ///< with which the text of MPI_Get_library_version begins
    std::string_view file;
    std::vector<const char*> variables;  ///< which its launchers set
};

const std::vector<Known>& known_libraries() {
    static const std::vector<Known> libraries{
        {"Open MPI", "libcupool-openmpi.so", {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"}},
        {"MPICH", "libcupool-mpich.so", {"PMI_RANK", "PMI_SIZE"}},
    };
    return libraries;
}

struct Choice {
    std::vector<const Known*> libraries;
    std::string reason;
};

/// The version text of the library that the program is linked with; empty if it is linked with none.
std::string loaded_version() {
    const auto version = reinterpret_cast<int (*)(char*, int*)>(::dlsym(RTLD_DEFAULT, "MPI_Get_library_version"));
    if (version == nullptr) return "";
    std::vector<char> text(8192);  // MPI_MAX_LIBRARY_VERSION_STRING is 256 in one library, 8192 in the other
    int length = 0;
    version(text.data(), &length);
    return text.data();
}

Choice choice() {
    const std::string loaded = loaded_version();
    for (const Known& library : known_libraries()) {
        if (loaded.starts_with(library.name)) return {{&library}, "the program is linked with it"};
    }
    if (!loaded.empty()) return {{}, "the program is linked with " + loaded.substr(0, loaded.find('\n'))};
    for (const Known& library : known_libraries()) {
        for (const char* variable : library.variables) {
            if (std::getenv(variable) != nullptr) return {{&library}, std::string(variable) + " is set"};
        }
    }
    Choice all{{}, "no launcher is seen"};
    for (const Known& library : known_libraries()) all.libraries.push_back(&library);
    return all;
}

/// The directory of the program or library that contains this function, with a slash.
std::string own_directory() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&own_directory), &info) == 0 || info.dli_fname == nullptr) return "";
    const std::string file = info.dli_fname;
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

}  // namespace

std::vector<std::string> plugin_candidates() {
    std::vector<std::string> directories{CUPOOL_MPI_PLUGINS_BUILT "/", CUPOOL_MPI_PLUGINS_INSTALLED "/"};
    if (const std::string own = own_directory(); !own.empty()) {
        directories.insert(directories.begin(), {own, own + "../lib/cupool/"});
    }
    std::vector<std::string> candidates;
    for (const Known* library : choice().libraries) {
        for (const std::string& directory : directories) candidates.push_back(directory + std::string(library->file));
    }
    return candidates;
}

std::string plugin_choice_reason() {
    const Choice made = choice();
    std::string names;
    for (const Known* library : made.libraries) names += (names.empty() ? "" : " or ") + std::string(library->name);
    return (names.empty() ? "no library that cupool knows" : names) + " (" + made.reason + ")";
}

}  // namespace cupool::detail
