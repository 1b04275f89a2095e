#pragma once

#include <cstdint>
#include <cupool/driver/context.hpp>
#include <cupool/driver/device_span.hpp>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>

namespace cupool {

class Event;

namespace detail {

/// The shared state of a Stream and of everything that keeps it alive.
class StreamState : public ReferenceCounted {
public:
    /// Owns no stream yet: it is constructed first, so that no stream leaks if there is no memory
    /// for its owner.
    StreamState(ContextView context, const SourceLocation& where) : context_(context.share(where)) {}
    ~StreamState() override {
        if (handle_ != nullptr) destroy_in<&EntryPoints::stream_destroy>(context_.get(), handle_);
    }
    StreamState(const StreamState&) = delete;
    StreamState& operator=(const StreamState&) = delete;

    ContextView context() const noexcept { return context_.get(); }
    abi::Stream handle() const noexcept { return handle_; }
    void own(abi::Stream handle) noexcept { handle_ = handle; }

private:
    Shared<const ContextState> context_;
    abi::Stream handle_ = nullptr;
};

}  // namespace detail

/// A non-owning view of a stream, whose work runs in order. Trivially copyable. It must not outlive
/// the owner, but buffers allocated on the stream keep it alive.
class StreamView {
public:
    StreamView() = default;
    /// Views a stream of this context that the program has created elsewhere and keeps alive; null
    /// is the default stream of the context.
    explicit StreamView(ContextView context, abi::Stream handle = nullptr) noexcept : context_(context), handle_(handle) {}
    explicit StreamView(const detail::StreamState& state) noexcept : context_(state.context()), handle_(state.handle()), state_(&state) {}

    /// The legacy default stream of the context, independent of how the program is compiled: it and
    /// all blocking streams of the context wait for each other.
    static StreamView legacy(ContextView context) noexcept { return StreamView(context, reinterpret_cast<abi::Stream>(legacy_handle)); }
    /// The per-thread default stream of whichever thread uses the view; it does not wait for those
    /// of other threads.
    static StreamView per_thread(ContextView context) noexcept {
        return StreamView(context, reinterpret_cast<abi::Stream>(per_thread_handle));
    }

    /// The context to which it belongs.
    ContextView context() const noexcept { return context_; }
    /// The ordinal of the device; -1 if there is no stream.
    int ordinal() const noexcept { return context_.ordinal(); }
    /// The handle of the driver.
    abi::Stream handle() const noexcept { return handle_; }

    /// The priority; lower numbers go first.
    int priority(SourceLocation where = SourceLocation::current()) const;
    /// Whether the stream and the default stream of the context wait for each other.
    abi::StreamFlags flags(SourceLocation where = SourceLocation::current()) const;
    /// A number that is unique among all streams of the process. \throws Error unsupported before
    /// CUDA 12.0
    std::uint64_t id(SourceLocation where = SourceLocation::current()) const;
    /// The context of the stream according to the driver. \throws Error unsupported before CUDA 9.2
    abi::Context context_by_driver(SourceLocation where = SourceLocation::current()) const;
    /// Whether work queued on the stream is captured into a graph (StreamCapture) instead of being
    /// run.
    abi::CaptureStatus capture_status(SourceLocation where = SourceLocation::current()) const;

    /// Waits until all work queued on the stream so far is done. \throws Error the failure of that
    /// work, such as device_fault
    void synchronize(SourceLocation where = SourceLocation::current()) const;
    /// Whether all work queued on the stream so far is done. \throws Error the failure of that work
    bool query(SourceLocation where = SourceLocation::current()) const;
    /// Makes later work of the stream wait for the event, of any device; the calling thread does
    /// not wait.
    void wait(const Event& event, SourceLocation where = SourceLocation::current()) const;
    /// Adds a node that waits for the event to the graph of the capture. The stream of the event
    /// does not join the capture.
    /// \throws Error invalid_argument if the stream is not captured
    void wait_external(const Event& event, SourceLocation where = SourceLocation::current()) const;
    /// Makes later work of the stream wait until one value in memory that its device can access
    /// satisfies the condition: greater_or_equal (by the sign of the difference), equal, any_bit
    /// (of `value` is set), not_all_bits (set, in it or in `value`). A kernel, the host through
    /// pinned memory or another stream writes the value; if nobody does, the stream waits for ever.
    /// \throws Error unsupported before CUDA 11.7, invalid_argument if the span does not have
    /// exactly one element
    void wait_value(DeviceSpan<const std::uint32_t> word, std::uint32_t value,
                    abi::WaitCondition condition = abi::WaitCondition::greater_or_equal,
                    SourceLocation where = SourceLocation::current()) const;
    /// The same for 64 bits.
    void wait_value(DeviceSpan<const std::uint64_t> word, std::uint64_t value,
                    abi::WaitCondition condition = abi::WaitCondition::greater_or_equal,
                    SourceLocation where = SourceLocation::current()) const;
    /// Writes one value after all earlier work is done and visible. \throws what wait_value()
    /// throws
    void write_value(DeviceSpan<std::uint32_t> word, std::uint32_t value, SourceLocation where = SourceLocation::current()) const;
    /// The same for 64 bits.
    void write_value(DeviceSpan<std::uint64_t> word, std::uint64_t value, SourceLocation where = SourceLocation::current()) const;
    /// Runs a function on a thread of the driver after all earlier work is done; later work waits
    /// for it. The function must not call the driver; its exceptions are logged and dropped. After
    /// a device fault it may never run. If the stream is captured, the graph owns the function and
    /// each launch of the graph calls it (Graph::add_host_function).
    void launch_host_function(std::function<void()> function, SourceLocation where = SourceLocation::current()) const;

