#pragma once

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// Adds what NVML knows, if there is an NVML: the number of cards in MIG mode, and of each device
/// persistence, uncorrected errors and the memory of processes. Loads libnvidia-ml.so.1.
void ask_management_library(DriverAnswer& answer);

}  // namespace cupool::tools
