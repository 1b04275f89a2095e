#include "loading/loader.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cupool/driver/error.hpp>
#include <cupool/driver/log.hpp>
#include <optional>
#include <utility>

#include "loading/elf_check.hpp"
#include "loading/library_search.hpp"
#include "loading/library_trial.hpp"

namespace cupool {

std::string cuda_version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

std::string LoadReport::explanation() const {
    if (reason == Reason::none) return {};
    if (reason == Reason::no_library && attempts.size() != 1) {
        return "no libcuda was found; it comes with NVIDIA's display driver (in a container: run it with the GPUs, e.g. --gpus all). "
               "CUPOOL_DRIVER may name the file";
    }
    for (const LoadAttempt& attempt : attempts) {
        if (attempt.reason == reason) return attempt.path + " (" + attempt.source + "): " + attempt.finding;
    }
    return "no libcuda could be used";
}

namespace detail {

namespace {

using Resolver = std::function<void*(const char* exported)>;
using GetProcAddress = abi::Status (*)(const char* base, void** function, int version, std::uint64_t flags);
using GetProcAddressV2 = abi::Status (*)(const char* base, void** function, int version, std::uint64_t flags,
                                         abi::ProcAddressQueryResult* status);

template <class Function>
Function resolve_as(const Resolver& resolver, const char* exported) {
    return reinterpret_cast<Function>(resolver(exported));
}

/// Finds entry points by their ABI versions through cuGetProcAddress of the library, or else by
/// exported names.
class EntryPointResolver {
public:
    explicit EntryPointResolver(const Resolver& resolver)
        : resolver_(resolver),
          get_proc_address_v2_(resolve_as<GetProcAddressV2>(resolver, "cuGetProcAddress_v2")),
          get_proc_address_(resolve_as<GetProcAddress>(resolver, "cuGetProcAddress")) {}

    void* find(const EntryPointInfo& row) const {
        void* function = nullptr;
        abi::Status status = abi::Status::not_supported;
        if (get_proc_address_v2_ != nullptr) {
            abi::ProcAddressQueryResult query{};
            status = get_proc_address_v2_(row.base, &function, row.version, 0, &query);
        } else if (get_proc_address_ != nullptr) {
            status = get_proc_address_(row.base, &function, row.version, 0);
        }
        if (status == abi::Status::success || status == abi::Status::not_found) {
            return function;  // null: the library itself reports that it has none
        }
        return resolver_(row.exported);
    }

private:
    const Resolver& resolver_;
    GetProcAddressV2 get_proc_address_v2_;
    GetProcAddress get_proc_address_;
};

/// The outcome of one candidate.
struct Finding {
    Reason reason = Reason::none;
    std::string text;
};

EntryPoints resolve_entry_points(const Resolver& resolver) {
    const EntryPointResolver entry_points(resolver);
    EntryPoints api;
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    api.member = reinterpret_cast<decltype(api.member)>(entry_points.find(entry_point_info<&EntryPoints::member>));
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    return api;
}

/// Clears entry points newer than the driver's version: a library may export more than its driver
/// supports.
void clear_newer_entry_points(EntryPoints& api, int version) {
#define CUPOOL_ENTRY_POINT(member, base, row_version, exported, need, since, signature) \
    if (since > version) {                                                              \
        api.member = nullptr;                                                           \
    }
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
}

/// The first required row with a null pointer.
const EntryPointInfo* find_missing_requirement(const EntryPoints& api) {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature)  \
    if (EntryPointInfo::need == EntryPointInfo::required && api.member == nullptr) { \
        return &entry_point_info<&EntryPoints::member>;                              \
    }
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    return nullptr;
}

Finding judge(EntryPoints& api, int& version) {
    if (api.init == nullptr || api.driver_get_version == nullptr) {
        return {Reason::library_unusable,
                std::string("is no libcuda: it exports no ") + (api.init == nullptr ? "cuInit" : "cuDriverGetVersion")};
    }
    const abi::Status status = api.driver_get_version(&version);
    if (status == abi::Status::stub_library) {
        return {
            Reason::library_unusable,
            "is the CUDA toolkit's stub, which is for linking only; take its folder out of LD_LIBRARY_PATH and install the display driver"};
    }
    if (status != abi::Status::success) {
        version = 0;
        return {Reason::library_unusable, "cuDriverGetVersion answered " + describe(status)};
    }
    if (version < 0) {
        const std::string answered = std::to_string(std::exchange(version, 0));
        return {Reason::library_unusable, "is no driver that works: cuDriverGetVersion answered success and the version " + answered};
    }
    clear_newer_entry_points(api, version);
    if (const EntryPointInfo* missing = find_missing_requirement(api)) {
        const std::string lacks = std::string("is of CUDA ") + cuda_version_text(version) + " and has no " + missing->base;
        if (version < missing->since)
            return {Reason::driver_too_old, lacks + "; a driver of CUDA " + cuda_version_text(missing->since) + " or newer is needed"};
        return {Reason::library_unusable, lacks + ", which a driver of that version should have"};
    }
    return {Reason::none, "taken; CUDA " + cuda_version_text(version)};
}

/// A path without links, or the unchanged path if it cannot be resolved.
std::string resolved(const std::string& path) {
    char* real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) return path;
    std::string result(real);
    std::free(real);
    return result;
}

std::string path_of(void* library, const std::string& fallback) {
    link_map* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr || *map->l_name == '\0') return fallback;
    return resolved(map->l_name);
}

