#pragma once

namespace cupool::simulator {

struct State;
struct Stream;

/// Whether every call that takes a stream requires the stream's context to be current. A real driver requires this of few calls.
void set_context_check(bool checks);

/// Called for each call that takes a stream. If the check is on and another context is current, raises a device fault with a report.
void check_stream_context(State& state, const Stream& stream);

}  // namespace cupool::simulator
