#include "devquery/watch.hpp"

#include <cstdlib>
#include <thread>

#include "program/error_text.hpp"

namespace cupool::tools {
namespace {

/// The simulated driver's devices are not those of the host's NVML, but a test may name an NVML for them.
bool has_management(const ProbeReport& report) { return !report.library.simulated || std::getenv("CUPOOL_NVML") != nullptr; }

}  // namespace

WatchedDevices::WatchedDevices(const ProbeReport& report, const std::vector<ProbedDevice>& devices) : driver_(report.driver) {
    if (has_management(report)) {
        library_.emplace();
        management_finding_ = library_->finding();
    } else {
        management_finding_ = "the devices are simulated";
    }
    std::vector<ManagedDevice> managed;
    for (const auto& device : devices) {
        const auto handle = library_ ? library_->device_at(device.pci_bus_id) : std::nullopt;
        if (handle) {
            managed.push_back(*handle);
            devices_of_events_.push_back(devices_.size());
        }
        devices_.push_back({device, handle, std::nullopt});
    }
    if (library_) events_ = std::make_unique<XidEvents>(*library_, std::move(managed));
}

std::vector<DeviceSample> WatchedDevices::sample() {
    std::vector<DeviceSample> samples;
    for (auto& watched : devices_) {
        DeviceSample sample{watched.device, {}, {}};
        if (watched.managed) sample.readings = library_->readings(*watched.managed);
        const bool is_whole = !watched.device.is_mig_instance && sample.readings.used_memory;
        if (!is_whole) read_memory_by_driver(watched, sample);
        samples.push_back(std::move(sample));
    }
    return samples;
}

void WatchedDevices::read_memory_by_driver(Watched& watched, DeviceSample& sample) const {
    sample.readings.total_memory.reset();
    sample.readings.used_memory.reset();
    try {
        if (!watched.context) watched.context = DeviceContext::for_device(driver_, watched.device.ordinal);
        const auto memory = watched.context->context().memory_info();
        sample.readings.total_memory = memory.total;
        sample.readings.used_memory = memory.total - memory.free;
    } catch (const Error& error) {
        sample.failure = error_text(error);
    }
}

std::optional<DeviceXid> WatchedDevices::wait(std::chrono::milliseconds limit) {
    if (!events_ || !events_->works()) {
        std::this_thread::sleep_for(limit);
        return std::nullopt;
    }
    const auto event = events_->wait(limit);
    if (!event) return std::nullopt;
    return DeviceXid{devices_.at(devices_of_events_.at(event->device)).device, event->number};
}

}  // namespace cupool::tools
