#include "fault_plan.hpp"

#include <mutex>
#include <vector>

#include "device_fault.hpp"

namespace cupool::simulator {
namespace {

struct PlannedFault {
    EntryPoint entry_point;
    std::uint64_t calls_until;
    abi::Result result;
    CupoolSimFaultDuration duration;
};

std::mutex plan_mutex;

// Never destroyed: calls may come as long as the process lives.
std::vector<PlannedFault>& plan() {
    static auto* const instance = new std::vector<PlannedFault>;
    return *instance;
}

}  // namespace

void plan_fault(EntryPoint entry_point, std::uint64_t nth, abi::Result result, CupoolSimFaultDuration duration) {
    const std::lock_guard lock(plan_mutex);
    plan().push_back({entry_point, nth, result, duration});
}

void clear_fault_plan() {
    const std::lock_guard lock(plan_mutex);
    plan().clear();
}

std::optional<abi::Result> planned_fault(EntryPoint entry_point) {
    const std::lock_guard lock(plan_mutex);
    std::optional<abi::Result> due;
    std::erase_if(plan(), [&](PlannedFault& fault) {
        if (fault.entry_point != entry_point || (fault.calls_until > 0 && --fault.calls_until > 0)) {
            return false;
        }
        if (!due) {
            due = fault.result;
        }
        if (fault.duration == cupool_sim_sticky) {
            raise_device_fault(fault.result);
        }
        return fault.duration != cupool_sim_always;
    });
    return due;
}

}  // namespace cupool::simulator
