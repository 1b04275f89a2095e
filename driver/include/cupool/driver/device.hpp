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

/// A GPU as the driver shows it. Copyable; needs no context and creates none. Safe from any thread.
class Device {
public:
    /// What the device's multiprocessors can do, as PTX's .target counts it.
    struct ComputeCapability {
        /// The generation.
        int major;
        /// The step within it.
        int minor;

        friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
    };

    /// What the link to another device can do.
    struct PeerLink {
        bool can_access;       ///< this device reaches the peer's memory
        bool native_atomics;   ///< with atomic operations too
        bool array_access;     ///< CUDA arrays too
        int performance_rank;  ///< links of one host are comparable by it; the lower the faster
    };

    /// Initialises the driver where that has not happened.
    /// \throws Error invalid_device where there is no such ordinal, no_device where there is none at all, and whatever the driver answers.
    Device(std::shared_ptr<const Driver> driver, int ordinal, SourceLocation where = SourceLocation::current());

    /// The device in a PCI slot: "domain:bus:device.function", the function, and then the domain, may be left out.
    /// \throws Error invalid_device where there is none that the driver shows, invalid_argument where that is no such text
    static Device with_pci_bus_id(std::shared_ptr<const Driver> driver, const std::string& id,
                                  SourceLocation where = SourceLocation::current());

    /// The driver that shows it.
    const std::shared_ptr<const Driver>& driver() const noexcept { return driver_; }
    /// Its place in the driver's list, which CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER decide.
    int ordinal() const noexcept { return ordinal_; }
    /// The driver's own handle.
    abi::Device handle() const noexcept { return handle_; }

    /// The product's name, as the driver has it.
    std::string name(SourceLocation where = SourceLocation::current()) const;
    /// "GPU-", or "MIG-" for a MIG instance, and hexadecimal digits in groups: what nvidia-smi -L shows and CUDA_VISIBLE_DEVICES takes.
    /// \throws Error unsupported before CUDA 11.4
    std::string uuid(SourceLocation where = SourceLocation::current()) const;
    /// The UUID of the whole card that a MIG instance is a part of; for any other device its own.
    std::string card_uuid(SourceLocation where = SourceLocation::current()) const;
    /// Whether the device is a part of a card that has been divided into instances.
    bool is_mig_instance(SourceLocation where = SourceLocation::current()) const;
    /// "domain:bus:device.function"
    std::string pci_bus_id(SourceLocation where = SourceLocation::current()) const;
    /// Bytes on the device, whoever uses them.
    std::size_t total_memory(SourceLocation where = SourceLocation::current()) const;
    /// What the device is like. \throws Error invalid_argument where the driver does not know the attribute: see try_attribute()
    int attribute(abi::DeviceAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// The same for an attribute that the driver may be too old to know: nothing where it does not. See device_attribute.hpp for all.
    std::optional<int> try_attribute(abi::DeviceAttribute attribute, SourceLocation where = SourceLocation::current()) const;
    /// What its multiprocessors can do.
    ComputeCapability compute_capability(SourceLocation where = SourceLocation::current()) const;
    /// How many multiprocessors it has.
    int multiprocessor_count(SourceLocation where = SourceLocation::current()) const;
    /// Who may make contexts on it.
    abi::ComputeMode compute_mode(SourceLocation where = SourceLocation::current()) const;
    /// Whether stream-ordered allocation works: the device offers it and the driver has the entry points.
    bool supports_memory_pools(SourceLocation where = SourceLocation::current()) const;
    /// Whether contexts can be limited to some of its multiprocessors: on devices and drivers that can, under MPS. False before CUDA 11.4.
    bool supports_multiprocessor_affinity(SourceLocation where = SourceLocation::current()) const;
    /// Whether this device can reach the peer's memory over a link or the bus.
    bool can_access_peer(const Device& peer, SourceLocation where = SourceLocation::current()) const;
    /// What else is known of the link. \throws Error invalid_device where both are the same device
    PeerLink peer_link(const Device& peer, SourceLocation where = SourceLocation::current()) const;

private:
    std::shared_ptr<const Driver> driver_;
    int ordinal_;
    abi::Device handle_ = 0;
};

std::string to_string(const Device& device);
std::ostream& operator<<(std::ostream& out, const Device& device);

/// How many devices the driver shows; 0 where it shows none. \throws Error driver_unavailable
int device_count(SourceLocation where = SourceLocation::current());
int device_count(const Driver& driver, SourceLocation where = SourceLocation::current());

/// A device of the host's driver. \throws what Device's constructor and Driver::system() throw
Device device(int ordinal, SourceLocation where = SourceLocation::current());

/// Every device, in the driver's order.
std::vector<Device> devices(SourceLocation where = SourceLocation::current());
std::vector<Device> devices(const std::shared_ptr<const Driver>& driver, SourceLocation where = SourceLocation::current());

}  // namespace cupool
