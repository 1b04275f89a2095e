#pragma once

#include <string>

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// Turns what a driver answered into a fault plan of the simulated driver: number of devices,
/// version, the status of cuInit, of contexts and of the PTX compiler, and the free memory.
/// \param folder  an existing folder, which gets the file plan.json
/// \return the variables to set, one a line, as NAME=VALUE
/// \throws std::runtime_error if the file cannot be written, UsageError if no driver answered
std::string write_simulator_plan(const HostSnapshot& host, const std::string& folder);

}  // namespace cupool::tools
