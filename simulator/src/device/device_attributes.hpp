#pragma once

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

struct Device;

/// Fails with invalid_value for an unknown attribute.
int attribute_of(const Device& device, abi::DeviceAttribute attribute);

constexpr int pci_bus_of(int card) { return 0x10 + card; }

}  // namespace cupool::simulator
