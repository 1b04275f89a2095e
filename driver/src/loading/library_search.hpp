#pragma once

#include <string>
#include <vector>

namespace cupool::detail {

/// The existing files that the dynamic loader would try for the name of a library, in its order:
/// the run path, LD_LIBRARY_PATH, its cache, the system's folders (ld.so(8)). The loader may search
/// elsewhere too, so an empty list does not mean that there is no library.
std::vector<std::string> find_library_files(const std::string& name);

/// The path, according to the dynamic loader, of a libcuda that this process has loaded, identified
/// by its file name; empty if there is none. It opens no file: dlopen() with RTLD_NOLOAD opens what
/// it finds on its search path, and blocks if that is a FIFO.
std::string find_loaded_libcuda();

/// The paths for a name in an image of the dynamic loader's cache (glibc's format 1.1); none if the
/// image is damaged.
std::vector<std::string> find_in_loader_cache(const std::string& cache, const std::string& name);

}  // namespace cupool::detail
