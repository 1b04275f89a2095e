#include "devquery/implausible_answers.hpp"

#include <cupool/driver/printable_text.hpp>
#include <map>

#include "devquery/device_report.hpp"

namespace cupool::tools {
namespace {

/// The driver layer reads names of at most this many bytes.
constexpr std::size_t longest_name = 254;

std::string gpu(const ProbedDevice& device) { return "GPU " + std::to_string(device.ordinal); }

void judge_device(const ProbedDevice& device, const DeviceDetails& details, std::vector<std::string>& findings) {
    const auto find = [&](bool is_implausible, const std::string& what) {
        if (is_implausible) findings.push_back(gpu(device) + " has " + what);
    };
    find(device.name.empty(), "no name");
    find(device.name.size() >= longest_name, "a name that does not end within " + std::to_string(longest_name) + " bytes");
    find(printable_text(device.name) != device.name, "a name with control characters or invalid UTF-8");
    find(device.total_memory == 0, "no memory");
    find(device.multiprocessor_count < 1, std::to_string(device.multiprocessor_count) + " multiprocessors");
    find(device.compute_capability_major < 1 || device.compute_capability_minor < 0,
         "the compute capability " + std::to_string(device.compute_capability_major) + '.' +
             std::to_string(device.compute_capability_minor));
    find(details.clock_khz && *details.clock_khz < 0, "a clock of " + std::to_string(details.clock_khz.value_or(0)) + " kHz");
    find(details.free_memory && *details.free_memory > device.total_memory, "more free memory than memory");
}

void find_equal_uuids(const std::vector<ProbedDevice>& devices, std::vector<std::string>& findings) {
    std::map<std::string, const ProbedDevice*> first_with;
    for (const auto& device : devices) {
        if (device.uuid.empty()) continue;
        const auto [known, is_new] = first_with.emplace(device.uuid, &device);
        if (!is_new) findings.push_back(gpu(*known->second) + " and " + gpu(device) + " have the same UUID");
    }
}

}  // namespace

std::vector<std::string> implausible_answers(const DeviceReport& report) {
    std::vector<std::string> findings;
    for (std::size_t i = 0; i < report.probe.devices.size(); ++i) {
        const auto& device = report.probe.devices[i];
        const bool has_answered = device.usable() || device.compute_mode == abi::ComputeMode::prohibited;
        if (has_answered) judge_device(device, report.details[i], findings);
    }
    find_equal_uuids(report.probe.devices, findings);
    return findings;
}

}  // namespace cupool::tools
