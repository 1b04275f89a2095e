#pragma once

#include <cstddef>
#include <cupool/driver/detail/stream_uses.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/registered_host.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace cupool {

/// How a PinnedBuffer is made.
struct PinnedOptions {
    /// Written by the host faster and seen by devices faster, but slow to read for the host.
    bool is_write_combined = false;
};

namespace detail {

/// The bytes of a PinnedBuffer.
class PinnedAllocation {
public:
    PinnedAllocation() = default;
    PinnedAllocation(std::size_t bytes, ContextView context, PinnedOptions options, const SourceLocation& where);
    ~PinnedAllocation() { release(); }
    PinnedAllocation(PinnedAllocation&& other) noexcept;
    PinnedAllocation& operator=(PinnedAllocation&& other) noexcept;

    void* pointer() const noexcept { return pointer_; }
    ContextView context() const noexcept { return context_.get(); }
    void record_use(StreamView stream, const SourceLocation& where) { uses_.record(stream, where); }

private:
    void release() noexcept;

    Shared<const ContextState> context_;
    void* pointer_ = nullptr;
    StreamUses uses_;
};

}  // namespace detail

/// An array in page-locked host memory, uninitialised when made, which every device of the process copies to and from at full speed and
/// asynchronously. Move-only. Keeps its context alive.
template <class T>
class PinnedBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "pinned memory holds bytes: T must be trivially copyable");

public:
    /// No elements.
    PinnedBuffer() = default;

    /// \param count  in elements; 0 makes no call of the driver
    /// \throws Error out_of_memory, invalid_argument (count * sizeof(T) does not fit)
    PinnedBuffer(std::size_t count, ContextView context, PinnedOptions options = {}, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(count, sizeof(T), where), context, options, where), size_(count) {}

    PinnedBuffer(PinnedBuffer&& other) noexcept : allocation_(std::move(other.allocation_)), size_(std::exchange(other.size_, 0)) {}
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
        allocation_ = std::move(other.allocation_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// All of it.
    std::span<T> span() noexcept { return {data(), size_}; }
    /// All of it.
    std::span<const T> span() const noexcept { return {data(), size_}; }
    operator std::span<T>() noexcept { return span(); }              // NOLINT(google-explicit-constructor): owners stand for their views
    operator std::span<const T>() const noexcept { return span(); }  // NOLINT(google-explicit-constructor)

    /// The memory as kernels of the context's device reach it, over the bus.
    DeviceSpan<T> device_span(SourceLocation where = SourceLocation::current()) {
        if (empty()) return {};
        const ContextView context = allocation_.context();
        return {detail::device_pointer_of(context, allocation_.pointer(), where), size_, context.ordinal()};
    }

    /// Its first element, for the host.
    T* data() noexcept { return static_cast<T*>(allocation_.pointer()); }
    /// Its first element, for the host.
    const T* data() const noexcept { return static_cast<const T*>(allocation_.pointer()); }
    /// In elements.
    std::size_t size() const noexcept { return size_; }
    /// Whether there is no element.
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t index) noexcept { return data()[index]; }
    const T& operator[](std::size_t index) const noexcept { return data()[index]; }

    /// Says that work given to `stream` so far uses the buffer: the destructor will wait for it. Not safe from two threads at once.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { allocation_.record_use(stream, where); }

private:
    detail::PinnedAllocation allocation_;
    std::size_t size_ = 0;
};

}  // namespace cupool
