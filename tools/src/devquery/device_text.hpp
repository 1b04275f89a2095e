#pragma once

#include <cupool/driver/probe.hpp>
#include <string>

namespace cupool::tools {

/// Texts for the fields of a device that tables, CSV and JSON share.
/// \{
std::string compute_mode_name(abi::ComputeMode mode);
std::string compute_capability(const ProbedDevice& device);
/// \}

}  // namespace cupool::tools
