#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"

namespace cupool::simulator {

struct Stream;

/// Work given to some streams that does not run, but becomes a graph.
struct Capture {
    /// Where it began and must end.
    Stream* origin;
    abi::CaptureMode mode;
    std::thread::id thread;
    std::uint64_t id;
    std::shared_ptr<Graph> graph;
    /// After a call that a capture forbids, it can only be ended.
    bool invalidated = false;
    /// When its graph was handed out, or it was lost.
    bool ended = false;
};

/// Ends the capture's usefulness, and fails.
[[noreturn]] void invalidate(Capture& capture, abi::Status result);

/// Fails with stream_capture_invalidated.
void require_valid(const Capture& capture);

/// For calls that a captured stream forbids: invalidates its capture, and fails with stream_capture_unsupported.
void require_not_captured(const Stream& stream);

/// The same, for a call that reaches for all streams of a context.
void require_no_capture_in(State& state, const Context& context);

/// For calls on the null stream, which waits for all blocking streams: none may be captured, or the call fails with
/// stream_capture_implicit.
void require_no_implicit_capture(State& state, const Stream& legacy);

/// For calls that may wait for the device behind the program's back: fails with stream_capture_unsupported while this thread, or by a
/// global capture another one, captures.
void require_unsafe_calls_allowed(State& state);

/// Adds a node to the stream's capture, behind what is captured there.
void capture(State& state, Stream& stream, NodeAction action);

/// The captured stream's work also comes after `nodes` of `capture`, which it joins if it is not captured yet.
void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture, const GraphNodes& nodes);

/// The stream goes: a capture that began in it ends, and nobody gets its graph.
void abandon_capture(State& state, Stream& stream);

}  // namespace cupool::simulator
