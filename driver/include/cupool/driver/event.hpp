#pragma once

#include <cupool/driver/stream.hpp>
#include <memory>

namespace cupool {

/// What an Event is for.
struct EventOptions {
    /// Whether elapsed_milliseconds() can use it; without, recording and waiting are cheaper.
    bool timing = false;
    /// Whether a thread in synchronize() sleeps rather than spins.
    bool blocking_sync = false;
    /// Whether other processes can open it: see ipc.hpp. Not with timing.
    bool interprocess = false;
};

/// A mark in a stream's work. Move-only. Keeps its context alive. Its members are safe from any thread.
class Event {
public:
    explicit Event(ContextView context, EventOptions options = {}, SourceLocation where = SourceLocation::current());
    ~Event() { release(); }
    Event(Event&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        if (this != &other) {
            release();
            context_ = std::move(other.context_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }

    /// An event of another process: see ipc.hpp.
    static Event open(ContextView context, const abi::IpcEventHandle& handle, SourceLocation where = SourceLocation::current());

    /// The context that it is in.
    ContextView context() const noexcept { return context_.get(); }
    /// The driver's own handle.
    abi::Event handle() const noexcept { return handle_; }

    /// Marks the work given to the stream so far; a mark made earlier is forgotten.
    /// \throws Error wrong_context where the stream is of another context
    void record(StreamView stream, SourceLocation where = SourceLocation::current()) {
        if (stream.context() != context()) [[unlikely]] {
            detail::throw_wrong_device("the event", context(), "a stream", stream.context(), detail::copy_of(where));
        }
        detail::call_in<&EntryPoints::event_record>(context(), where, handle_, stream.handle());
    }
    /// While the stream is captured: a node of the graph that marks the work before it in each launch.
    /// \throws Error invalid_argument where the stream is not captured, unsupported before CUDA 11.1
    void record_external(StreamView stream, SourceLocation where = SourceLocation::current());
    /// Whether the marked work is done; true where none was marked. \throws Error with what that work met
    bool query(SourceLocation where = SourceLocation::current()) const;
    /// Waits until the marked work is done. \throws Error with what that work met
    void synchronize(SourceLocation where = SourceLocation::current()) const;

private:
    Event(detail::Shared<const detail::ContextState> context, abi::Event handle) noexcept : context_(std::move(context)), handle_(handle) {}

    void release() noexcept {
        if (handle_ != nullptr) {
            detail::destroy_in<&EntryPoints::event_destroy>(context(), handle_);
        }
    }

    detail::Shared<const detail::ContextState> context_;
    abi::Event handle_ = nullptr;
};

/// Milliseconds between two marks of one device, both with timing and both done; resolution about half a microsecond.
/// \throws Error not_ready where one is not done, invalid_argument where one has no timing or was never recorded
float elapsed_milliseconds(const Event& start, const Event& end, SourceLocation where = SourceLocation::current());

}  // namespace cupool
