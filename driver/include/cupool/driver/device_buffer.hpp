#pragma once

#include <cstddef>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/result.hpp>
#include <cupool/driver/stream_uses.hpp>
#include <utility>

namespace cupool {

namespace detail {

/// count * size; \throws Error invalid_argument where that does not fit
std::size_t checked_size(std::size_t count, std::size_t size, const SourceLocation& where);

/// The bytes of a DeviceBuffer.
class DeviceAllocation {
public:
    DeviceAllocation() = default;
    DeviceAllocation(std::size_t bytes, const DeviceContext& context, const SourceLocation& where);
    ~DeviceAllocation() { release(); }
    DeviceAllocation(DeviceAllocation&& other) noexcept;
    DeviceAllocation& operator=(DeviceAllocation&& other) noexcept;

    abi::DevicePointer pointer() const noexcept { return pointer_; }
    int ordinal() const noexcept { return context_ ? context_->device().ordinal() : no_ordinal; }
    StreamView stream() const noexcept { return stream_; }
    void record_use(StreamView stream, const SourceLocation& where);

private:
    void release() noexcept;

    std::shared_ptr<const ContextState> context_;
    std::shared_ptr<const StreamState> stream_state_;
    StreamView stream_;
    abi::DevicePointer pointer_ = 0;
    bool stream_ordered_ = false;
    StreamUses uses_;
};

}  // namespace detail

/// An array in a device's memory, uninitialised when made. Move-only. Keeps its context and stream alive.
///
/// Allocated on the context's stream, from its pool where it has one: usable by work given to that stream afterwards. Work on other streams
/// must wait for the stream first, and be told of with record_use(), so that the free waits for it. The free is ordered on the allocating
/// stream; without a pool it is a plain free, before which the stream is synchronised.
template <class T>
class DeviceBuffer {
public:
    /// No elements, no device.
    DeviceBuffer() = default;

    /// \param count  in elements; 0 makes no call of the driver
    /// Where memory has run out, waits for the context, lets the device's pool give back what it keeps, and tries once more.
    /// \throws Error out_of_memory, invalid_argument (count * sizeof(T) does not fit), unsupported (the context is the host)
    DeviceBuffer(std::size_t count, const DeviceContext& context, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(count, sizeof(T), where), context, where), size_(count) {}

    /// The same where failing is an ordinary answer.
    static Result<DeviceBuffer> try_allocate(std::size_t count, const DeviceContext& context,
                                             SourceLocation where = SourceLocation::current()) {
        try {
            return DeviceBuffer(count, context, where);
        } catch (const Error& error) {
            return error;
        }
    }

    DeviceBuffer(DeviceBuffer&& other) noexcept : allocation_(std::move(other.allocation_)), size_(std::exchange(other.size_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        allocation_ = std::move(other.allocation_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    DeviceSpan<T> span() noexcept { return {allocation_.pointer(), size_, device()}; }
    DeviceSpan<const T> span() const noexcept { return {allocation_.pointer(), size_, device()}; }
    operator DeviceSpan<T>() noexcept { return span(); }              // NOLINT(google-explicit-constructor): owners stand for their views
    operator DeviceSpan<const T>() const noexcept { return span(); }  // NOLINT(google-explicit-constructor)

    std::size_t size() const noexcept { return size_; }
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    bool empty() const noexcept { return size_ == 0; }
    /// Ordinal; -1 for a default-constructed buffer.
    int device() const noexcept { return allocation_.ordinal(); }
    /// The allocating stream, on which the free is ordered.
    StreamView stream() const noexcept { return allocation_.stream(); }

    /// Says that work given to `stream` so far uses the buffer: the free waits for it (where this throws, it has waited). Not thread-safe.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { allocation_.record_use(stream, where); }

private:
    detail::DeviceAllocation allocation_;
    std::size_t size_ = 0;
};

}  // namespace cupool
