#pragma once

#include <cupool/driver/detail/owned_handle.hpp>
#include <cupool/driver/stream.hpp>
#include <memory>

namespace cupool {

/// Options of an Event.
struct EventOptions {
    /// Whether elapsed_milliseconds() can use it; without timing, recording and waiting are
    /// cheaper.
    bool timing = false;
    /// Whether a thread in synchronize() sleeps instead of spinning.
    bool blocking_sync = false;
    /// Whether other processes can open it (see ipc.hpp); excludes timing.
    bool interprocess = false;
};

/// Marks a point in the work of a stream. Move-only. Keeps its context alive. Thread-safe.
class Event {
public:
    explicit Event(ContextView context, EventOptions options = {}, SourceLocation where = SourceLocation::current());

    /// Opens an event of another process: see ipc.hpp.
    static Event open(ContextView context, const abi::IpcEventHandle& handle, SourceLocation where = SourceLocation::current());

    /// The context to which it belongs.
    ContextView context() const noexcept { return handle_.context(); }
    /// The handle of the driver.
    abi::Event handle() const noexcept { return handle_.get(); }

    /// Marks the work queued on the stream so far and replaces an earlier mark.
    /// \throws Error wrong_context if the stream belongs to another context
    void record(StreamView stream, SourceLocation where = SourceLocation::current()) {
        if (stream.context() != context()) [[unlikely]]
            detail::throw_wrong_device("the event", context(), "a stream", stream.context(), detail::copy_of(where));
        detail::call_in<&EntryPoints::event_record>(context(), where, handle(), stream.handle());
    }
    /// Adds a node to the graph of a capture that marks the preceding work in each launch.
    /// \throws Error invalid_argument if the stream is not captured, unsupported before CUDA 11.1
    void record_external(StreamView stream, SourceLocation where = SourceLocation::current());
    /// Whether the marked work is done; true if nothing was marked. \throws Error the failure of
    /// that work
    bool query(SourceLocation where = SourceLocation::current()) const;
    /// Waits until the marked work is done. \throws Error the failure of that work
    void synchronize(SourceLocation where = SourceLocation::current()) const;

private:
    Event(detail::Shared<const detail::ContextState> context, abi::Event handle) noexcept : handle_(std::move(context), handle) {}

    detail::OwnedHandle<abi::Event, &EntryPoints::event_destroy> handle_;
};

/// The milliseconds between two events of one device, both with timing and both done. The
/// resolution is about half a microsecond.
/// \throws Error not_ready if one is not done, invalid_argument if one has no timing or was never
/// recorded
float elapsed_milliseconds(const Event& start, const Event& end, SourceLocation where = SourceLocation::current());

}  // namespace cupool
