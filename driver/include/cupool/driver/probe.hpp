#pragma once

#include <cupool/driver/driver.hpp>
#include <cupool/driver/visible_devices.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupool {

/// Something that was looked at to tell why a GPU can or cannot be used, and what was found.
struct Evidence {
    std::string subject;  ///< "/dev/nvidiactl", "CUDA_VISIBLE_DEVICES", "cuInit", ...
    /// What was found there.
    std::string finding;
};

/// A device as a probe finds it. Fields that could not be read are empty or 0.
struct ProbedDevice {
    /// Its place in the driver's list.
    int ordinal = 0;
    /// The product's name.
    std::string name;
    /// As Device::uuid() tells it.
    std::string uuid;
    /// "domain:bus:device.function"
    std::string pci_bus_id;
    bool is_mig_instance = false;  ///< a part of a card that has been divided into instances
    std::size_t total_memory = 0;  ///< bytes
    /// The generation of its multiprocessors.
    int compute_capability_major = 0;
    /// The step within it.
    int compute_capability_minor = 0;
    /// How many multiprocessors it has.
    int multiprocessor_count = 0;
    /// Who may make contexts on it.
    abi::ComputeMode compute_mode = abi::ComputeMode::standard;
    Reason reason = Reason::none;  ///< why it cannot be used; none where it can
    std::string explanation;       ///< the same in words; empty where it can be used

    /// Whether work can be given to it.
    bool usable() const noexcept { return reason == Reason::none; }
};

/// What a probe found.
struct ProbeReport {
    Reason reason = Reason::none;  ///< none: every device is usable; partial: some are; all others: none is
    std::string explanation;       ///< what is wrong and what to do about it, on one line; empty where nothing is
    bool failed = false;  ///< the probe met a failure that says nothing about the devices, such as a fault: not the same as "no GPU"
    bool forked = false;  ///< this process was forked from one that had initialised the driver: exec, or start it otherwise
    LoadReport library;   ///< how libcuda was looked for
    /// The driver that was asked; null where there is none.
    std::shared_ptr<const Driver> driver;
    std::string kernel_driver;  ///< the kernel driver's version, like "580.65.06"; empty where there is none
    /// What was looked at, and what was found.
    std::vector<Evidence> evidence;
    /// What the driver shows, usable or not.
    std::vector<ProbedDevice> devices;
    VisibleDevices visible_devices;  ///< what CUDA_VISIBLE_DEVICES came to; nothing where the driver did not get so far as to read it

    /// How many devices work can be given to.
    std::size_t usable_device_count() const noexcept;
    /// What to throw at a caller who cannot go on without a GPU: no_device, driver_unavailable, not_ready or forked, with the reason.
    /// \pre usable_device_count() == 0
    Error error(SourceLocation where = SourceLocation::current()) const;
};

/// Looks whether and why GPUs can be used. Never throws, aborts or prints. Loads and initialises the driver (not in a forked child),
/// creates no context.
ProbeReport probe(const LoadOptions& options = {}) noexcept;

std::ostream& operator<<(std::ostream& out, const ProbeReport& report);

}  // namespace cupool
