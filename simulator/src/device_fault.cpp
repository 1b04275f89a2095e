#include "device_fault.hpp"

#include <atomic>
#include <mutex>

namespace cupool::simulator {
namespace {

std::mutex fault_mutex;
std::atomic<abi::Result> fault{abi::Result::success};

// Never destroyed: calls may come as long as the process lives.
std::string& fault_report() {
    static auto* const instance = new std::string;
    return *instance;
}

}  // namespace

abi::Result device_fault() { return fault.load(); }

void raise_device_fault(abi::Result raised, const std::string& report) {
    const std::lock_guard lock(fault_mutex);
    if (fault == abi::Result::success) {
        fault_report() = report;
        fault = raised;
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
}

}  // namespace cupool::simulator
