#pragma once

#include <cupool/driver/driver.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupool {

/// One entry of CUDA_VISIBLE_DEVICES and the device that it shows.
struct VisibleEntry {
    std::string text;            ///< the text of the entry without surrounding blanks: "2", "GPU-8932f937", "MIG-..."
    std::optional<int> ordinal;  ///< the ordinal of the device that it shows; nullopt if it shows none
    std::string why;             ///< why it shows none; empty if it shows one
};

/// Which entry of the variable CUDA_VISIBLE_DEVICES shows which device. The driver reads the
/// variable when it is initialised. Entries are indices in the order of CUDA_DEVICE_ORDER, UUIDs or
/// unambiguous prefixes of them, or names of MIG instances. The devices get the ordinals 0, 1, ...
/// in the order of the entries, and the driver stops at the first entry that shows none. It refuses
/// a list that names a device twice (driver 580: cuInit returns 101).
struct VisibleDevices {
    std::optional<std::string> variable;  ///< nullopt if it is not set, so that all devices are visible in the driver's order
    std::vector<VisibleEntry> entries;    ///< in order; empty if the variable is not set or is empty
    /// Whether the variable has changed since the driver read it: the driver shows other devices.
    bool is_outdated = false;

    /// The entry that shows the device of an ordinal; empty if the variable is not set or has
    /// changed since.
    std::string entry_of(int ordinal) const;
};

/// Derives the mapping from the present value of the variable and the UUIDs of the devices by
/// ordinal, which are empty if the driver is too old for them. It makes no driver call, so it finds
/// no more than follows from these.
VisibleDevices map_visible_devices(const std::optional<std::string>& variable, std::span<const std::string> uuids);

/// The same for the devices of a driver and the variable of this process. Creates no context.
/// \throws what device_count() and Device::uuid() throw
VisibleDevices visible_devices(const std::shared_ptr<const Driver>& driver, SourceLocation where = SourceLocation::current());
VisibleDevices visible_devices(SourceLocation where = SourceLocation::current());

/// One line for the variable and one for each entry.
std::string to_string(const VisibleDevices& visible);
std::ostream& operator<<(std::ostream& out, const VisibleDevices& visible);

}  // namespace cupool
