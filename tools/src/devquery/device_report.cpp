#include "devquery/device_report.hpp"

#include <cupool/driver/context.hpp>
#include <cupool/driver/device_attribute.hpp>

#include "devquery/implausible_answers.hpp"
#include "devquery/pci_devices.hpp"

namespace cupool::tools {
namespace {

std::optional<int> attribute_of(const Device& device, abi::DeviceAttribute attribute) {
    try {
        return device.try_attribute(attribute);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// The driver knows the node since CUDA 12.2; for older ones Linux does. The addresses of simulated devices are not those of this host.
std::optional<int> numa_node_of(const Device& device, const ProbedDevice& probed) {
    const auto node = attribute_of(device, abi::DeviceAttribute::host_numa_id);
    if (node && *node >= 0) return node;
    return device.driver()->report().simulated ? std::nullopt : read_pci_device(probed.pci_bus_id).numa_node;
}

std::optional<std::size_t> free_memory_of(const Device& device) {
    try {
        return PrimaryContext::retain(device).view().memory_info().free;
    } catch (const Error&) {
        return std::nullopt;
    }
}

DeviceDetails details_of(const Device& device, const ProbedDevice& probed, bool all) {
    DeviceDetails details;
    details.clock_khz = attribute_of(device, abi::DeviceAttribute::clock_rate_khz);
    if (const auto ecc = attribute_of(device, abi::DeviceAttribute::ecc_enabled)) details.ecc_enabled = *ecc != 0;
    details.numa_node = numa_node_of(device, probed);
    if (!all) return details;
    for (const auto& [attribute, name] : device_attributes()) details.attributes.emplace_back(name, attribute_of(device, attribute));
    if (probed.usable()) details.free_memory = free_memory_of(device);
    return details;
}

bool has_entry_point(const EntryPoints& api, std::size_t index) {
    const void* const pointers[] = {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) reinterpret_cast<const void*>(api.member),
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    };
    return pointers[index] != nullptr;
}

std::vector<std::pair<std::string, int>> missing_entry_points(const Driver& driver) {
    std::vector<std::pair<std::string, int>> missing;
    std::size_t index = 0;
    for (const auto& entry_point : all_entry_points) {
        if (!has_entry_point(driver.api(), index++)) missing.emplace_back(entry_point.exported, entry_point.since);
    }
    return missing;
}

}  // namespace

DeviceReport complete_report(ProbeReport probe, bool all) {
    DeviceReport report;
    report.probe = std::move(probe);
    report.has_all = all && report.probe.driver != nullptr;
    for (const auto& probed : report.probe.devices) {
        report.details.emplace_back();
        if (report.probe.driver == nullptr) continue;
        try {
            report.details.back() = details_of(Device(report.probe.driver, probed.ordinal), probed, all);
        } catch (const Error&) {
            // The driver lists the device but does not hand it out: the probe has the reason.
        }
    }
    if (report.has_all) report.missing_entry_points = missing_entry_points(*report.probe.driver);
    report.implausible = implausible_answers(report);
    return report;
}

}  // namespace cupool::tools
