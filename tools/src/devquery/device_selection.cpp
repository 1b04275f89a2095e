#include "devquery/device_selection.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

/// Work on a device without multiprocessors cannot be divided among them.
void require_plausible(const ProbedDevice& device) {
    if (device.multiprocessor_count >= 1) return;
    ErrorDetails details;
    details.category = ErrorCategory::driver_unavailable;
    details.reason = Reason::library_unusable;
    details.message = "the driver answers that GPU " + std::to_string(device.ordinal) + " has " +
                      std::to_string(device.multiprocessor_count) + " multiprocessors";
    throw Error(std::move(details), SourceLocation::current());
}

}  // namespace

void add_devices_option(CLI::App& verb, std::vector<int>& ordinals) {
    constexpr int last_ordinal = 4095;
    verb.add_option("--devices", ordinals, "only these GPUs, by ordinal")
        ->delimiter(',')
        ->check(CLI::Range(0, last_ordinal).description(""))
        ->type_name("0,1,...");
}

std::vector<ProbedDevice> selected_devices(const ProbeReport& report, const std::vector<int>& ordinals) {
    if (report.usable_device_count() == 0) throw report.error();
    if (std::set<int>(ordinals.begin(), ordinals.end()).size() != ordinals.size()) throw UsageError("--devices names a GPU twice");
    std::vector<ProbedDevice> selected;
    if (ordinals.empty()) {
        const auto is_usable = [](const ProbedDevice& device) { return device.usable(); };
        std::copy_if(report.devices.begin(), report.devices.end(), std::back_inserter(selected), is_usable);
    }
    for (const int ordinal : ordinals) {
        const auto device = std::find_if(report.devices.begin(), report.devices.end(),
                                         [ordinal](const ProbedDevice& candidate) { return candidate.ordinal == ordinal; });
        if (device == report.devices.end()) throw UsageError("--devices: there is no GPU " + std::to_string(ordinal));
        if (!device->usable()) throw UsageError("--devices: GPU " + std::to_string(ordinal) + " cannot be used: " + device->explanation);
        selected.push_back(*device);
    }
    for (const auto& device : selected) require_plausible(device);
    return selected;
}

}  // namespace cupool::tools
