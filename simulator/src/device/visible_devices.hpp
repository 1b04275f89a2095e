#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace cupool::simulator {

using Devices = std::vector<std::shared_ptr<Device>>;

/// The cards that CUDA_VISIBLE_DEVICES selects, in its order; all cards if it is not set. As the CUDA C++ Programming Guide says, names are
/// numbers or unambiguous prefixes of UUIDs ("GPU-c00f", or "MIG-c00f" for an instance), and the list ends at the first invalid name.
/// Fails with invalid_device if the list names a card twice, as driver 580 does on an H200.
Devices visible_devices(const Devices& cards);

}  // namespace cupool::simulator
