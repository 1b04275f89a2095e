#include <cupool/driver/device_identity.hpp>
#include <cupool/driver/visible_devices.hpp>
#include <ostream>

namespace cupool {

std::string detail::uuid_where_known(const Device& device, SourceLocation where) {
    return device.driver()->api().device_get_uuid == nullptr ? std::string() : device.uuid(where);
}

DeviceIdentity identity_of(const Device& device, SourceLocation where) {
    DeviceIdentity identity;
    identity.ordinal = device.ordinal();
    identity.name = device.name(where);
    identity.uuid = detail::uuid_where_known(device, where);
    identity.is_mig_instance = device.is_mig_instance(where);
    identity.card_uuid = identity.is_mig_instance ? device.card_uuid(where) : identity.uuid;
    identity.pci_bus_id = device.pci_bus_id(where);
    identity.visible_as = visible_devices(device.driver(), where).entry_of(device.ordinal());
    return identity;
}

std::string to_string(const DeviceIdentity& identity) {
    std::string text = "device " + std::to_string(identity.ordinal) + ": " + identity.name;
    if (!identity.uuid.empty()) text += ", " + identity.uuid;
    if (identity.is_mig_instance) text += ", an instance of " + identity.card_uuid;
    text += ", at " + identity.pci_bus_id;
    if (!identity.visible_as.empty()) text += ", \"" + identity.visible_as + "\" in CUDA_VISIBLE_DEVICES";
    return text;
}

std::ostream& operator<<(std::ostream& out, const DeviceIdentity& identity) { return out << to_string(identity); }

}  // namespace cupool
