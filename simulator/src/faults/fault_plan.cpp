#include "faults/fault_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "device/device.hpp"
#include "faults/device_fault.hpp"

namespace cupool::simulator {
namespace {

std::mutex plan_mutex;
std::atomic<bool> anything_planned{false};

// Never destroyed: calls may come as long as the process lives.
FaultPlan& the_plan() {
    static auto* const instance = new FaultPlan;
    return *instance;
}

void demand(bool condition, const std::string& complaint) {
    if (!condition) {
        throw MalformedFault(complaint);
    }
}

bool is_slow(const SimulatedFault& fault) { return fault.times_slower != 1 || fault.milliseconds != 0; }

// CUDA_ERROR_UNKNOWN. A plan may use numbers without a name: a newer driver may return them.
constexpr int last_result = 999;

void check_effect(const SimulatedFault& fault) {
    const int effects = (fault.result != 0 ? 1 : 0) + (is_slow(fault) ? 1 : 0) + (fault.memory_left ? 1 : 0);
    demand(effects == 1, "result, memory_left, or times_slower and milliseconds: a fault needs one of them, and no two");
    demand(fault.result >= 0 && fault.result <= last_result, "result: a CUresult, 1 to " + std::to_string(last_result));
    demand(fault.result != 0 || (fault.nth == 1 && fault.duration == cupool_sim_once), "nth, duration: only where there is a result");
    demand(fault.times_slower >= 1 && fault.times_slower <= 1e6, "times_slower: 1 to 1000000");
    demand(fault.milliseconds >= 0 && fault.milliseconds <= 86'400'000, "milliseconds: 0 to 86400000, a day");
}

bool is_for(const PlannedFault& fault, int device) { return fault.device == any_device || fault.device == device; }

bool is_for(const PlannedFault& fault, const Call& call) {
    if (!fault.kernel.empty() || !is_for(fault, call.device)) {
        return false;
    }
    return fault.call ? *fault.call == call.entry_point : fault.device == any_device || call.reaches_device;
}

// Counts a matching call; returns whether the fault is due.
bool is_due(PlannedFault& fault) { return fault.calls_until <= 1 || --fault.calls_until == 0; }

// The first due fault for which `concern` is true; all matching faults count the event.
template <class Predicate>
std::optional<DueFault> take_due(Predicate concern) {
    const std::lock_guard lock(plan_mutex);
    std::optional<DueFault> due;
    std::erase_if(the_plan(), [&](PlannedFault& fault) {
        if (fault.result == abi::Status::success || !concern(fault) || !is_due(fault)) {
            return false;
        }
        fault.calls_until = 0;
        if (!due) {
            due = DueFault{fault.result, fault.duration};
        }
        return fault.duration != cupool_sim_always;
    });
    return due;
}

template <class Predicate>
Slowdown slowdown_of(Predicate concern) {
    Slowdown sum;
    if (is_anything_planned()) {
        const std::lock_guard lock(plan_mutex);
        for (const PlannedFault& fault : the_plan()) {
            if (concern(fault)) {
                sum.factor *= fault.slowdown.factor;
                sum.extra += fault.slowdown.extra;
            }
        }
    }
    return sum;
}

}  // namespace

PlannedFault parse_fault(const SimulatedFault& fault) {
    check_effect(fault);
    PlannedFault understood;
    if (!fault.call.empty()) {
        understood.call = find_entry_point(fault.call);
        demand(understood.call.has_value(), "call: there is no entry point \"" + fault.call + "\"");
        demand(fault.kernel.empty(), "call, kernel: only one of them");
        demand(fault.times_slower == 1, "times_slower: not of a call; say milliseconds");
    }
    demand(!fault.memory_left || (fault.call.empty() && fault.kernel.empty()), "memory_left: of a device, not of a call or kernel");
    demand(fault.device >= any_device && fault.device < max_devices, "device: -1 (any) to " + std::to_string(max_devices - 1));
    demand(fault.nth > 0, "nth: counted from 1");
    understood.kernel = fault.kernel;
    understood.device = fault.device;
    understood.calls_until = fault.nth;
    understood.result = static_cast<abi::Status>(fault.result);
    understood.duration = fault.duration;
    understood.slowdown = {fault.times_slower, Time(std::llround(fault.milliseconds * 1e6))};
    understood.memory_left = fault.memory_left;
    return understood;
}

std::optional<CupoolSimFaultDuration> duration_named(const std::string& name) {
    if (name == "once") {
        return cupool_sim_once;
    }
    if (name == "always") {
        return cupool_sim_always;
    }
    if (name == "sticky") {
        return cupool_sim_sticky;
    }
    return name == "lost" ? std::optional(cupool_sim_lost) : std::nullopt;
}

void plan_fault(const PlannedFault& fault) {
    const std::lock_guard lock(plan_mutex);
    the_plan().push_back(fault);
    anything_planned = true;
}

void set_fault_plan(FaultPlan plan) {
    const std::lock_guard lock(plan_mutex);
    anything_planned = !plan.empty();
    the_plan() = std::move(plan);
}

FaultPlan fault_plan() {
    const std::lock_guard lock(plan_mutex);
    return the_plan();
}

bool is_anything_planned() { return anything_planned; }

std::optional<abi::Status> planned_status(const Call& call) {
    const auto due = take_due([&](const PlannedFault& fault) { return is_for(fault, call); });
    if (!due) {
        return std::nullopt;
    }
    apply_lasting_fault(*due, call.device, entry_points()[static_cast<std::size_t>(call.entry_point)].base);
    return due->result;
}

std::optional<DueFault> planned_launch_fault(const std::string& kernel, int device) {
    return take_due([&](const PlannedFault& fault) { return fault.kernel == kernel && !kernel.empty() && is_for(fault, device); });
}

void apply_lasting_fault(const DueFault& fault, int device, std::string_view what) noexcept {
    if (fault.duration == cupool_sim_sticky) {
        raise_device_fault(fault.result, {"a fault was planned for ", what});
    } else if (fault.duration == cupool_sim_lost && device != no_device) {
        lose_device(device, fault.result);
    }
}

Slowdown planned_slowdown(const Work& work) {
    return slowdown_of([&](const PlannedFault& fault) {
        const bool right_kernel = fault.kernel.empty() || (work.kind == Work::Kind::kernel && fault.kernel == work.name);
        return !fault.call && right_kernel && is_for(fault, work.device);
    });
}

Time planned_slowdown(const Call& call) {
    return slowdown_of([&](const PlannedFault& fault) { return fault.call == call.entry_point && is_for(fault, call.device); }).extra;
}

}  // namespace cupool::simulator
