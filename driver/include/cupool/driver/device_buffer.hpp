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

/// count * size. \throws Error invalid_argument if the product does not fit
inline std::size_t checked_size(std::size_t count, std::size_t size, const SourceLocation& where) {
    if (count > std::numeric_limits<std::size_t>::max() / size) [[unlikely]]
        throw_size_overflow(count, size, copy_of(where));
    return count * size;
}

/// The memory of a DeviceBuffer.
class DeviceAllocation {
public:
    DeviceAllocation() = default;
    DeviceAllocation(std::size_t bytes, const DeviceContext& context, const SourceLocation& where) : stream_(context.stream_) {
        // The common case: there is a pool, the context is current, and memory suffices.
        const ContextView place = context.stream_.context();
        if (!context.pool_ || bytes == 0) [[unlikely]] {
            allocate(bytes, context, copy_of(where));
            return;
        }
        abi::Status query_status;
        if (!is_current(place, query_status)) [[unlikely]] {
            allocate_elsewhere(query_status, bytes, context.pool_, copy_of(where));
            return;
        }
        const abi::Status result =
            place.driver().api().memory_allocate_from_pool_async(&pointer_, bytes, context.pool_.handle(), context.stream_.handle());
        if (result != abi::Status::success) [[unlikely]]
            retry(result, bytes, context.pool_, copy_of(where));
    }
    ~DeviceAllocation() {
        if (pointer_ != 0) release();
    }
    DeviceAllocation(DeviceAllocation&& other) noexcept;
    DeviceAllocation& operator=(DeviceAllocation&& other) noexcept;

    abi::DevicePointer pointer() const noexcept { return pointer_; }
    int ordinal() const noexcept { return stream().ordinal(); }
    StreamView stream() const noexcept { return stream_.view(); }
    void record_use(StreamView stream, const SourceLocation& where);

private:
    /// The conditions under which a free is not simply queued on the stream.
    struct FreeConditions {
        bool is_plain;  ///< not ordered on the stream: the free waits for it
        StreamUses uses;
    };

    /// Allocates nothing, or plain memory.
    void allocate(std::size_t bytes, const DeviceContext& context, const SourceLocation& where);
    /// Allocates from the pool if another context is current. \param query_status  the status of the query
    /// of the current context
    void allocate_elsewhere(abi::Status query_status, std::size_t bytes, MemoryPoolView pool, const SourceLocation& where);
    /// Allocates again after a failure. \param pool  empty for plain memory
    void retry(abi::Status result, std::size_t bytes, MemoryPoolView pool, const SourceLocation& where);

    /// The common case: the context is current and there are no conditions.
    void release() noexcept {
        const ContextView context = stream().context();
        abi::Status query_status;
        if (!is_current(context, query_status) || conditions_ != nullptr) [[unlikely]]
            return release_elsewhere(query_status);
        const abi::Status result = context.driver().api().memory_free_async(pointer_, stream().handle());
        if (result != abi::Status::success) [[unlikely]]
            log_failed_call(entry_point_info<&EntryPoints::memory_free_async>, result, ordinal());
    }
    void release_elsewhere(abi::Status query_status) noexcept;

    KeptStream stream_;
    abi::DevicePointer pointer_ = 0;
    std::unique_ptr<FreeConditions> conditions_;
};

}  // namespace detail

/// An uninitialised array in device memory. Move-only. Keeps its context and stream alive.
///
/// The allocation is ordered on the stream of the device context and comes from its pool, if it has
/// one; later work on that stream can use it. Work on other streams must wait for that stream first
/// and be announced by record_use(), so that the free waits for it. The free is ordered on the
/// allocating stream; without a pool it is a plain free, which synchronises the stream first.
template <class T>
class DeviceBuffer {
public:
    /// No elements, no device.
    DeviceBuffer() = default;

    /// If there is not enough memory, it waits for the context, lets the device's pool release
    /// unused memory, and tries once more.
    /// \param count  number of elements; 0 makes no driver call
    /// \throws Error out_of_memory, invalid_argument (count * sizeof(T) does not fit), unsupported
    /// (the context is the host)
    DeviceBuffer(std::size_t count, const DeviceContext& context, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(count, sizeof(T), where), context, where), size_(count) {}

    /// The same for programs that expect failures.
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

    /// A view of all elements.
    DeviceSpan<T> span() noexcept { return {allocation_.pointer(), size_, device()}; }
    /// A view of all elements.
    DeviceSpan<const T> span() const noexcept { return {allocation_.pointer(), size_, device()}; }
    operator DeviceSpan<T>() noexcept { return span(); }              // NOLINT(google-explicit-constructor): owners stand for their views
    operator DeviceSpan<const T>() const noexcept { return span(); }  // NOLINT(google-explicit-constructor)

    /// The number of elements.
    std::size_t size() const noexcept { return size_; }
    /// The number of bytes.
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return size_ == 0; }
    /// The ordinal of the device; -1 for a default-constructed buffer.
    int device() const noexcept { return allocation_.ordinal(); }
    /// The stream of the allocation, on which the free is ordered.
    StreamView stream() const noexcept { return allocation_.stream(); }

    /// Announces that work queued on `stream` so far uses the buffer, so that the free waits for
    /// it. If this throws, it has already waited. Not thread-safe.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { allocation_.record_use(stream, where); }

private:
    detail::DeviceAllocation allocation_;
    std::size_t size_ = 0;
};

}  // namespace cupool
