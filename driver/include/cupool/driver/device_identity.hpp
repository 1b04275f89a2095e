#pragma once

#include <cupool/driver/device.hpp>
#include <iosfwd>
#include <string>

namespace cupool {

/// Identifies a physical device, independent of its ordinal in this process.
struct DeviceIdentity {
    int ordinal = -1;              ///< in this process
    std::string name;              ///< the name of the product
    std::string uuid;              ///< "GPU-...", or "MIG-..." for a MIG instance; empty before CUDA 11.4
    std::string card_uuid;         ///< the UUID of the card of a MIG instance; else the same as uuid
    std::string pci_bus_id;        ///< "domain:bus:device.function", of the card
    bool is_mig_instance = false;  ///< whether it is a part of a card that is divided into instances
    std::string visible_as;        ///< the entry of CUDA_VISIBLE_DEVICES that shows it; empty if the variable is not set

    friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// Queries the driver and creates no context. \throws what the members of Device throw
DeviceIdentity identity_of(const Device& device, SourceLocation where = SourceLocation::current());

/// Formats an identity on one line.
std::string to_string(const DeviceIdentity& identity);
std::ostream& operator<<(std::ostream& out, const DeviceIdentity& identity);

namespace detail {

/// The UUID of the device; empty if the driver is too old for it.
std::string uuid_where_known(const Device& device, SourceLocation where);

}  // namespace detail

}  // namespace cupool
