#pragma once

#include <cstddef>
#include <cupool/driver/probe.hpp>
#include <string>

namespace cupool::tools {

/// Texts for the fields of a device that tables, CSV and JSON share.
/// \{
std::string compute_mode_name(abi::ComputeMode mode);
std::string compute_capability(const ProbedDevice& device);
/// "141.0 GiB", or "64.0 MiB" below 1 GiB
std::string memory_text(std::size_t bytes);
/// \}

}  // namespace cupool::tools
