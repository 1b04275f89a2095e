#include <cupool/driver/reason.hpp>
#include <ostream>

namespace cupool {

std::string_view to_string(Reason reason) noexcept {
    switch (reason) {
        case Reason::none: return "none";
        case Reason::no_library: return "no_library";
        case Reason::library_unusable: return "library_unusable";
        case Reason::kernel_driver: return "kernel_driver";
        case Reason::no_visible_device: return "no_visible_device";
        case Reason::device_unhealthy: return "device_unhealthy";
        case Reason::permission: return "permission";
        case Reason::driver_too_old: return "driver_too_old";
        case Reason::not_ready: return "not_ready";
        case Reason::partial: return "partial";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, Reason reason) { return out << to_string(reason); }

}  // namespace cupool
