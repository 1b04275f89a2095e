#include "doctor/driver_answer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <cupool/driver/probe.hpp>
#include <string_view>

#include "doctor/management_library.hpp"
#include "doctor/snapshot_json.hpp"
#include "formats/bad_input.hpp"
#include "program/child_process.hpp"
#include "program/child_report.hpp"

namespace cupool::tools {
namespace {

constexpr std::string_view question = "--answer-for-driver";

/// The smallest kernel; its target is that of the shipped kernels.
constexpr const char* small_module =
    ".version 6.3\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry cupool_doctor()\n"
    "{\n"
    "ret;\n"
    "}\n";

/// Writes the report of the child: a line for each stage that begins, at the end the answer.
class Report {
public:
    void begin(const std::string& stage) const { (void)to_.write("stage " + stage + '\n'); }
    bool finish(const DriverAnswer& answer) const {
        HostSnapshot snapshot;
        snapshot.driver = answer;
        return to_.write("answer\n" + json_text(snapshot_to_json(snapshot)));
    }

private:
    ChildReport to_;
};

std::string mode_name(abi::ComputeMode mode) {
    if (mode == abi::ComputeMode::prohibited) return "prohibited";
    return mode == abi::ComputeMode::exclusive_process ? "exclusive process" : "default";
}

/// Opens the primary context of a device and, in the first that opens, tries the JIT compiler.
void try_context(const EntryPoints& api, int ordinal, DeviceAnswer& answer, std::optional<int>& jit) {
    abi::Device device{};
    abi::Context context{};
    auto status = api.device_get(&device, ordinal);
    if (status == abi::Status::success) status = api.primary_context_retain(&context, device);
    if (status == abi::Status::success) status = api.context_set_current(context);
    answer.context = static_cast<int>(status);
    if (status != abi::Status::success) return;
    std::size_t free = 0;
    std::size_t total = 0;
    if (api.memory_get_info(&free, &total) == abi::Status::success) answer.free_memory = free;
    if (!jit) {
        abi::Module module{};
        jit = static_cast<int>(api.module_load_data(&module, small_module, 0, nullptr, nullptr));
    }
}

void describe_devices(const ProbeReport& report, const Report& to, DriverAnswer& answer) {
    for (const auto& device : report.devices) {
        DeviceAnswer one;
        one.name = device.name;
        one.uuid = device.uuid;
        one.pci_bus_id = device.pci_bus_id;
        one.mig_instance = device.is_mig_instance;
        one.compute_mode = mode_name(device.compute_mode);
        one.total_memory = device.total_memory;
        answer.devices.push_back(one);
    }
    to.begin("contexts");
    const auto& api = report.driver->api();
    for (std::size_t i = 0; i < answer.devices.size(); ++i) {
        if (answer.devices[i].compute_mode != "prohibited") try_context(api, static_cast<int>(i), answer.devices[i], answer.jit);
    }
}

DriverAnswer answer_of_driver(const Report& to) {
    DriverAnswer answer;
    answer.outcome = "answered";
    to.begin("loading");
    static_cast<void>(Driver::try_open({}));
    to.begin("cuInit");
    const auto report = probe();
    answer.library = report.library.library_path;
    answer.reason = to_string(report.reason);
    answer.explanation = report.explanation;
    answer.forked = report.forked;
    answer.simulated = report.library.simulated;
    answer.version = report.library.version;
    if (report.driver) {
        answer.init = static_cast<int>(report.driver->try_initialize());
        describe_devices(report, to, answer);
    }
    if (!answer.simulated) {
        to.begin("NVML");
        ask_management_library(answer);
    }
    return answer;
}

/// The last stage that a report names.
std::string last_stage(const std::string& report) {
    constexpr std::string_view mark = "stage ";
    const auto position = report.rfind(mark);
    if (position == std::string::npos) return {};
    const auto begin = position + mark.size();
    return report.substr(begin, report.find('\n', begin) - begin);
}

std::string describe_end(const ChildResult& child) {
    if (child.end == ChildResult::End::signalled) return signal_name(child.number);
    if (child.end == ChildResult::End::exited) return "exit status " + std::to_string(child.number);
    return child.end == ChildResult::End::timed_out ? "the time limit" : std::strerror(child.number);
}

DriverAnswer answer_of_child(const ChildResult& child) {
    constexpr std::string_view mark = "answer\n";
    HostSnapshot snapshot;
    const auto position = child.output.find(mark);
    const bool ended_well = child.end == ChildResult::End::exited && child.number == 0;
    if (ended_well && position != std::string::npos) {
        try {
            merge_snapshot(snapshot, child.output.substr(position + mark.size()));
            return snapshot.driver;
        } catch (const BadInput&) {
            snapshot.driver = {};
        }
    }
    auto& answer = snapshot.driver;
    answer.detail = describe_end(child);
    answer.stage = last_stage(child.output);
    if (child.end == ChildResult::End::timed_out) {
        answer.outcome = "hung";
    } else {
        answer.outcome = answer.stage.empty() ? "failed" : "crashed";
    }
    return answer;
}

}  // namespace

DriverAnswer ask_driver(std::chrono::milliseconds limit) {
    return answer_of_child(run_child({"/proc/self/exe", std::string(question)}, limit));
}

std::optional<int> answer_for_driver_if_asked(int argc, char** argv) {
    if (argc != 2 || std::string_view(argv[1]) != question) return std::nullopt;
    const Report report;
    const bool is_written = report.finish(answer_of_driver(report));
    ::_exit(is_written ? 0 : 1);  // without the exit handlers of the library, which has answered
}

}  // namespace cupool::tools
