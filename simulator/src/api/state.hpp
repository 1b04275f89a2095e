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

/// All that the simulated driver knows, the address space and running operations aside.
struct State {
    /// What the machine has.
    std::vector<std::shared_ptr<Device>> cards;
    /// What the program sees of them, once the driver is initialised.
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
    /// Those that have a handle or are mapped.
    std::map<abi::MemoryHandle, std::shared_ptr<PhysicalMemory>> physical_memories;
    abi::MemoryHandle physical_memories_made = 0;
    unsigned streams_made = 0;
    /// Of contexts, streams and captures, each unlike any other.
    std::uint64_t ids_issued = 0;
    /// Counts resets, so that what threads remember of an earlier life is known to be stale.
    std::uint64_t generation = 0;
};

/// The one way to the state: holds the driver's lock as long as it lives. Never wait for an operation meanwhile:
/// operations take the lock too.
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
