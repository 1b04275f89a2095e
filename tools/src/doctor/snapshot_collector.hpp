#pragma once

#include <chrono>
#include <map>
#include <string>

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// The variables of this process that change what CUDA sees, by name.
std::map<std::string, std::string> own_environment();

/// Collects a snapshot of a host. Never needs root and creates no context in this process.
/// \param root         the folder of the host's tree; "" for this host. The driver of another tree is
///                     not loaded: only one that this process's CUPOOL_DRIVER names is asked
/// \param environment  the variables of the host
/// \param limit        time for the driver's answers
HostSnapshot collect_snapshot(const std::string& root, std::map<std::string, std::string> environment, std::chrono::milliseconds limit);

}  // namespace cupool::tools
