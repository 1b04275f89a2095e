#include <cupool/driver/detail/device_resources.hpp>

namespace cupool::detail {

std::shared_ptr<void> DeviceResources::get(std::type_index type, const std::function<std::shared_ptr<void>()>& make) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<void>& resource = resources_[type];
    if (resource == nullptr) resource = make();
    return resource;
}

}  // namespace cupool::detail
