#pragma once

#include <cupool/driver/graph.hpp>
#include <cupool/driver/stream.hpp>
#include <memory>

namespace cupool {

/// While it lives, work given to a stream does not run but becomes a graph; so does work of streams that wait for events recorded in it
/// (and they must be waited for in turn before the end). Those may be streams of other devices, whose
/// work then runs there in each launch. An exception that passes through ends the capture and forgets
/// the graph.
///
///     StreamCapture capture(stream);
///     copy_async(device_values, host_values, stream);
///     kernel.launch(shape, stream, device_values);
///     const GraphExec exec = capture.end().instantiate();
///     exec.launch(stream);
///
/// What cannot be captured fails and spoils the capture: waiting for the stream or its context, the context's default stream, events of
/// outside. Buffers must be made before and freed after, and live as long as the graph may run; memory allocation by the graph itself is
/// not wrapped. Must end on the thread that began it, unless the mode is relaxed.
class StreamCapture {
public:
    /// \param mode  whose calls that may wait for the device are refused meanwhile: those of all threads (global), of this one, or nobody's
    /// \throws Error invalid_argument where the stream is captured already, unsupported where it is the default stream
    explicit StreamCapture(StreamView stream, abi::CaptureMode mode = abi::CaptureMode::this_thread,
                           SourceLocation where = SourceLocation::current());
    ~StreamCapture();
    StreamCapture(const StreamCapture&) = delete;
    StreamCapture& operator=(const StreamCapture&) = delete;

    /// What was captured; the stream then works as before, also where this throws.
    /// \throws Error invalid_argument where something spoiled the capture, or other streams were not joined
    Graph end(SourceLocation where = SourceLocation::current());

private:
    StreamView stream_;
    detail::Shared<const detail::ContextState> context_;
    detail::Shared<const detail::StreamState> stream_state_;
    bool active_ = true;
};

/// While it lives, this thread may make, or may not make, calls that may wait for the device behind a capture's back, whatever modes
/// captures have: relaxed lets it. Restores what was there.
class ThreadCaptureMode {
public:
    /// \throws Error whatever the driver answers
    ThreadCaptureMode(const Driver& driver, abi::CaptureMode mode, const SourceLocation& where = SourceLocation::current());
    ~ThreadCaptureMode();
    ThreadCaptureMode(const ThreadCaptureMode&) = delete;
    ThreadCaptureMode& operator=(const ThreadCaptureMode&) = delete;

private:
    const Driver& driver_;
    abi::CaptureMode mode_;
};

}  // namespace cupool
