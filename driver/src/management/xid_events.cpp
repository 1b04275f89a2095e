#include <algorithm>
#include <cupool/driver/management_library.hpp>

#include "management/nvml_library.hpp"

namespace cupool {

using namespace detail::nvml;

XidEvents::XidEvents(ManagementLibrary library, std::vector<ManagedDevice> devices)
    : library_(std::move(library)), devices_(std::move(devices)) {
    set_ = library_.state_->ask<Handle>("nvmlEventSetCreate").value_or(nullptr);
    const auto add = library_.state_->find<int (*)(Handle, unsigned long long, Handle)>("nvmlDeviceRegisterEvents");
    if (set_ == nullptr || add == nullptr) return;
    for (const auto& device : devices_) {
        if (add(device.handle, xid_events, set_) == success) works_ = true;
    }
}

XidEvents::~XidEvents() {
    const auto free_set = library_.state_->find<int (*)(Handle)>("nvmlEventSetFree");
    if (set_ != nullptr && free_set != nullptr) free_set(set_);
}

bool XidEvents::works() const noexcept { return works_; }

std::optional<XidEvent> XidEvents::wait(std::chrono::milliseconds limit) {
    const auto wait_for = library_.state_->find<int (*)(Handle, Event*, unsigned)>("nvmlEventSetWait_v2");
    if (!works_ || wait_for == nullptr) {
        works_ = false;
        return std::nullopt;
    }
    Event event;
    const int status = wait_for(set_, &event, static_cast<unsigned>(std::max<std::int64_t>(limit.count(), 0)));
    if (status != success && status != timed_out) works_ = false;
    if (status != success || event.type != xid_events) return std::nullopt;
    const auto device =
        std::find_if(devices_.begin(), devices_.end(), [&](const ManagedDevice& one) { return one.handle == event.device; });
    if (device == devices_.end()) return std::nullopt;
    return XidEvent{static_cast<std::size_t>(device - devices_.begin()), event.data};
}

}  // namespace cupool