    friend bool operator==(StreamView left, StreamView right) noexcept {
        return left.handle_ == right.handle_ && left.context_ == right.context_;
    }

    /// Shared ownership of a stream that cupool owns; null for default streams and those created
    /// elsewhere.
    detail::Shared<const detail::StreamState> share() const { return detail::Shared<const detail::StreamState>(state_); }

    /// The object that keeps the stream alive: its own state if cupool owns it, else its context.
    /// Null if there is neither.
    const detail::ReferenceCounted* kept() const noexcept { return state_ != nullptr ? state_ : context_.kept(); }

private:
    // CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
    static constexpr std::uintptr_t legacy_handle = 1;
    static constexpr std::uintptr_t per_thread_handle = 2;

    void capture_host_function(std::function<void()> function, const SourceLocation& where) const;

    ContextView context_;
    abi::Stream handle_ = nullptr;
    const detail::StreamState* state_ = nullptr;
};

namespace detail {

/// Keeps a stream alive or, if cupool does not own it, its context. Move-only.
class KeptStream {
public:
    KeptStream() = default;
    explicit KeptStream(StreamView stream) noexcept : stream_(stream) {
        if (const ReferenceCounted* const kept = stream_.kept()) kept->acquire();
    }
    ~KeptStream() {
        if (const ReferenceCounted* const kept = stream_.kept()) kept->release();
    }
    KeptStream(KeptStream&& other) noexcept : stream_(std::exchange(other.stream_, {})) {}
    KeptStream& operator=(KeptStream other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }

    StreamView view() const noexcept { return stream_; }

private:
    StreamView stream_;
};

}  // namespace detail

std::string to_string(StreamView stream);
std::ostream& operator<<(std::ostream& out, StreamView stream);

/// How the device schedules a Stream.
struct StreamOptions {
    /// Lower numbers go first; 0 is the default and the lowest priority that every device has.
    int priority = 0;
    /// Whether the stream and the default stream of the context wait for each other.
    abi::StreamFlags flags = abi::StreamFlags::non_blocking;
};

/// Owns a stream. Move-only. The stream is destroyed after the Stream and every buffer allocated on
/// it are gone; work already queued is finished. Functions that get a moved-from Stream throw
/// wrong_context.
class Stream {
public:
    explicit Stream(ContextView context, StreamOptions options = {}, SourceLocation where = SourceLocation::current());

    Stream(Stream&&) noexcept = default;
    Stream& operator=(Stream&&) noexcept = default;

    /// A non-owning view.
    StreamView view() const noexcept { return state_ ? StreamView(*state_) : StreamView(); }
    operator StreamView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

    /// The context to which it belongs.
    ContextView context() const noexcept { return view().context(); }
    /// The ordinal of its device.
    int ordinal() const noexcept { return context().ordinal(); }
    /// The handle of the driver.
    abi::Stream handle() const noexcept { return view().handle(); }

    /// See StreamView::synchronize(), also for the following.
    void synchronize(SourceLocation where = SourceLocation::current()) const { view().synchronize(where); }
    /// Whether all queued work is done.
    bool query(SourceLocation where = SourceLocation::current()) const { return view().query(where); }
    /// Makes later work wait for the event.
    void wait(const Event& event, SourceLocation where = SourceLocation::current()) const { view().wait(event, where); }
    /// Runs a function after all earlier work is done.
    void launch_host_function(std::function<void()> function, SourceLocation where = SourceLocation::current()) const {
        view().launch_host_function(std::move(function), where);
    }

private:
    detail::Shared<const detail::StreamState> state_;
};

}  // namespace cupool
