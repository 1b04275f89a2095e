#pragma once

#include <chrono>
#include <string>

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// Collects a snapshot of a host. Never needs root and creates no context in this process.
/// \param root   the folder of the host's tree; "" for this host. The driver of another tree is not
///               loaded: only one that CUPOOL_DRIVER names is asked
/// \param limit  time for the driver's answers
HostSnapshot collect_snapshot(const std::string& root, std::chrono::milliseconds limit);

}  // namespace cupool::tools
