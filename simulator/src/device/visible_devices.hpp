#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace cupool::simulator {

using Devices = std::vector<std::shared_ptr<Device>>;

/// What CUDA_VISIBLE_DEVICES shows of the cards, in its order and with ordinals of their own: all when it is not set. As the CUDA C++
/// Programming Guide says: names are numbers, or UUIDs as far as they tell one card from all others ("GPU-c00f", "MIG-c00f" where the card
/// is named as an instance); the list ends at the first name that is no card's. A list that names a card twice is a Failure, of the
/// answer that an H200's driver (580) gives then: invalid_device.
Devices visible_devices(const Devices& cards);

}  // namespace cupool::simulator
