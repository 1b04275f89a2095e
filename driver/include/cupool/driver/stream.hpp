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

/// What a Stream and all that must outlive it share.
class StreamState : public ReferenceCounted {
public:
    /// Owns no stream yet: made first, so that none is lost where there is no memory for its owner.
    StreamState(ContextView context, const SourceLocation& where) : context_(context.share(where)) {}
    ~StreamState() override {
        if (handle_ != nullptr) {
            destroy_in<&EntryPoints::stream_destroy>(context_.get(), handle_);
        }
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

/// A stream that someone else owns: work given to it runs in order. Trivially copyable.
/// Must not outlive its owner, but buffers allocated on it keep the stream alive by themselves.
class StreamView {
public:
    StreamView() = default;
    /// A stream made elsewhere, in this context; null is the context's default stream. Its maker keeps it alive.
    explicit StreamView(ContextView context, abi::Stream handle = nullptr) noexcept : context_(context), handle_(handle) {}
    explicit StreamView(const detail::StreamState& state) noexcept : context_(state.context()), handle_(state.handle()), state_(&state) {}

    /// The context's default stream, whatever the program was compiled for: it and all blocking streams of the context wait for each other.
    static StreamView legacy(ContextView context) noexcept { return StreamView(context, reinterpret_cast<abi::Stream>(legacy_handle)); }
    /// A default stream for each thread, which does not wait for those of other threads: the one of the thread that uses the view.
    static StreamView per_thread(ContextView context) noexcept {
        return StreamView(context, reinterpret_cast<abi::Stream>(per_thread_handle));
    }

    /// The context that it is in.
    ContextView context() const noexcept { return context_; }
    /// That of its device; -1 where there is no stream.
    int ordinal() const noexcept { return context_.ordinal(); }
    /// The driver's own handle.
    abi::Stream handle() const noexcept { return handle_; }

    /// Lower numbers go first.
    int priority(SourceLocation where = SourceLocation::current()) const;
    /// Whether it and the context's default stream wait for each other.
    abi::StreamFlags flags(SourceLocation where = SourceLocation::current()) const;
    /// A number that no other stream of the process has had. \throws Error unsupported before CUDA 12.0
    std::uint64_t id(SourceLocation where = SourceLocation::current()) const;
    /// The context that the driver says the stream is of. \throws Error unsupported before CUDA 9.2
    abi::Context context_by_driver(SourceLocation where = SourceLocation::current()) const;
    /// Whether work given to the stream is captured for a graph (StreamCapture) instead of being run.
    abi::CaptureStatus capture_status(SourceLocation where = SourceLocation::current()) const;

    /// Waits until all work given to the stream so far is done. \throws Error with what that work met, e.g. device_fault
    void synchronize(SourceLocation where = SourceLocation::current()) const;
    /// Whether all work given to the stream so far is done. \throws Error with what that work met
    bool query(SourceLocation where = SourceLocation::current()) const;
    /// Lets the stream's later work wait for the event, of any device; the calling thread does not wait.
    void wait(const Event& event, SourceLocation where = SourceLocation::current()) const;
    /// While the stream is captured: a node of the graph that waits for the event, rather than a stream that joins the capture.
    /// \throws Error invalid_argument where the stream is not captured
    void wait_external(const Event& event, SourceLocation where = SourceLocation::current()) const;
    /// Lets the stream's later work wait until one value in memory that its device can reach satisfies the condition: greater_or_equal (by
    /// the sign of the difference), equal, any_bit (of `value` is set), not_all_bits (set, in it or `value`). Whoever writes it (a kernel,
    /// the host through pinned memory, another stream) lets the stream go on; where nobody does, it waits for ever. \throws Error
    /// unsupported before CUDA 11.7, invalid_argument where the span has not one element
    void wait_value(DeviceSpan<const std::uint32_t> word, std::uint32_t value,
                    abi::WaitCondition condition = abi::WaitCondition::greater_or_equal,
                    SourceLocation where = SourceLocation::current()) const;
    /// The same of 64 bits.
    void wait_value(DeviceSpan<const std::uint64_t> word, std::uint64_t value,
                    abi::WaitCondition condition = abi::WaitCondition::greater_or_equal,
                    SourceLocation where = SourceLocation::current()) const;
    /// Writes one value once all earlier work is done, and visible. \throws what wait_value() throws
    void write_value(DeviceSpan<std::uint32_t> word, std::uint32_t value, SourceLocation where = SourceLocation::current()) const;
    /// The same of 64 bits.
    void write_value(DeviceSpan<std::uint64_t> word, std::uint64_t value, SourceLocation where = SourceLocation::current()) const;
    /// Runs a function on a thread of the driver once all earlier work is done; later work waits for it.
    /// The function must not call the driver; an exception that leaves it is logged and lost. After a device fault it may never run.
    /// While the stream is captured, each launch of the graph calls it, and the graph owns it (Graph::add_host_function).
    void launch_host_function(std::function<void()> function, SourceLocation where = SourceLocation::current()) const;

    friend bool operator==(StreamView left, StreamView right) noexcept {
        return left.handle_ == right.handle_ && left.context_ == right.context_;
    }

    /// Shared ownership of the stream where it is cupool's; null for default streams and those made elsewhere.
    detail::Shared<const detail::StreamState> share() const { return detail::Shared<const detail::StreamState>(state_); }

    /// What keeps the stream alive: itself where it is cupool's, else its context. Null where there is neither.
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

/// A stream, kept alive; of someone else's stream, its context. Move-only.
class KeptStream {
public:
    KeptStream() = default;
    explicit KeptStream(StreamView stream) noexcept : stream_(stream) {
        if (const ReferenceCounted* const kept = stream_.kept()) {
            kept->acquire();
        }
    }
    ~KeptStream() {
        if (const ReferenceCounted* const kept = stream_.kept()) {
            kept->release();
        }
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

/// How a Stream is scheduled beside others.
struct StreamOptions {
    /// Lower numbers go first; 0 is the default and the lowest that every device has.
    int priority = 0;
    /// Whether the stream and the context's default stream wait for each other.
    abi::StreamFlags flags = abi::StreamFlags::non_blocking;
};

/// A stream of its own. Move-only. Destroyed once the Stream and every buffer allocated on it are gone; work already given to it is
/// finished. One that was moved from stands for no stream: whatever it is given to throws wrong_context.
class Stream {
public:
    explicit Stream(ContextView context, StreamOptions options = {}, SourceLocation where = SourceLocation::current());

    Stream(Stream&&) noexcept = default;
    Stream& operator=(Stream&&) noexcept = default;

    /// What does not own it.
    StreamView view() const noexcept { return state_ ? StreamView(*state_) : StreamView(); }
    operator StreamView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

    /// The context that it is in.
    ContextView context() const noexcept { return view().context(); }
    /// That of its device.
    int ordinal() const noexcept { return context().ordinal(); }
    /// The driver's own handle.
    abi::Stream handle() const noexcept { return view().handle(); }

    /// The following are those of StreamView.
    void synchronize(SourceLocation where = SourceLocation::current()) const { view().synchronize(where); }
    /// Whether its work is done.
    bool query(SourceLocation where = SourceLocation::current()) const { return view().query(where); }
    /// Lets its later work wait for the event.
    void wait(const Event& event, SourceLocation where = SourceLocation::current()) const { view().wait(event, where); }
    /// Runs a function once its earlier work is done.
    void launch_host_function(std::function<void()> function, SourceLocation where = SourceLocation::current()) const {
        view().launch_host_function(std::move(function), where);
    }

private:
    detail::Shared<const detail::StreamState> state_;
};

}  // namespace cupool
