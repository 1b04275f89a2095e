#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include <cupool/simulator/simulator.hpp>

#include "api/call_record.hpp"
#include "api/driver_state.hpp"
#include "checks/context_check.hpp"
#include "checks/kernel_budget.hpp"
#include "checks/launch_checks.hpp"
#include "checks/ordering.hpp"
#include "checks/suppressions.hpp"
#include "device/machine.hpp"
#include "faults/device_fault.hpp"
#include "faults/fault_plan.hpp"
#include "faults/fault_plan_file.hpp"
#include "objects/jit.hpp"
#include "scheduling/seeded_scheduler.hpp"

/// \file
/// The C interface by which tests control the simulated driver.

namespace {

using namespace cupool::simulator;

constexpr int done = 0;
constexpr int refused = -1;

int on_card(int card, const std::function<void(Device&)>& change) {
    const Locked state;
    if (card < 0 || static_cast<std::size_t>(card) >= state->cards.size()) {
        return refused;
    }
    change(*state->cards[static_cast<std::size_t>(card)]);
    return done;
}

// Half of the address range of a device, so that addresses of freed memory are not reused soon.
constexpr std::uint64_t max_memory_bytes = std::uint64_t{512} << 30;

bool is_possible(const CupoolSimDevice& kind) {
    return kind.memory_bytes > 0 && kind.memory_bytes <= max_memory_bytes && kind.compute_capability_major > 0 &&
           kind.compute_capability_minor >= 0 && kind.multiprocessor_count > 0 && kind.clock_khz > 0;
}

// Copies as much as fits, NUL-terminated; returns the untruncated length.
std::size_t copy_text(const std::string& text, char* buffer, std::size_t length) {
    if (length > 0) {
        const std::size_t copied = std::min(text.size(), length - 1);
        std::memcpy(buffer, text.data(), copied);
        buffer[copied] = '\0';
    }
    return text.size();
}

std::uint64_t total(const CupoolSimLiveCounts& counts) {
    return counts.primary_context_retains + counts.contexts + counts.streams + counts.events + counts.memory_pools + counts.modules +
           counts.libraries + counts.link_states + counts.graphs + counts.graph_execs + counts.device_allocations +
           counts.host_allocations + counts.address_reservations + counts.unread_findings;
}

cupool::SimulatedFault simulated_fault(const CupoolSimFault& fault) {
    cupool::SimulatedFault same;
    same.call = fault.call == nullptr ? "" : fault.call;
    same.kernel = fault.kernel == nullptr ? "" : fault.kernel;
    same.device = fault.device;
    same.nth = fault.nth;
    same.result = fault.result;
    same.duration = fault.duration;
    same.times_slower = fault.times_slower;
    same.milliseconds = fault.milliseconds;
    if (fault.memory_left != UINT64_MAX) {
        same.memory_left = fault.memory_left;
    }
    return same;
}

void add_to_plan(const FaultPlan& faults) {
    const Locked state;
    for (const PlannedFault& fault : faults) {
        plan_fault(fault);
        withhold_memory(*state, fault);
    }
}

// Plans faults; writes into `message` what is malformed.
int report_plan(const std::function<void()>& plan, char* message, std::size_t length) {
    try {
        plan();
        copy_text("", message, length);
        return done;
    } catch (const MalformedFault& error) {
        copy_text(error.what(), message, length);
        return refused;
    }
}

}  // namespace

