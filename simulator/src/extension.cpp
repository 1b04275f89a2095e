#include <algorithm>
#include <cstring>

#include <cupool/simulator/simulator.hpp>

#include "call_record.hpp"
#include "device_fault.hpp"
#include "driver_state.hpp"
#include "fault_plan.hpp"
#include "kernel_registry.hpp"
#include "machine.hpp"

/// \file
/// The C interface by which tests steer the simulated driver.

namespace {

using namespace cupool::simulator;

constexpr int done = 0;
constexpr int refused = -1;

int on_device(int ordinal, const std::function<void(Device&)>& change) {
    const Locked state;
    if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= state->devices.size()) {
        return refused;
    }
    change(*state->devices[static_cast<std::size_t>(ordinal)]);
    return done;
}

// Half of the addresses that a device has at most, so that those of freed memory need not come back soon.
constexpr std::uint64_t most_memory_bytes = std::uint64_t{512} << 30;

bool is_possible(const CupoolSimDevice& kind) {
    return kind.memory_bytes > 0 && kind.memory_bytes <= most_memory_bytes && kind.compute_capability_major > 0 &&
           kind.compute_capability_minor >= 0 && kind.multiprocessor_count > 0;
}

std::uint64_t total(const CupoolSimLiveCounts& counts) {
    return counts.primary_context_retains + counts.contexts + counts.streams + counts.events + counts.memory_pools + counts.modules +
           counts.device_allocations + counts.host_allocations;
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
    if (count < 0 || count > most_devices || (count > 0 && devices == nullptr) || is_initialised()) {
        return refused;
    }
    const std::vector<CupoolSimDevice> kinds(devices, devices + count);
    if (!std::all_of(kinds.begin(), kinds.end(), is_possible)) {
        return refused;
    }
    const Locked state;
    install_devices(*state, kinds);
    return done;
}

int cupoolSimSetDriverVersion(int version) {
    if (version <= 0) {
        return refused;
    }
    set_driver_version(version);
    return done;
}

int cupoolSimSetPeerReachable(int device, int peer, int reachable) {
    if (peer < 0 || peer >= most_devices) {
        return refused;
    }
    return on_device(device, [&](Device& changed) {
        changed.reachable_peers = reachable != 0 ? changed.reachable_peers | device_bit(peer) : changed.reachable_peers & ~device_bit(peer);
    });
}

int cupoolSimSetDeviceHealth(int device, int result) {
    return on_device(device, [&](Device& changed) { changed.health = static_cast<cupool::abi::Result>(result); });
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
    const auto found = find_entry_point(entry_point);
    if (!found || nth == 0 || result == 0) {
        return refused;
    }
    plan_fault(*found, nth, static_cast<cupool::abi::Result>(result), duration);
    return done;
}

void cupoolSimClearFaults() { clear_fault_plan(); }

void cupoolSimRaiseDeviceFault(int result) { raise_device_fault(static_cast<cupool::abi::Result>(result)); }

std::size_t cupoolSimDeviceFaultReport(char* report, std::size_t length) {
    const std::string text = device_fault_report();
    if (length > 0) {
        const std::size_t copied = std::min(text.size(), length - 1);
        std::memcpy(report, text.data(), copied);
        report[copied] = '\0';
    }
    return text.size();
}

void cupoolSimSetTrace(CupoolSimTrace trace, void* user) { set_trace(trace, user); }

int cupoolSimRegisterKernel(const char* name, CupoolSimKernel kernel, void* user) {
    if (name == nullptr || *name == '\0') {
        return refused;
    }
    register_kernel(name, {kernel, user});
    return done;
}

}  // extern "C"
