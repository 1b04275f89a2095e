#include "device/machine.hpp"

#include <cstdio>
#include <new>
#include <string>
#include <utility>

#include "api/call_record.hpp"
#include "api/driver_state.hpp"
#include "api/environment.hpp"
#include "api/failure.hpp"
#include "checks/context_check.hpp"
#include "checks/launch_checks.hpp"
#include "checks/ordering.hpp"
#include "checks/suppressions.hpp"
#include "faults/device_fault.hpp"
#include "faults/fault_plan.hpp"
#include "memory/address_space.hpp"
#include "objects/jit.hpp"

namespace cupool::simulator {
namespace {

std::mutex& state_mutex() {
    static auto* const instance = new std::mutex;
    return *instance;
}

// Never destroyed: operations may outlive main().
State& the_state() {
    static auto* const instance = new State;
    return *instance;
}

// The error in the environment; empty if there is none.
std::string& complaint() {
    static auto* const instance = new std::string;
    return *instance;
}

Environment understood_environment() {
    complaint().clear();
    try {
        return read_environment();
    } catch (const MalformedEnvironment& error) {
        complaint() = error.what();
        return {};
    }
}

void configure(State& state) {
    Environment environment = understood_environment();
    const auto count = static_cast<std::size_t>(environment.device_count);
    install_cards(state, std::vector<CupoolSimDevice>(count, default_device_kind()));
    set_driver_version(environment.driver_version);
    set_machine_seed(environment.seed);
    set_contraction(environment.contraction);
    set_checks(environment.checks);
    set_kernel_budget(environment.budget);
    suppressions().clear();
    for (const auto& [kernel, line] : environment.suppressions) {
        suppressions().add(kernel, line);
    }
    set_ordering_check(environment.checks_ordering);
    set_context_check(environment.checks_context);
    set_fault_plan(std::move(environment.faults));
}

bool had_no_memory_to_load = false;

// No caller could catch an exception from here, so cuInit() reports the error.
[[gnu::constructor]] void configure_when_loaded() noexcept {
    try {
        const Locked state;
        configure(*state);
    } catch (const std::bad_alloc&) {
        had_no_memory_to_load = true;
    }
}

// Whether the program made the allocation by a call. Mapped memory is counted with the physical memory behind it.
bool is_allocated(const Allocation& allocation) {
    return allocation.kind == Allocation::Kind::plain || allocation.kind == Allocation::Kind::pooled ||
           allocation.kind == Allocation::Kind::managed;
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

void install_cards(State& state, const std::vector<CupoolSimDevice>& kinds) {
    state.devices.clear();
    state.cards.clear();
    for (const CupoolSimDevice& kind : kinds) {
        state.cards.push_back(std::make_shared<Device>(static_cast<int>(state.cards.size()), kind));
    }
}

void set_machine_seed(std::uint64_t seed) {
    set_seed(seed);
    if (seed != 0) {
        restart_addresses();
    }
}

void require_understood_environment() {
    require(!had_no_memory_to_load, abi::Status::out_of_memory);
    if (!complaint().empty()) {
        std::fprintf(stderr, "libcupool-sim.so: %s\n", complaint().c_str());
        fail(abi::Status::unknown);
    }
}

void withhold_memory(State& state, const PlannedFault& fault) {
    for (const auto& device : state.devices) {
        if (fault.memory_left && (fault.device == any_device || fault.device == device->ordinal)) {
            withhold_memory_beyond(*device, *fault.memory_left);
        }
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
    state.modules.for_each([&](const Module& module) { counts.modules += module.is_of_library ? 0 : 1; });
    counts.libraries = state.libraries.size();
    counts.link_states = state.link_states.size();
    counts.graphs = state.graphs.size();
    counts.graph_execs = state.graph_execs.size();
    for (const auto& allocation : all_allocations()) {
        if (is_host_memory(*allocation)) {
            ++counts.host_allocations;
            counts.host_bytes += allocation->bytes;
        } else if (is_allocated(*allocation) && !allocation->free_called) {
            ++counts.device_allocations;
            counts.device_bytes += allocation->bytes;
        }
    }
    for (const auto& [_, memory] : state.physical_memories) {
        ++counts.device_allocations;
        counts.device_bytes += memory->bytes;
    }
    counts.address_reservations = reservation_count();
    counts.unread_findings = unread_finding_count();
    return counts;
}

CupoolSimLiveCounts reset_machine() {
    scheduler().wait_for(pending_everywhere());
    HandleTable<Graph> graphs;  // destroyed after the lock is released, since user objects call the program
    HandleTable<GraphExec> graph_execs;
    HandleTable<UserObject> user_objects;
    const Locked state;
    const CupoolSimLiveCounts left = live_counts(*state);
    for (const auto& allocation : all_allocations()) {
        unmap(*allocation);
    }
    std::swap(graphs, state->graphs);
    std::swap(graph_execs, state->graph_execs);
    std::swap(user_objects, state->user_objects);
    state->graph_nodes.clear();
    state->library_kernels.clear();
    state->libraries.clear();
    state->link_states.clear();
    state->physical_memories.clear();
    free_reservations();
    state->functions.clear();
    state->modules.clear();
    state->events.clear();
    state->streams.clear();
    state->pools.clear();
    state->contexts.clear();
    ++state->generation;
    state->streams_made = 0;
    set_initialised(false);
    clear_device_fault();
    clear_call_counts();
    set_trace(nullptr, nullptr);
    configure(*state);
    had_no_memory_to_load = false;
    return left;
}

}  // namespace cupool::simulator
