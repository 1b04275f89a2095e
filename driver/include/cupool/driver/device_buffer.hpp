#pragma once

#include <cstddef>
#include <cupool/driver/detail/stream_uses.hpp>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/result.hpp>
#include <limits>
#include <memory>
#include <utility>

namespace cupool {

namespace detail {

[[noreturn]] void throw_size_overflow(std::size_t count, std::size_t size, const SourceLocation& where);

/// count * size; \throws Error invalid_argument where that does not fit
inline std::size_t checked_size(std::size_t count, std::size_t size, const SourceLocation& where) {
    if (count > std::numeric_limits<std::size_t>::max() / size) [[unlikely]] {
        throw_size_overflow(count, size, copy_of(where));
    }
    return count * size;
}

/// The bytes of a DeviceBuffer.
class DeviceAllocation {
public:
    DeviceAllocation() = default;
    DeviceAllocation(std::size_t bytes, const DeviceContext& context, const SourceLocation& where) : stream_(context.stream_) {
        // What most allocations find: a pool, the context current, and memory.
        const ContextView place = context.stream_.context();
        if (!context.pool_ || bytes == 0) [[unlikely]] {
            allocate(bytes, context, copy_of(where));
            return;
        }
        abi::Status told;
        if (!is_current(place, told)) [[unlikely]] {
            allocate_elsewhere(told, bytes, context.pool_, copy_of(where));
            return;
        }
        const abi::Status result =
            place.driver().api().memory_allocate_from_pool_async(&pointer_, bytes, context.pool_.handle(), context.stream_.handle());
        if (result != abi::Status::success) [[unlikely]] {
            retry(result, bytes, context.pool_, copy_of(where));
        }
    }
    ~DeviceAllocation() {
        if (pointer_ != 0) {
            release();
        }
    }
    DeviceAllocation(DeviceAllocation&& other) noexcept;
    DeviceAllocation& operator=(DeviceAllocation&& other) noexcept;

    abi::DevicePointer pointer() const noexcept { return pointer_; }
    int ordinal() const noexcept { return stream().ordinal(); }
    StreamView stream() const noexcept { return stream_.view(); }
    void record_use(StreamView stream, const SourceLocation& where);

private:
    /// What a free must do that is not just given to the stream.
    struct FreeConditions {
        bool is_plain;  ///< not ordered on the stream, but to be waited for
        StreamUses uses;
    };

    /// Nothing, or plain memory.
    void allocate(std::size_t bytes, const DeviceContext& context, const SourceLocation& where);
    /// From the pool, where another context is current.
    void allocate_elsewhere(abi::Status told, std::size_t bytes, MemoryPoolView pool, const SourceLocation& where);
    /// Once more after what was answered. \param pool  empty for plain memory
    void retry(abi::Status result, std::size_t bytes, MemoryPoolView pool, const SourceLocation& where);

    /// What most frees find: the context current, and no conditions.
    void release() noexcept {
        const ContextView context = stream().context();
        abi::Status told;
        if (!is_current(context, told) || conditions_ != nullptr) [[unlikely]] {
            return release_elsewhere(told);
        }
        const abi::Status result = context.driver().api().memory_free_async(pointer_, stream().handle());
        if (result != abi::Status::success) [[unlikely]] {
            log_failed_call(entry_point_info<&EntryPoints::memory_free_async>, result, ordinal());
        }
    }
    void release_elsewhere(abi::Status told) noexcept;

    KeptStream stream_;
    abi::DevicePointer pointer_ = 0;
    std::unique_ptr<FreeConditions> conditions_;
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

    /// All of it.
    DeviceSpan<T> span() noexcept { return {allocation_.pointer(), size_, device()}; }
    /// All of it.
    DeviceSpan<const T> span() const noexcept { return {allocation_.pointer(), size_, device()}; }
    operator DeviceSpan<T>() noexcept { return span(); }              // NOLINT(google-explicit-constructor): owners stand for their views
    operator DeviceSpan<const T>() const noexcept { return span(); }  // NOLINT(google-explicit-constructor)

    /// In elements.
    std::size_t size() const noexcept { return size_; }
    /// In bytes.
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /// Whether there is no element.
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
