#include <cupool/driver/current_device.hpp>
#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <string>

namespace cupool {

namespace {

thread_local std::optional<int> chosen_device;

}  // namespace

void set_device(int ordinal, SourceLocation where) {
    (void)device(ordinal, where);
    chosen_device = ordinal;
}

int get_device(SourceLocation where) {
    if (!chosen_device) throw Error(ErrorCategory::invalid_device, "this thread has chosen no device; call set_device() first", where);
    return *chosen_device;
}

std::optional<int> try_get_device() noexcept { return chosen_device; }

void check_device(int ordinal, SourceLocation where) {
    const int chosen = get_device(where);
    if (chosen == ordinal) return;
    throw Error(ErrorCategory::wrong_context,
                "device " + std::to_string(ordinal) + " was expected; this thread has chosen device " + std::to_string(chosen), where);
}

DeviceContext current_device_context(SourceLocation where) { return DeviceContext::default_for_device(get_device(where), where); }

DeviceGuard::DeviceGuard(int ordinal, SourceLocation where) : DeviceGuard(std::optional(ordinal), where) {}

DeviceGuard::DeviceGuard(std::optional<int> choice, SourceLocation where) : before_(chosen_device), thread_(std::this_thread::get_id()) {
    if (choice) (void)device(*choice, where);
    chosen_device = choice;
}

DeviceGuard::~DeviceGuard() {
    if (thread_ == std::this_thread::get_id()) {
        chosen_device = before_;
    } else {
        detail::log(LogLevel::warning, "a DeviceGuard was destroyed on another thread than its own; no thread's device was changed");
    }
}

}  // namespace cupool
