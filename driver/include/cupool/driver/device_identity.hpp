#pragma once

#include <cupool/driver/device.hpp>
#include <iosfwd>
#include <string>

namespace cupool {

/// Which device it is, whatever number this process has for it.
struct DeviceIdentity {
    int ordinal = -1;              ///< in this process
    std::string name;              ///< the product's
    std::string uuid;              ///< "GPU-..."; of a MIG instance "MIG-..."; empty before CUDA 11.4
    std::string card_uuid;         ///< the card's that a MIG instance is a part of; else the same
    std::string pci_bus_id;        ///< "domain:bus:device.function", of the card
    bool is_mig_instance = false;  ///< a part of a card that has been divided into instances
    std::string visible_as;        ///< the entry of CUDA_VISIBLE_DEVICES that shows it; empty where the variable is not set

    friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// Asks the driver; creates no context. \throws what Device's members throw
DeviceIdentity identity_of(const Device& device, SourceLocation where = SourceLocation::current());

/// On one line.
std::string to_string(const DeviceIdentity& identity);
std::ostream& operator<<(std::ostream& out, const DeviceIdentity& identity);

namespace detail {

/// The device's UUID; empty where the driver is too old to tell.
std::string uuid_where_known(const Device& device, SourceLocation where);

}  // namespace detail

}  // namespace cupool