/// One run of the loader: it tries candidates until it can use one.
class Loader {
public:
    explicit Loader(const LoadOptions& options) : options_(options), trial_deadline_(TrialClock::now() + options.trial_patience) {}

    LoadedLibrary load() && {
        if (options_.resolver) {
            use("(resolver)", "the program", options_.resolver);
        } else if (!options_.library_path.empty()) {
            try_file(options_.library_path, "the program");
        } else if (const char* path = ::secure_getenv("CUPOOL_DRIVER"); path != nullptr && *path != '\0') {
            try_environment(path);
        } else {
            search();
        }
        if (!taken_) explain_failure();
        return std::move(result_);
    }

private:
    void try_environment(const std::string& path) {
        if (path.front() != '/') {
            note(path, "CUPOOL_DRIVER", {Reason::library_unusable, "is refused: CUPOOL_DRIVER must be an absolute path"});
            return;
        }
        try_file(path, "CUPOOL_DRIVER");
    }

    void search() {
        constexpr const char* names[] = {"libcuda.so.1", "libcuda.so"};
        try_loaded();
        for (const char* name : names) {
            if (taken_) return;
            const std::vector<std::string> files = find_library_files(name);
            for (const std::string& file : files) {
                if (!taken_) try_file(file, "search");
            }
            if (files.empty()) {  // the dynamic loader may know other places
                try_name(name);
            }
        }
        for (const char* folder : {"/usr/lib/wsl/lib/", "/run/opengl-driver/lib/"}) {
            const std::string file = std::string(folder) + names[0];
            if (taken_) return;
            if (::access(file.c_str(), F_OK) == 0) {
                try_file(file, "known folder");
            } else {
                note(file, "known folder", {Reason::no_library, "does not exist"});
            }
        }
    }

    void try_loaded() {
        const std::string path = find_loaded_libcuda();
        if (path.empty()) return;
        if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) try_library(library, path, "already loaded");
    }

    void try_file(const std::string& path, const char* source) {
        if (::access(path.c_str(), F_OK) != 0) {
            const int code = errno;
            note(path, source,
                 {code == EACCES ? Reason::permission : Reason::no_library, std::string("cannot be reached: ") + std::strerror(code)});
            return;
        }
        const std::string fault = find_elf_fault(path);
        if (!fault.empty()) {
            note(path, source, {::access(path.c_str(), R_OK) == 0 ? Reason::library_unusable : Reason::permission, fault});
            return;
        }
        // dlopen would search for a name without a slash.
        const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
        if (const std::string corruption = try_elsewhere(name); !corruption.empty()) {
            note(path, source, {Reason::library_unusable, corruption});
            return;
        }
        open_library(name, path, source, Reason::library_unusable);
    }

    /// What the trial in a separate process finds wrong with the file, if the program asks for a
    /// trial.
    std::string try_elsewhere(const std::string& path) const {
        return options_.trial_command.empty() ? std::string() : find_trial_fault(options_.trial_command, path, trial_deadline_);
    }

    void try_name(const char* name) { open_library(name, name, "search", Reason::no_library); }

    void open_library(const std::string& name, const std::string& shown, const char* source, Reason reason_if_refused) {
        void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* words = ::dlerror();
            note(shown, source, {reason_if_refused, words != nullptr ? words : "dlopen failed"});
            return;
        }
        try_library(library, shown, source);
    }

    void try_library(void* library, const std::string& shown, const char* source) {
        const bool is_driver = use(path_of(library, shown), source, [library](const char* exported) { return ::dlsym(library, exported); });
        if (!is_driver) {  // otherwise others who load libcuda by its name would get the stub
            ::dlclose(library);
        }
    }

    /// \return whether it is a driver, even if it is too old
    bool use(const std::string& path, const char* source, const Resolver& resolver) {
        EntryPoints api = resolve_entry_points(resolver);
        int version = 0;
        const Finding finding = judge(api, version);
        note(path, source, finding);
        if (finding.reason == Reason::none) {
            taken_ = true;
            result_.api = api;
            result_.report.reason = Reason::none;
            result_.report.library_path = path;
            result_.report.version = version;
            result_.report.simulated = resolver("cupoolSimReset") != nullptr;
        }
        return version != 0;
    }

    void note(const std::string& path, const char* source, const Finding& finding) {
        if (logs(LogLevel::debug)) log(LogLevel::debug, "libcuda: " + path + " (" + source + "): " + finding.text);
        result_.report.attempts.push_back({path, source, finding.reason, finding.text});
    }

    /// The reason of the report is that of the first candidate that exists.
    void explain_failure() {
        for (const LoadAttempt& attempt : result_.report.attempts) {
            if (attempt.reason != Reason::no_library) {
                result_.report.reason = attempt.reason;
                result_.report.library_path = resolved(attempt.path);
                return;
            }
        }
    }

    const LoadOptions& options_;
    const TrialClock::time_point trial_deadline_;
    LoadedLibrary result_;
    bool taken_ = false;
};

}  // namespace

LoadedLibrary load_library(const LoadOptions& options) { return Loader(options).load(); }

}  // namespace detail

}  // namespace cupool
