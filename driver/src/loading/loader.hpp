#pragma once

#include <cupool/driver/entry_points.hpp>
#include <cupool/driver/loader.hpp>

namespace cupool::detail {

/// A libcuda's entry points, or in the report why there are none.
struct LoadedLibrary {
    EntryPoints api;
    LoadReport report;
};

/// Finds, checks and loads a libcuda as the options say. Calls nothing in it but cuGetProcAddress and cuDriverGetVersion.
LoadedLibrary load_library(const LoadOptions& options);

}  // namespace cupool::detail
