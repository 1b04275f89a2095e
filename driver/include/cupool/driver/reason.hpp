#pragma once

#include <iosfwd>
#include <string_view>

namespace cupool {

/// Why no GPU, or not every GPU, can be used. The numbers are the tools' exit codes.
enum class Reason {
    none = 0,                ///< every device can be used
    no_library = 10,         ///< no libcuda was found
    library_unusable = 11,   ///< corrupt, for another architecture, a toolkit's stub, or not a libcuda at all
    kernel_driver = 12,      ///< the kernel driver is absent, or its version differs from the library's
    no_visible_device = 13,  ///< the driver works but lists no device
    device_unhealthy = 14,   ///< busy, prohibited, ECC error, off the bus
    permission = 15,         ///< this user may not open the device nodes
    driver_too_old = 16,     ///< the driver lacks entry points that cupool requires
    not_ready = 17,          ///< the system is still starting (fabric manager, MPS server)
    partial = 18,            ///< some devices are usable and some are not
};

/// The name of the enumerator.
std::string_view to_string(Reason reason) noexcept;
std::ostream& operator<<(std::ostream& out, Reason reason);

}  // namespace cupool
