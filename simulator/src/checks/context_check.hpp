#pragma once

namespace cupool::simulator {

struct State;
struct Stream;

/// Whether calls that are given a stream must be made with its context current, which a real driver asks of few of them.
void set_context_check(bool checks);

/// A call is given the stream. Is another context than its own current, and that checked, the devices die of it with a report.
void check_stream_context(State& state, const Stream& stream);

}  // namespace cupool::simulator
