#pragma once

#include <cupool/driver/entry_points.hpp>
#include <cupool/driver/loader.hpp>

namespace cupool::detail {

/// The entry points of a libcuda, or in the report the reason why there are none.
struct LoadedLibrary {
    EntryPoints api;
    LoadReport report;
};

/// Finds, checks and loads a libcuda according to the options. It calls only cuGetProcAddress and
/// cuDriverGetVersion.
LoadedLibrary load_library(const LoadOptions& options);

}  // namespace cupool::detail