extern "C" {

void cupoolSimDefaultDevice(CupoolSimDevice* device) { *device = default_device_kind(); }

std::uint64_t cupoolSimReset(CupoolSimLiveCounts* left) {
    const CupoolSimLiveCounts counts = reset_machine();
    if (left != nullptr) {
        *left = counts;
    }
    return total(counts);
}

int cupoolSimSetDevices(const CupoolSimDevice* devices, int count) {
    if (count < 0 || count > max_devices || (count > 0 && devices == nullptr) || is_initialised()) {
        return refused;
    }
    const std::vector<CupoolSimDevice> kinds(devices, devices + count);
    if (!std::all_of(kinds.begin(), kinds.end(), is_possible)) {
        return refused;
    }
    const Locked state;
    install_cards(*state, kinds);
    return done;
}

int cupoolSimSetDriverVersion(int version) {
    if (version <= 0) {
        return refused;
    }
    set_driver_version(version);
    return done;
}

int cupoolSimSetSeed(std::uint64_t seed) {
    if (is_initialised()) {
        return refused;
    }
    set_machine_seed(seed);
    return done;
}

int cupoolSimSetContraction(int contracts) {
    if (contracts != 0 && contracts != 1) {
        return refused;
    }
    set_contraction(contracts == 1);
    return done;
}

int cupoolSimSetChecks(unsigned wanted) {
    if ((wanted & ~unsigned{cupool_sim_check_all}) != 0) {
        return refused;
    }
    set_checks({(wanted & cupool_sim_check_initialisation) != 0, (wanted & cupool_sim_check_races) != 0});
    set_ordering_check((wanted & cupool_sim_check_ordering) != 0);
    set_context_check((wanted & cupool_sim_check_context) != 0);
    return done;
}

int cupoolSimSuppress(const char* kernel, int line) {
    if (kernel == nullptr || *kernel == '\0' || line < 0) {
        return refused;
    }
    suppressions().add(kernel, line);
    return done;
}

std::uint64_t cupoolSimSuppressedCount() { return suppressions().count(); }

std::uint64_t cupoolSimFindingCount() { return finding_count(); }

int cupoolSimSetKernelBudget(std::uint64_t warp_instructions, double seconds) {
    if (warp_instructions == 0 || !(seconds > 0)) {
        return refused;
    }
    set_kernel_budget({warp_instructions, seconds});
    return done;
}

std::uint64_t cupoolSimSeed() { return current_seed(); }

std::size_t cupoolSimReplayLog(char* log, std::size_t length) {
    return copy_text(current_seed() == 0 ? "" : seeded_scheduler().log(), log, length);
}

int cupoolSimSetPeerReachable(int device, int peer, int reachable) {
    if (peer < 0 || peer >= max_devices) {
        return refused;
    }
    return on_card(device, [&](Device& changed) {
        changed.reachable_peers = reachable != 0 ? changed.reachable_peers | device_bit(peer) : changed.reachable_peers & ~device_bit(peer);
    });
}

int cupoolSimSetPeerWritesLost(int device, int peer, int lost) {
    if (peer < 0 || peer >= max_devices || peer == device) {
        return refused;
    }
    return on_card(device, [&](Device& changed) {
        changed.lost_writes = lost != 0 ? changed.lost_writes | device_bit(peer) : changed.lost_writes & ~device_bit(peer);
    });
}

int cupoolSimSetDeviceHealth(int device, int result) {
    return on_card(device, [&](Device& changed) { changed.health = static_cast<cupool::abi::Status>(result); });
}

void cupoolSimLiveCount(CupoolSimLiveCounts* counts) {
    const Locked state;
    *counts = live_counts(*state);
}

std::uint64_t cupoolSimCallCount(const char* entry_point) {
    const auto found = find_entry_point(entry_point);
    return found ? calls_of(*found) : 0;
}

std::uint64_t cupoolSimCallCountOfAll() { return calls_of_all(); }

int cupoolSimPlanFault(const char* entry_point, std::uint64_t nth, int result, CupoolSimFaultDuration duration) {
    cupool::SimulatedFault fault;
    fault.call = entry_point;
    fault.nth = nth;
    fault.result = result;
    fault.duration = duration;
    return fault.call.empty() ? refused : report_plan([&] { add_to_plan({parse_fault(fault)}); }, nullptr, 0);
}

int cupoolSimPlan(const CupoolSimFault* fault, char* message, std::size_t length) {
    return report_plan([&] { add_to_plan({parse_fault(simulated_fault(*fault))}); }, message, length);
}

int cupoolSimLoadPlan(const char* path, char* message, std::size_t length) {
    return report_plan(
        [&] {
            const FaultPlanFile file = read_fault_plan(path);
            add_to_plan(file.faults);
            set_driver_version(file.driver_version.value_or(driver_version()));
        },
        message, length);
}

void cupoolSimClearFaults() {
    set_fault_plan({});
    const Locked state;
    for (const auto& device : state->devices) {
        device->withheld_bytes = 0;
    }
}

void cupoolSimRaiseDeviceFault(int result) { raise_device_fault(static_cast<cupool::abi::Status>(result)); }

std::size_t cupoolSimDeviceFaultReport(char* report, std::size_t length) { return copy_text(device_fault_report(), report, length); }

void cupoolSimSetTrace(CupoolSimTrace trace, void* user) { set_trace(trace, user); }

}  // extern "C"
