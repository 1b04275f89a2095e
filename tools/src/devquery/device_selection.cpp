#include "devquery/device_selection.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "program/outcome.hpp"

namespace cupool::tools {

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
    return selected;
}

}  // namespace cupool::tools
