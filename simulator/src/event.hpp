#pragma once

#include <memory>

#include <cupool/driver/abi.hpp>

#include "scheduler.hpp"

namespace cupool::simulator {

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
};

/// Fails with invalid_handle, or context_is_destroyed when the event died along with its context.
std::shared_ptr<Event> event_of(State& state, abi::Event handle);

}  // namespace cupool::simulator
