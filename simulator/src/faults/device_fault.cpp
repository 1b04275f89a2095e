#include "faults/device_fault.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <new>

#include "device/device.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {
namespace {

std::mutex fault_mutex;
std::atomic<abi::Status> fault{abi::Status::success};
std::array<std::atomic<abi::Status>, max_devices> lost{};
std::atomic<bool> any_lost{false};
std::atomic<bool> finding_unanswered{false};
std::atomic<std::uint64_t> findings{0};
std::atomic<std::uint64_t> unread_findings{0};

/// Maximum number of lines for findings; the last line says that there are more.
constexpr std::uint64_t max_reported = 100;

// Never destroyed, since calls may arrive as long as the process lives; not on the heap, since a fault is raised without memory too.
std::string& fault_report() noexcept {
    alignas(std::string) static std::array<std::byte, sizeof(std::string)> memory;
    static auto* const instance = new (memory.data()) std::string;
    return *instance;
}

std::string& finding_report() noexcept {
    alignas(std::string) static std::array<std::byte, sizeof(std::string)> memory;
    static auto* const instance = new (memory.data()) std::string;
    return *instance;
}

std::string joined(Report report) {
    std::string text;
    for (const std::string_view piece : report) {
        text += piece;
    }
    return text;
}

void write_report(Report report) noexcept {
    try {
        const std::string text = joined(report);
        fault_report() = text.empty() ? text : text + seed_suffix();
    } catch (const std::bad_alloc&) {
        fault_report().clear();
    }
}

}  // namespace

abi::Status device_fault() { return fault.load(); }

abi::Status device_fault(int device) {
    const abi::Status of_all = fault;
    return of_all != abi::Status::success ? of_all : lost[static_cast<std::size_t>(device)].load();
}

void lose_device(int device, abi::Status fault_of_device) {
    lost[static_cast<std::size_t>(device)] = fault_of_device;
    any_lost = true;
}

bool is_any_device_lost() { return any_lost; }

void raise_device_fault(abi::Status raised, Report report) noexcept {
    const std::lock_guard lock(fault_mutex);
    if (fault == abi::Status::success) {
        write_report(report);
        fault = raised;
    }
}

void raise_device_fault_of(int device, abi::Status raised, Report report) noexcept {
    if (device_fault(device) == abi::Status::success) {
        raise_device_fault(raised, report);
    }
}

void report_finding(int device, Report report) noexcept {
    const std::lock_guard lock(fault_mutex);
    // After a device is lost, the order in which the process frees the rest is meaningless.
    if (any_lost || device_fault(device) != abi::Status::success) {
        return;
    }
    finding_unanswered = true;
    const std::uint64_t count = ++findings;
    ++unread_findings;
    try {
        if (count < max_reported) {
            const std::string line = joined(report) + seed_suffix();
            std::fprintf(stderr, "libcupool-sim.so: finding: %s\n", line.c_str());
            finding_report() += (count == 1 ? "" : "\n") + line;
        } else if (count == max_reported) {
            finding_report() += "\nfurther findings are counted alone";
        }
    } catch (const std::bad_alloc&) {  // it is counted all the same
    }
}

abi::Status take_finding() { return finding_unanswered.exchange(false) ? abi::Status::launch_failed : abi::Status::success; }

std::uint64_t finding_count() {
    unread_findings = 0;
    return findings;
}

std::uint64_t unread_finding_count() { return unread_findings; }

std::string device_fault_report() {
    const std::lock_guard lock(fault_mutex);
    unread_findings = 0;
    std::string report = finding_report();
    if (!report.empty() && !fault_report().empty()) {
        report += '\n';
    }
    return report + fault_report();  // a finding may be the cause of the device's fault
}

void clear_device_fault() {
    const std::lock_guard lock(fault_mutex);
    fault_report().clear();
    finding_report().clear();
    finding_unanswered = false;
    findings = 0;
    unread_findings = 0;
    fault = abi::Status::success;
    for (auto& device : lost) {
        device = abi::Status::success;
    }
    any_lost = false;
}

}  // namespace cupool::simulator
