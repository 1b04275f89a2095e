#pragma once

#include <cupool/driver/reason.hpp>
#include <string>

namespace cupool {

/// How a pool treats devices that the driver lists but cannot open: busy in exclusive mode, prohibited, with a memory error, lost. Only
/// opening a device shows that, and it creates a context (about 100 ms and 300 MB of device memory), so the caller chooses.
enum class UnusableDevices {
    lazy,     ///< a device is opened when work first comes to it, and that work's failure says why it cannot be
    exclude,  ///< all are opened now, and the pool is made without those that cannot be: see DevicePool::excluded_devices()
    fail,     ///< all are opened now, and the first that cannot be makes the construction fail with its reason
};

/// A device that a pool was made without.
struct ExcludedDevice {
    int device = 0;                            ///< ordinal
    Reason reason = Reason::device_unhealthy;  ///< why it cannot be used
    std::string why;                           ///< the same as text
};

}  // namespace cupool
