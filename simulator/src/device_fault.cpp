#include "device_fault.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include "device.hpp"
#include "scheduler.hpp"

namespace cupool::simulator {
namespace {

std::mutex fault_mutex;
std::atomic<abi::Result> fault{abi::Result::success};
std::array<std::atomic<abi::Result>, most_devices> lost{};
std::atomic<bool> any_lost{false};

// Never destroyed, as calls may come as long as the process lives, and not on the heap, as a fault is raised without memory, too.
std::string& fault_report() noexcept {
    alignas(std::string) static std::array<std::byte, sizeof(std::string)> memory;
    static auto* const instance = new (memory.data()) std::string;
    return *instance;
}

void write_report(Report report) noexcept {
    try {
        std::string text;
        for (const std::string_view piece : report) {
            text += piece;
        }
        fault_report() = text.empty() ? text : text + seed_suffix();
    } catch (const std::bad_alloc&) {
        fault_report().clear();
    }
}

}  // namespace

abi::Result device_fault() { return fault.load(); }

abi::Result device_fault(int device) {
    const abi::Result of_all = fault;
    return of_all != abi::Result::success ? of_all : lost[static_cast<std::size_t>(device)].load();
}

void lose_device(int device, abi::Result fault_of_device) {
    lost[static_cast<std::size_t>(device)] = fault_of_device;
    any_lost = true;
}

bool is_any_device_lost() { return any_lost; }

void raise_device_fault(abi::Result raised, Report report) noexcept {
    const std::lock_guard lock(fault_mutex);
    if (fault == abi::Result::success) {
        write_report(report);
        fault = raised;
    }
}

void raise_device_fault_of(int device, abi::Result raised, Report report) noexcept {
    if (device_fault(device) == abi::Result::success) {
        raise_device_fault(raised, report);
    }
}

std::string device_fault_report() {
    const std::lock_guard lock(fault_mutex);
    return fault_report();
}

void clear_device_fault() {
    const std::lock_guard lock(fault_mutex);
    fault_report().clear();
    fault = abi::Result::success;
    for (auto& device : lost) {
        device = abi::Result::success;
    }
    any_lost = false;
}

}  // namespace cupool::simulator
