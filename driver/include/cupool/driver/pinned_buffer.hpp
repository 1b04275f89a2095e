#pragma once

#include <cstddef>
#include <cupool/driver/detail/page_locked_memory.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace cupool {

/// Options of a PinnedBuffer.
struct PinnedOptions {
    /// Faster to write for the host and faster to access for devices, but slow to read for the
    /// host.
    bool is_write_combined = false;
};

namespace detail {

/// The memory of a PinnedBuffer.
class PinnedAllocation : public PageLockedMemory<&EntryPoints::host_free> {
public:
    PinnedAllocation() = default;
    PinnedAllocation(std::size_t bytes, ContextView context, PinnedOptions options, const SourceLocation& where);
};

}  // namespace detail

/// An uninitialised array in page-locked host memory: all devices of the process copy to and from
/// it asynchronously and at full speed. Move-only. Keeps its context alive.
template <class T>
class PinnedBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "pinned memory holds bytes: T must be trivially copyable");

public:
    /// No elements, no context.
    PinnedBuffer() = default;

    /// \param count  number of elements; 0 makes no driver call
    /// \throws Error out_of_memory, invalid_argument (count * sizeof(T) does not fit)
    PinnedBuffer(std::size_t count, ContextView context, PinnedOptions options = {}, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(count, sizeof(T), where), context, options, where), size_(count) {}

    PinnedBuffer(PinnedBuffer&& other) noexcept : allocation_(std::move(other.allocation_)), size_(std::exchange(other.size_, 0)) {}
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
        allocation_ = std::move(other.allocation_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// A view of all elements.
    std::span<T> span() noexcept { return {data(), size_}; }
    /// A view of all elements.
    std::span<const T> span() const noexcept { return {data(), size_}; }
    operator std::span<T>() noexcept { return span(); }              // NOLINT(google-explicit-constructor): owners stand for their views
    operator std::span<const T>() const noexcept { return span(); }  // NOLINT(google-explicit-constructor)

    /// The memory as kernels of the context's device access it over the bus.
    DeviceSpan<T> device_span(SourceLocation where = SourceLocation::current()) {
        if (empty()) return {};
        return allocation_.template device_span<T>(size_, where);
    }

    /// The host address of the first element.
    T* data() noexcept { return static_cast<T*>(allocation_.pointer()); }
    /// The host address of the first element.
    const T* data() const noexcept { return static_cast<const T*>(allocation_.pointer()); }
    /// The number of elements.
    std::size_t size() const noexcept { return size_; }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t index) noexcept { return data()[index]; }
    const T& operator[](std::size_t index) const noexcept { return data()[index]; }

    /// Announces that work queued on `stream` so far uses the buffer, so that the destructor waits
    /// for it. Not thread-safe.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { allocation_.record_use(stream, where); }

private:
    detail::PinnedAllocation allocation_;
    std::size_t size_ = 0;
};

}  // namespace cupool
