#pragma once

#include <cupool/driver/driver.hpp>
#include <cupool/driver/visible_devices.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupool {

/// One observation that explains why a GPU can or cannot be used.
struct Evidence {
    std::string subject;  ///< "/dev/nvidiactl", "CUDA_VISIBLE_DEVICES", "cuInit", ...
    /// What the probe found there.
    std::string finding;
};

/// A device as seen by a probe. Fields that could not be read are empty or 0.
struct ProbedDevice {
    /// Its position in the driver's list.
    int ordinal = 0;
    /// The name of the product.
    std::string name;
    /// The result of Device::uuid().
    std::string uuid;
    /// "domain:bus:device.function"
    std::string pci_bus_id;
    bool is_mig_instance = false;  ///< whether it is a part of a card that is divided into instances
    std::size_t total_memory = 0;  ///< bytes
    /// The major version of its compute capability.
    int compute_capability_major = 0;
    /// The minor version.
    int compute_capability_minor = 0;
    /// The number of multiprocessors.
    int multiprocessor_count = 0;
    /// Which processes may create contexts on it.
    abi::ComputeMode compute_mode = abi::ComputeMode::standard;
    Reason reason = Reason::none;  ///< why it cannot be used; none if it can
    std::string explanation;       ///< the same in words; empty if it can be used

    /// Whether it can run work.
    bool usable() const noexcept { return reason == Reason::none; }
};

/// The result of a probe.
struct ProbeReport {
    Reason reason = Reason::none;  ///< none: every device is usable; partial: some are; all others: none is
    std::string explanation;       ///< what is wrong and what to do about it, on one line; else empty
    bool failed = false;           ///< the probe itself failed, which says nothing about the devices: not the same as "no GPU"
    bool forked = false;           ///< this process was forked after its parent had initialised the driver: exec, or start it differently
    LoadReport library;            ///< how the loader searched for libcuda
    /// The driver; null if there is none.
    std::shared_ptr<const Driver> driver;
    std::string kernel_driver;  ///< the version of the kernel driver, such as "580.65.06"; empty if there is none
    /// All observations.
    std::vector<Evidence> evidence;
    /// The devices that the driver lists, usable or not.
    std::vector<ProbedDevice> devices;
    VisibleDevices visible_devices;  ///< the effect of CUDA_VISIBLE_DEVICES; empty if the driver failed before it read the variable

    /// The number of usable devices.
    std::size_t usable_device_count() const noexcept;
    /// The Error for a caller that needs a GPU: no_device, driver_unavailable, not_ready or forked,
    /// with the reason.
    /// \pre usable_device_count() == 0
    Error error(SourceLocation where = SourceLocation::current()) const;
};

/// Finds out which GPUs can be used and, if some cannot, why. Never throws, aborts or prints. It
/// loads and initialises the driver, except in a forked child, and creates no context.
ProbeReport probe(const LoadOptions& options = {}) noexcept;

std::ostream& operator<<(std::ostream& out, const ProbeReport& report);

}  // namespace cupool
