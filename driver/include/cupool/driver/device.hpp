#pragma once

#include <array>
#include <cstddef>
#include <cupool/driver/driver.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupool {

/// A GPU of a driver. Copyable; needs no context and creates none. Thread-safe.
class Device {
public:
    /// The compute capability of the multiprocessors, as in the .target directive of PTX.
    struct ComputeCapability {
        /// The major version.
        int major;
        /// The minor version.
        int minor;

        friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
    };

    /// Properties of the link to another device.
    struct PeerLink {
        bool can_access;       ///< this device can access the memory of the peer
        bool native_atomics;   ///< also by atomic operations
        bool array_access;     ///< also CUDA arrays
        int performance_rank;  ///< compares the links of one host: lower is faster
    };

    /// Initialises the driver if necessary.
    /// \throws Error invalid_device if there is no such ordinal, no_device if there is no device at
    /// all, and any failure of the driver
    Device(std::shared_ptr<const Driver> driver, int ordinal, SourceLocation where = SourceLocation::current());

    /// The device in a PCI slot, "domain:bus:device.function". The function may be left out, and
    /// then also the domain.
    /// \throws Error invalid_device if the driver lists no device there, invalid_argument if the
    /// text has another form
    static Device with_pci_bus_id(std::shared_ptr<const Driver> driver, const std::string& id,
                                  SourceLocation where = SourceLocation::current());

    /// The driver of the device.
    const std::shared_ptr<const Driver>& driver() const noexcept { return driver_; }
    /// Its position in the driver's list, which CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER
    /// determine.
    int ordinal() const noexcept { return ordinal_; }
    /// The handle of the driver.
    abi::Device handle() const noexcept { return handle_; }

    /// The name of the product according to the driver.
    std::string name(SourceLocation where = SourceLocation::current()) const;
    /// "GPU-", or "MIG-" for a MIG instance, and groups of hexadecimal digits: as nvidia-smi -L
    /// prints it and CUDA_VISIBLE_DEVICES accepts it.
    /// \throws Error unsupported before CUDA 11.4
    std::string uuid(SourceLocation where = SourceLocation::current()) const;
    /// The UUID of the card of a MIG instance; for other devices the same as uuid().
    std::string card_uuid(SourceLocation where = SourceLocation::current()) const;
    /// Whether the device is a part of a card that is divided into instances.
    bool is_mig_instance(SourceLocation where = SourceLocation::current()) const;
    /// "domain:bus:device.function"
    std::string pci_bus_id(SourceLocation where = SourceLocation::current()) const;
    /// The bytes of memory on the device, used or free.
    std::size_t total_memory(SourceLocation where = SourceLocation::current()) const;
    /// The value of an attribute. \throws Error invalid_argument if the driver does not know the
    /// attribute: see try_attribute()
    int attribute(abi::DeviceAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// The same for attributes that an older driver may not know: nullopt if it does not.
    /// device_attribute.hpp lists all attributes.
    std::optional<int> try_attribute(abi::DeviceAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// The compute capability.
    ComputeCapability compute_capability(SourceLocation where = SourceLocation::current()) const;
    /// The number of multiprocessors.
    int multiprocessor_count(SourceLocation where = SourceLocation::current()) const;
    /// Which processes may create contexts on it.
    abi::ComputeMode compute_mode(SourceLocation where = SourceLocation::current()) const;
    /// Whether stream-ordered allocation works: the device supports it and the driver has the entry
    /// points.
    bool supports_memory_pools(SourceLocation where = SourceLocation::current()) const;
    /// Whether contexts can be limited to some multiprocessors, which needs a device and a driver
    /// that support it, and MPS. False before CUDA 11.4.
    bool supports_multiprocessor_affinity(SourceLocation where = SourceLocation::current()) const;
    /// Whether this device can access the memory of the peer over a link or the bus.
    bool can_access_peer(const Device& peer, SourceLocation where = SourceLocation::current()) const;
    /// All known properties of the link. \throws Error invalid_device if both are the same device
    PeerLink peer_link(const Device& peer, SourceLocation where = SourceLocation::current()) const;

private:
    std::shared_ptr<const Driver> driver_;
    int ordinal_;
    abi::Device handle_ = 0;
};

std::string to_string(const Device& device);
std::ostream& operator<<(std::ostream& out, const Device& device);

/// The number of devices that the driver lists. \throws Error driver_unavailable
int device_count(SourceLocation where = SourceLocation::current());
int device_count(const Driver& driver, SourceLocation where = SourceLocation::current());

/// A device of the system's driver. \throws what the constructor of Device and Driver::system()
/// throw
Device device(int ordinal, SourceLocation where = SourceLocation::current());

/// All devices, in the driver's order.
std::vector<Device> devices(SourceLocation where = SourceLocation::current());
std::vector<Device> devices(const std::shared_ptr<const Driver>& driver, SourceLocation where = SourceLocation::current());

}  // namespace cupool
