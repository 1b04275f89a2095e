#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "memory/memory_pool.hpp"
#include "memory/virtual_memory.hpp"
#include "objects/context.hpp"
#include "objects/event.hpp"
#include "objects/graph.hpp"
#include "objects/graph_exec.hpp"
#include "objects/handle_table.hpp"
#include "objects/library.hpp"
#include "objects/link.hpp"
#include "objects/module.hpp"
#include "objects/stream.hpp"
#include "objects/user_object.hpp"

namespace cupool::simulator {

/// The state of the simulated driver, except the address space and the operations in flight.
struct State {
    /// All devices of the machine.
    std::vector<std::shared_ptr<Device>> cards;
    /// The devices that the program sees (CUDA_VISIBLE_DEVICES), once the driver is initialised.
    std::vector<std::shared_ptr<Device>> devices;
    HandleTable<Context> contexts;
    HandleTable<Stream> streams;
    HandleTable<Event> events;
    HandleTable<MemoryPool> pools;
    HandleTable<Module> modules;
    HandleTable<Function> functions;
    HandleTable<Library> libraries;
    HandleTable<LibraryKernel> library_kernels;
    HandleTable<LinkState> link_states;
    HandleTable<Graph> graphs;
    HandleTable<GraphNode> graph_nodes;
    HandleTable<GraphExec> graph_execs;
    HandleTable<UserObject> user_objects;
    /// Physical memory that has a handle or is mapped.
    std::map<abi::MemoryHandle, std::shared_ptr<PhysicalMemory>> physical_memories;
    abi::MemoryHandle physical_memories_made = 0;
    unsigned streams_made = 0;
    /// Number of unique ids issued to contexts, streams and captures.
    std::uint64_t ids_issued = 0;
    /// Incremented by each reset, so that thread-local state from before a reset is recognised as stale.
    std::uint64_t generation = 0;
};

/// Access to the state; holds the driver's lock for its lifetime. Never wait for an operation while holding it: operations take the lock
/// too.
class Locked {
public:
    Locked();
    State* operator->() const { return &state_; }
    State& operator*() const { return state_; }

private:
    State& state_;
    std::unique_lock<std::mutex> lock_;
};

}  // namespace cupool::simulator
