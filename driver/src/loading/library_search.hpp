#pragma once

#include <string>
#include <vector>

namespace cupool::detail {

/// The existing files that the dynamic loader would take for a library's name, in its order: the run path, LD_LIBRARY_PATH, its cache, the
/// system's folders (ld.so(8)). May miss some where the loader searches elsewhere, so an empty answer does not mean that there is none.
std::vector<std::string> find_library_files(const std::string& name);

/// The path of a libcuda that this process has loaded, by its file's name, as the dynamic loader keeps it; empty where there is none. Opens
/// no file: dlopen() with RTLD_NOLOAD opens what it finds on its search path, and waits where that is a FIFO.
std::string find_loaded_libcuda();

/// The paths that an image of the dynamic loader's cache (glibc's format 1.1) gives for a name; none where it is damaged.
std::vector<std::string> find_in_loader_cache(const std::string& cache, const std::string& name);

}  // namespace cupool::detail
