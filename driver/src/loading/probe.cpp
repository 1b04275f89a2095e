#include <algorithm>
#include <cupool/driver/detail/process_phase.hpp>
#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/printable_text.hpp>
#include <cupool/driver/probe.hpp>
#include <new>
#include <ostream>

#include "loading/host_facts.hpp"

namespace cupool {

namespace {

void judge_device(ProbedDevice& device) {
    if (device.compute_mode == abi::ComputeMode::prohibited) {
        device.reason = Reason::device_unhealthy;
        device.explanation = "its compute mode is \"prohibited\"; an administrator can change it: nvidia-smi -c DEFAULT";
    }
}

/// Reads as much as possible; the first failure makes the device unusable.
ProbedDevice probe_device(const std::shared_ptr<const Driver>& driver, int ordinal) {
    ProbedDevice probed;
    probed.ordinal = ordinal;
    try {
        const Device device(driver, ordinal);
        probed.name = device.name();
        probed.is_mig_instance = device.is_mig_instance();
        probed.pci_bus_id = device.pci_bus_id();
        probed.total_memory = device.total_memory();
        const Device::ComputeCapability capability = device.compute_capability();
        probed.compute_capability_major = capability.major;
        probed.compute_capability_minor = capability.minor;
        probed.multiprocessor_count = device.multiprocessor_count();
        probed.compute_mode = device.compute_mode();
        if (driver->api().device_get_uuid != nullptr) probed.uuid = device.uuid();
        judge_device(probed);
    } catch (const Error& error) {
        if (error.category() == ErrorCategory::device_fault)
            throw;  // it says nothing about this device: this process can use no GPU any more
        probed.reason = error.reason().value_or(Reason::device_unhealthy);
        probed.explanation = error.code() ? error.call() + " answered " + describe(*error.code()) : error.message();
    }
    return probed;
}

void judge_devices(ProbeReport& report) {
    const std::size_t usable = report.usable_device_count();
    if (usable == report.devices.size()) return;
    const auto bad =
        std::find_if(report.devices.begin(), report.devices.end(), [](const ProbedDevice& device) { return !device.usable(); });
    report.reason = usable == 0 ? bad->reason : Reason::partial;
    report.explanation = std::to_string(usable) + " of " + std::to_string(report.devices.size()) + " devices can be used; device " +
                         std::to_string(bad->ordinal) + ": " + bad->explanation;
}

/// Short enough for a std::string without an allocation.
constexpr const char* out_of_memory = "out of memory";

/// Records why a probe failed, even if there is little memory for text.
void fail(ProbeReport& report, const char* failure) noexcept {
    report.reason = Reason::device_unhealthy;
    report.failed = true;
    report.devices.clear();
    try {
        report.explanation = failure;
    } catch (const std::bad_alloc&) {
        report.explanation = out_of_memory;
    }
}

/// Without the location in this layer, which tells nothing to the reader of a report.
void fail(ProbeReport& report, const Error& error) noexcept {
    fail(report, out_of_memory);
    try {
        report.explanation = error.at({}).what();
    } catch (const std::bad_alloc&) {
        return;  // the explanation is that there is no memory
    }
}

void set(ProbeReport& report, detail::Diagnosis diagnosis) {
    report.reason = diagnosis.reason;
    report.explanation = std::move(diagnosis.explanation);
}

void map_visible_devices(ProbeReport& report, const detail::HostFacts& facts) {
    std::vector<std::string> uuids;
    for (const ProbedDevice& device : report.devices) uuids.push_back(device.uuid);
    report.visible_devices = cupool::map_visible_devices(facts.visible_devices, uuids);
}

void probe_devices(ProbeReport& report, const std::shared_ptr<const Driver>& driver, const detail::HostFacts& facts) {
    const abi::Status initialized = driver->try_initialize();
    report.evidence.push_back({"cuInit", "answered " + describe(initialized)});
    if (initialized == abi::Status::no_device || initialized == abi::Status::invalid_device) map_visible_devices(report, facts);
    if (initialized != abi::Status::success) {
        set(report, detail::diagnose_initialization(initialized, facts, report.library.library_path));
        return;
    }
    const int count = device_count(*driver);
    report.evidence.push_back({"cuDeviceGetCount", std::to_string(count)});
    for (int ordinal = 0; ordinal < count; ++ordinal) report.devices.push_back(probe_device(driver, ordinal));
    map_visible_devices(report, facts);
    if (count == 0) {
        set(report, detail::diagnose_no_device(facts));
    } else {
        judge_devices(report);
    }
}

void probe_into(ProbeReport& report, const LoadOptions& options) {
    if ((detail::process_phase.load(std::memory_order_relaxed) & detail::forked) != 0) {
        report.forked = true;
        report.reason = Reason::not_ready;
        report.explanation =
            "this process was forked from one that had initialised the driver, which does not survive a fork; fork before the first "
            "use of a GPU, or start the child with exec";
        return;
    }
    const detail::HostFacts facts = detail::gather_host_facts();
    report.kernel_driver = facts.kernel_driver_version;
    report.evidence = facts.evidence();

    const Result<std::shared_ptr<const Driver>> driver = Driver::try_open(options, &report.library);
    if (!driver) {
        report.reason = report.library.reason;
        report.explanation = report.library.explanation();
        return;
    }
    report.driver = driver.value();
    probe_devices(report, report.driver, report.library.simulated ? detail::simulated_host_facts(facts) : facts);
}

}  // namespace

std::size_t ProbeReport::usable_device_count() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(devices.begin(), devices.end(), [](const ProbedDevice& device) { return device.usable(); }));
}

Error ProbeReport::error(SourceLocation where) const {
    ErrorDetails details;
    details.category = forked ? ErrorCategory::forked : detail::category_of_reason(reason);
    details.reason = reason;
    details.message = explanation;
    return Error(std::move(details), where);
}

ProbeReport probe(const LoadOptions& options) noexcept {
    ProbeReport report;
    try {
        probe_into(report, options);
        if (detail::logs(LogLevel::info)) {
            detail::log(LogLevel::info, "probe: " + std::to_string(report.usable_device_count()) + " usable devices, reason " +
                                            std::string(to_string(report.reason)) +
                                            (report.explanation.empty() ? "" : ": " + report.explanation));
        }
    } catch (const Error& error) {
        fail(report, error);
        if (error.reason() == Reason::library_unusable) {  // the library is faulty, which says all about its devices
            report.reason = Reason::library_unusable;
            report.failed = false;
        }
    } catch (const std::bad_alloc&) {
        fail(report, out_of_memory);
    } catch (const std::exception& error) {
        fail(report, error.what());
    } catch (...) {
        fail(report, "something that is no std::exception was thrown, by a resolver or a log callback of the program's");
    }
    return report;
}

std::ostream& operator<<(std::ostream& out, const ProbeReport& report) {
    out << to_string(report.reason);
    if (!report.explanation.empty()) out << ": " << printable_text(report.explanation);
    for (const ProbedDevice& device : report.devices) {
        out << "\ndevice " << device.ordinal << ": " << printable_text(device.name)
            << (device.usable() ? "" : " (" + printable_text(device.explanation) + ")");
    }
    for (const Evidence& evidence : report.evidence) out << '\n' << evidence.subject << ": " << printable_text(evidence.finding);
    return out;
}

}  // namespace cupool
