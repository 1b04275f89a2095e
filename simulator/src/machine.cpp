#include "machine.hpp"

#include <algorithm>

#include "address_space.hpp"
#include "call_record.hpp"
#include "device_fault.hpp"
#include "driver_state.hpp"
#include "environment.hpp"
#include "fault_plan.hpp"
#include "kernel_registry.hpp"

namespace cupool::simulator {
namespace {

std::mutex& state_mutex() {
    static auto* const instance = new std::mutex;
    return *instance;
}

std::vector<CupoolSimDevice> devices_of_environment() {
    const int count = std::clamp(environment_number("CUPOOL_SIM_DEVICES", 1), 0, most_devices);
    return std::vector<CupoolSimDevice>(static_cast<std::size_t>(count), default_device_kind());
}

// Never destroyed: operations may outlive main().
State& the_state() {
    static State* const instance = [] {
        auto* const state = new State;
        install_devices(*state, devices_of_environment());
        return state;
    }();
    return *instance;
}

Operations pending_everywhere() {
    const Locked state;
    Operations pending;
    for (const auto& device : state->devices) {
        const Operations here = pending_on(*state, *device);
        pending.insert(pending.end(), here.begin(), here.end());
    }
    return pending;
}

}  // namespace

Locked::Locked() : state_(the_state()), lock_(state_mutex()) {}

void install_devices(State& state, const std::vector<CupoolSimDevice>& kinds) {
    state.devices.clear();
    for (const CupoolSimDevice& kind : kinds) {
        state.devices.push_back(std::make_shared<Device>(static_cast<int>(state.devices.size()), kind));
    }
}

CupoolSimLiveCounts live_counts(const State& state) {
    CupoolSimLiveCounts counts{};
    for (const auto& device : state.devices) {
        counts.primary_context_retains += device->primary_retains;
    }
    state.contexts.for_each(
        [&](const Context& context) { counts.contexts += context.alive && context.device.primary_context != context.handle ? 1 : 0; });
    counts.streams = state.streams.size();
    counts.events = state.events.size();
    state.pools.for_each([&](const MemoryPool& pool) { counts.memory_pools += pool.is_default ? 0 : 1; });
    counts.modules = state.modules.size();
    for (const auto& allocation : all_allocations()) {
        if (allocation->kind == Allocation::Kind::pinned_host) {
            ++counts.host_allocations;
            counts.host_bytes += allocation->bytes;
        } else if (allocation->kind != Allocation::Kind::module_variable && !allocation->free_called) {
            ++counts.device_allocations;
            counts.device_bytes += allocation->bytes;
        }
    }
    return counts;
}

CupoolSimLiveCounts reset_machine() {
    wait_for(pending_everywhere());
    const Locked state;
    const CupoolSimLiveCounts left = live_counts(*state);
    for (const auto& allocation : all_allocations()) {
        unmap(*allocation);
    }
    state->functions.clear();
    state->modules.clear();
    state->events.clear();
    state->streams.clear();
    state->pools.clear();
    state->contexts.clear();
    ++state->life;
    install_devices(*state, devices_of_environment());
    set_initialised(false);
    set_driver_version(environment_number("CUPOOL_SIM_DRIVER_VERSION", 13000));
    clear_device_fault();
    reset_fault_plan();
    clear_call_counts();
    clear_registered_kernels();
    set_trace(nullptr, nullptr);
    return left;
}

}  // namespace cupool::simulator
