#pragma once

#include <cupool/driver/driver.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupool {

/// One entry of CUDA_VISIBLE_DEVICES, and what became of it.
struct VisibleEntry {
    std::string text;            ///< as it stands there, without blanks around it: "2", "GPU-8932f937", "MIG-..."
    std::optional<int> ordinal;  ///< of the device that it shows; nothing where it shows none
    std::string why;             ///< why it shows none; else empty
};

/// Which entry of the variable CUDA_VISIBLE_DEVICES became which device. The driver reads the variable when it is initialised: entries are
/// indices, in the order of CUDA_DEVICE_ORDER, UUIDs as far as they tell one device from all others, or names of MIG instances; the devices
/// get the ordinals 0, 1, ... in the entries' order, and the driver stops at the first entry that shows none. It refuses (driver 580:
/// cuInit answers 101) a list that names a device twice.
struct VisibleDevices {
    std::optional<std::string> variable;  ///< nothing: it is not set, and all devices are visible in the driver's order
    std::vector<VisibleEntry> entries;    ///< in order; empty where the variable is not set, or is empty
    /// Whether this cannot be what the driver has read: it shows other devices. The variable was changed after the driver was initialised.
    bool is_outdated = false;

    /// The entry that an ordinal comes from; empty where the variable is not set, or another one was read.
    std::string entry_of(int ordinal) const;
};

/// The mapping, from what the driver shows: the variable as it is now, and each device's UUID by ordinal, empty where the driver is too old
/// to tell. Asks nobody, and so says no more than follows from these.
VisibleDevices map_visible_devices(const std::optional<std::string>& variable, std::span<const std::string> uuids);

/// The same for a driver's devices and this process's variable. Creates no context. \throws what device_count() and Device::uuid() throw
VisibleDevices visible_devices(const std::shared_ptr<const Driver>& driver, SourceLocation where = SourceLocation::current());
VisibleDevices visible_devices(SourceLocation where = SourceLocation::current());

/// A line for the variable, and one for each entry.
std::string to_string(const VisibleDevices& visible);
std::ostream& operator<<(std::ostream& out, const VisibleDevices& visible);

}  // namespace cupool
