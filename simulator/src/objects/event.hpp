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
    /// Where it was last recorded in a captured stream: there is nothing to wait for, but by streams of that capture.
    std::shared_ptr<Capture> capture;
    GraphNodes captured;
};

/// Marks the operation.
void record(Event& event, OperationPointer operation);

/// Fails with invalid_handle, or context_is_destroyed when the event died along with its context.
std::shared_ptr<Event> event_of(State& state, abi::Event handle);

}  // namespace cupool::simulator
