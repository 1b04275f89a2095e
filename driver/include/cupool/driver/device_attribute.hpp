#pragma once

#include <cupool/driver/abi.hpp>
#include <string_view>
#include <vector>

namespace cupool {

/// A device attribute and its name.
struct NamedDeviceAttribute {
    /// The attribute.
    abi::DeviceAttribute attribute;
    /// The name of the enumerator.
    std::string_view name;
};

/// All attributes that this build knows, by ascending numbers; an older driver may not know some of
/// them (Device::try_attribute()).
const std::vector<NamedDeviceAttribute>& device_attributes();

/// The name of the enumerator, such as "warp_size"; empty for a number unknown to this build.
std::string_view attribute_name(abi::DeviceAttribute attribute) noexcept;

}  // namespace cupool
