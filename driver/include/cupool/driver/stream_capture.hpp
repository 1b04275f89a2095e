#pragma once

#include <cupool/driver/graph.hpp>
#include <cupool/driver/stream.hpp>
#include <memory>

namespace cupool {

/// While it lives, work queued on a stream does not run but becomes a graph; so does work of
/// streams that wait for events recorded in it, which must be joined again before the end. Those
/// streams may belong to other devices, on which their work then runs in each launch. The
/// destructor, as after an exception, ends the capture and drops the graph.
///
///     StreamCapture capture(stream);
///     copy_async(device_values, host_values, stream);
///     kernel.launch(shape, stream, device_values);
///     const GraphExec exec = capture.end().instantiate();
///     exec.launch(stream);
///
/// Work that cannot be captured fails and invalidates the capture: waiting for the stream or its
/// context, the default stream of the context, events recorded outside. Create buffers before the
/// capture and free them after it; they must live as long as the graph may run. Memory allocation
/// by the graph itself is not wrapped. A capture ends on the thread that began it, unless the mode
/// is relaxed.
class StreamCapture {
public:
    /// \param mode  which threads may make no unsafe calls during the capture, such as those that
    /// wait for the device: all (global), this one, or none (relaxed)
    /// \throws Error invalid_argument if the stream is already captured, unsupported if it is the
    /// default stream
    explicit StreamCapture(StreamView stream, abi::CaptureMode mode = abi::CaptureMode::this_thread,
                           SourceLocation where = SourceLocation::current());
    ~StreamCapture();
    StreamCapture(const StreamCapture&) = delete;
    StreamCapture& operator=(const StreamCapture&) = delete;

    /// Ends the capture and returns the graph. The stream then works as before, even if this
    /// throws.
    /// \throws Error invalid_argument if the capture is invalid, or other streams are not joined
    Graph end(SourceLocation where = SourceLocation::current());

private:
    StreamView stream_;
    detail::Shared<const detail::ContextState> context_;
    detail::Shared<const detail::StreamState> stream_state_;
    bool active_ = true;
};

/// Sets the capture mode of this thread for a scope, which decides whether it may make unsafe calls
/// during captures; relaxed allows them. The destructor restores the previous mode.
class ThreadCaptureMode {
public:
    /// \throws Error any failure of the driver call
    ThreadCaptureMode(const Driver& driver, abi::CaptureMode mode, const SourceLocation& where = SourceLocation::current());
    ~ThreadCaptureMode();
    ThreadCaptureMode(const ThreadCaptureMode&) = delete;
    ThreadCaptureMode& operator=(const ThreadCaptureMode&) = delete;

private:
    const Driver& driver_;
    abi::CaptureMode mode_;
};

}  // namespace cupool
