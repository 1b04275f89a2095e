#pragma once

namespace cupool::detail {

/// The first argument of a worker process. What follows it is one role and nothing else.
inline constexpr const char* worker_argument = "--cupool-worker";
inline constexpr const char* gpu_role = "gpu";        ///< serve with device 0
inline constexpr const char* host_role = "host";      ///< serve with the host's cores
inline constexpr const char* census_role = "census";  ///< say what devices there are, and end

}  // namespace cupool::detail
