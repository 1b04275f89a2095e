#include <cupool/driver/device_attribute.hpp>

namespace cupool {

const std::vector<NamedDeviceAttribute>& device_attributes() {
    static const std::vector<NamedDeviceAttribute> all{
#define CUPOOL_DEVICE_ATTRIBUTE(name, number) {abi::DeviceAttribute::name, #name},
#include <cupool/driver/device_attributes.def>
#undef CUPOOL_DEVICE_ATTRIBUTE
    };
    return all;
}

std::string_view attribute_name(abi::DeviceAttribute attribute) noexcept {
    switch (attribute) {
#define CUPOOL_DEVICE_ATTRIBUTE(name, number) \
    case abi::DeviceAttribute::name:          \
        return #name;
#include <cupool/driver/device_attributes.def>
#undef CUPOOL_DEVICE_ATTRIBUTE
    }
    return {};
}

}  // namespace cupool
