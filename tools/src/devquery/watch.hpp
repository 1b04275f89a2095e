#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/driver/management_library.hpp>
#include <cupool/driver/probe.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupool::tools {

/// What is known of a device at one time.
struct DeviceSample {
    ProbedDevice device;
    DeviceReadings readings;  ///< the memory in it is always that of the device, or of the MIG instance
    std::string failure;      ///< why its memory is unknown; empty if it is known
};

/// An Xid error of a device.
struct DeviceXid {
    ProbedDevice device;
    std::uint64_t number = 0;
};

/// Devices that are looked at again and again. Memory comes from NVML; where NVML is absent, and for MIG instances and simulated
/// devices, from the driver, for which the device gets a context. All other readings come from NVML.
class WatchedDevices {
public:
    WatchedDevices(const ProbeReport& report, const std::vector<ProbedDevice>& devices);

    /// Why there is no management library; empty if there is one.
    const std::string& management_finding() const { return management_finding_; }

    std::vector<DeviceSample> sample();

    /// Waits for an Xid error, or for the time.
    std::optional<DeviceXid> wait(std::chrono::milliseconds limit);

private:
    struct Watched {
        ProbedDevice device;
        std::optional<ManagedDevice> managed;
        std::optional<DeviceContext> context;
    };

    void read_memory_by_driver(Watched& watched, DeviceSample& sample) const;

    std::shared_ptr<const Driver> driver_;
    std::optional<ManagementLibrary> library_;
    std::string management_finding_;
    std::vector<Watched> devices_;
    std::vector<std::size_t> devices_of_events_;  ///< by the index in events_
    std::unique_ptr<XidEvents> events_;
};

}  // namespace cupool::tools
