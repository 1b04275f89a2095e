#pragma once

#include <cupool/driver/reason.hpp>
#include <string>

namespace cupool {

/// What becomes of devices that the driver shows but does not open: busy in exclusive mode, prohibited, with a memory error, lost. Only
/// opening tells, which makes the context (some 100 ms each, and some 300 MB of a device nobody may use): so it is asked for.
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
