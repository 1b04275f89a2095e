#include "loading/library_search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace cupool::detail {

namespace {

struct SearchFolder {
    std::string path;
    bool is_default;  ///< searched after the cache of the loader
};

/// The folders in which the dynamic loader searches for the main program.
std::vector<SearchFolder> search_folders() {
    std::vector<SearchFolder> folders;
    void* program = ::dlopen(nullptr, RTLD_LAZY);
    if (program == nullptr) return folders;
    Dl_serinfo size{};
    if (::dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0 && size.dls_cnt > 0) {
        std::vector<std::max_align_t> buffer(size.dls_size / sizeof(std::max_align_t) + 1);
        auto* info = reinterpret_cast<Dl_serinfo*>(buffer.data());
        info->dls_size = size.dls_size;
        info->dls_cnt = size.dls_cnt;
        if (::dlinfo(program, RTLD_DI_SERINFO, info) == 0) {
            const Dl_serpath* paths = info->dls_serpath;
            for (unsigned index = 0; index < info->dls_cnt; ++index)
                folders.push_back({paths[index].dls_name, (paths[index].dls_flags & LA_SER_DEFAULT) != 0});
        }
    }
    ::dlclose(program);
    return folders;
}

std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
T read_at(const std::string& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
}

void add_existing(std::vector<std::string>& files, const std::string& path) {
    if (::access(path.c_str(), F_OK) == 0 && std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
}

bool is_libcuda(std::string_view path) {
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    return name == "libcuda.so" || name.starts_with("libcuda.so.");
}

/// Keeps the name of the first libcuda. As a callback of C code it must not throw.
int find_libcuda(dl_phdr_info* library, std::size_t, void* found) {
    if (library->dlpi_name == nullptr || !is_libcuda(library->dlpi_name)) return 0;
    *static_cast<const char**>(found) = library->dlpi_name;
    return 1;
}

}  // namespace

std::string find_loaded_libcuda() {
    const char* path = "";
    ::dl_iterate_phdr(find_libcuda, &path);
    return path;
}

std::vector<std::string> find_in_loader_cache(const std::string& cache, const std::string& name) {
    // A header of 48 bytes with the number of entries at 20, then entries of 24 bytes with the
    // offsets of name and path at 4 and 8.
    constexpr std::size_t header_size = 48;
    constexpr std::size_t entry_size = 24;
    std::vector<std::string> paths;
    const std::size_t start = cache.find("glibc-ld.so.cache1.1");
    if (start == std::string::npos || cache.size() - start < header_size) return paths;
    const std::string image = cache.substr(start) + '\0';
    const std::size_t count = std::min<std::size_t>(read_at<std::uint32_t>(image, 20), (image.size() - header_size) / entry_size);
    for (std::size_t index = 0; index < count; ++index) {
        const std::size_t entry = header_size + index * entry_size;
        const auto key = read_at<std::uint32_t>(image, entry + 4);
        const auto value = read_at<std::uint32_t>(image, entry + 8);
        if (key < image.size() && value < image.size() && name == image.c_str() + key) paths.emplace_back(image.c_str() + value);
    }
    return paths;
}

std::vector<std::string> find_library_files(const std::string& name) {
    std::vector<std::string> files;
    const std::vector<SearchFolder> folders = search_folders();
    const auto add_folders = [&](bool is_default) {
        for (const SearchFolder& folder : folders) {
            if (folder.is_default == is_default) add_existing(files, folder.path + "/" + name);
        }
    };
    add_folders(false);
    for (const std::string& path : find_in_loader_cache(read_file("/etc/ld.so.cache"), name)) add_existing(files, path);
    add_folders(true);
    return files;
}

}  // namespace cupool::detail
