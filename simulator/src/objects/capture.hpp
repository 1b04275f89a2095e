#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"

namespace cupool::simulator {

struct Stream;

/// A stream capture: work enqueued on its streams becomes nodes of a graph instead of running.
struct Capture {
    /// The stream in which the capture began and must end.
    Stream* origin;
    abi::CaptureMode mode;
    std::thread::id thread;
    std::uint64_t id;
    std::shared_ptr<Graph> graph;
    /// Set by a call that a capture forbids; an invalidated capture can only be ended.
    bool invalidated = false;
    /// Set when the graph has been returned or discarded.
    bool ended = false;
};

/// Invalidates the capture and fails with `result`.
[[noreturn]] void invalidate(Capture& capture, abi::Status result);

/// Fails with stream_capture_invalidated.
void require_valid(const Capture& capture);

/// For calls that a captured stream does not support: invalidates its capture and fails with stream_capture_unsupported.
void require_not_captured(const Stream& stream);

/// The same for calls that involve all streams of a context.
void require_no_capture_in(State& state, const Context& context);

/// For calls on the null stream, which waits for all blocking streams: fails with stream_capture_implicit if one of them is captured.
void require_no_implicit_capture(State& state, const Stream& legacy);

/// For potentially unsafe API calls (those that may synchronise implicitly): fails with stream_capture_unsupported while this thread
/// captures, or another thread captures in global mode.
void require_unsafe_calls_allowed(State& state);

/// Adds a node to the stream's capture, after the stream's previous nodes.
void capture(State& state, Stream& stream, NodeAction action);

/// Orders the stream's next work after `nodes` of `capture`. The stream joins the capture if it is not captured yet.
void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture, const GraphNodes& nodes);

/// Called when the stream is destroyed: a capture that began in it ends and its graph is discarded.
void abandon_capture(State& state, Stream& stream);

}  // namespace cupool::simulator
