#pragma once

#include <cupool/driver/abi.hpp>
#include <string_view>
#include <vector>

namespace cupool {

/// A device attribute and its name here.
struct NamedDeviceAttribute {
    /// What to ask for.
    abi::DeviceAttribute attribute;
    /// What it is called here.
    std::string_view name;
};

/// Every attribute that this build knows, by rising numbers; Device::try_attribute() asks for one that the driver may not know.
const std::vector<NamedDeviceAttribute>& device_attributes();

/// Its enumerator's name, "warp_size"; empty for a number unknown to this build.
std::string_view attribute_name(abi::DeviceAttribute attribute) noexcept;

}  // namespace cupool
