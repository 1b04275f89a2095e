#pragma once

#include <memory>

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

struct Capture;
struct Context;
struct State;

struct Event {
    using Handle = abi::Event;
    static constexpr unsigned char handle_tag = 3;

    Handle handle = nullptr;
    Context* context = nullptr;
    bool timed = true;
    /// Null until it is recorded.
    OperationPointer recorded;
    /// Set if the event was last recorded in a captured stream: then only streams of that capture can wait for it.
    std::shared_ptr<Capture> capture;
    GraphNodes captured;
};

/// Records the event at the operation.
void record(Event& event, OperationPointer operation);

/// Fails with invalid_handle, or with context_is_destroyed if the event was destroyed along with its context.
std::shared_ptr<Event> event_of(State& state, abi::Event handle);

}  // namespace cupool::simulator
