#pragma once

#include <cstddef>
#include <cupool/driver/detail/stream_uses.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace cupool {

namespace detail {

/// The bytes of a ManagedBuffer.
class ManagedAllocation {
public:
    ManagedAllocation() = default;
    ManagedAllocation(std::size_t bytes, ContextView context, const SourceLocation& where);
    ~ManagedAllocation() { release(); }
    ManagedAllocation(ManagedAllocation&& other) noexcept;
    ManagedAllocation& operator=(ManagedAllocation&& other) noexcept;

    abi::DevicePointer pointer() const noexcept { return pointer_; }
    ContextView context() const noexcept { return context_.get(); }
    /// \param device  the driver's handle, or abi::host_device
    void prefetch(std::size_t offset, std::size_t bytes, abi::Device device, StreamView stream, const SourceLocation& where) const;
    void advise(abi::MemoryAdvice advice, abi::Device device, const SourceLocation& where) const;
    int range_attribute(std::size_t offset, std::size_t bytes, abi::MemoryRangeAttribute attribute, const SourceLocation& where) const;
    void record_use(StreamView stream, const SourceLocation& where) { uses_.record(stream, where); }

private:
    void release() noexcept;

    Shared<const ContextState> context_;
    abi::DevicePointer pointer_ = 0;
    std::size_t bytes_ = 0;
    StreamUses uses_;
};

}  // namespace detail

/// An array that the host and every device of the process reach at one address, its pages moving to where they are touched. Move-only.
/// Keeps its context alive. Uninitialised when made.
///
/// Where a device has no concurrent managed access (attribute concurrent_managed_access), the host must not touch the array while any
/// kernel runs. What is advised and prefetched changes speed alone.
template <class T>
class ManagedBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "managed memory holds bytes: T must be trivially copyable");

public:
    /// Where pages are, or should be: a device's ordinal, or the host.
    static constexpr int on_host = abi::host_device;

    /// No elements.
    ManagedBuffer() = default;

    /// \param count  in elements; 0 makes no call of the driver
    /// \throws Error out_of_memory, invalid_argument (count * sizeof(T) does not fit), unsupported (a device without managed memory)
    ManagedBuffer(std::size_t count, ContextView context, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(count, sizeof(T), where), context, where), size_(count) {}

    ManagedBuffer(ManagedBuffer&& other) noexcept : allocation_(std::move(other.allocation_)), size_(std::exchange(other.size_, 0)) {}
    ManagedBuffer& operator=(ManagedBuffer&& other) noexcept {
        allocation_ = std::move(other.allocation_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// For the host.
    std::span<T> span() noexcept { return {data(), size_}; }
    /// All of it, for the host.
    std::span<const T> span() const noexcept { return {data(), size_}; }
    /// Its first element, for the host.
    T* data() noexcept { return reinterpret_cast<T*>(allocation_.pointer()); }
    /// Its first element, for the host.
    const T* data() const noexcept { return reinterpret_cast<const T*>(allocation_.pointer()); }
    T& operator[](std::size_t index) noexcept { return data()[index]; }
    const T& operator[](std::size_t index) const noexcept { return data()[index]; }

    /// For work of a device, by its ordinal: any device of the process.
    DeviceSpan<T> device_span(int device) noexcept { return {allocation_.pointer(), size_, device}; }
    /// All of it, for work of a device.
    DeviceSpan<const T> device_span(int device) const noexcept { return {allocation_.pointer(), size_, device}; }

    /// In elements.
    std::size_t size() const noexcept { return size_; }
    /// Whether there is no element.
    bool empty() const noexcept { return size_ == 0; }

    /// Moves the pages to the stream's device, ordered on the stream.
    /// \throws Error unsupported where the device has no concurrent managed access
    void prefetch_async(StreamView stream, SourceLocation where = SourceLocation::current()) const {
        prefetch_async(0, size_, stream, where);
    }
    /// The same for `count` elements from `offset`. \throws Error invalid_argument where they reach past the end
    void prefetch_async(std::size_t offset, std::size_t count, StreamView stream, SourceLocation where = SourceLocation::current()) const {
        move(offset, count, stream.context().device().handle(), stream, where);
    }
    /// Moves the pages to the host's memory, ordered on the stream.
    void prefetch_to_host_async(StreamView stream, SourceLocation where = SourceLocation::current()) const {
        move(0, size_, abi::host_device, stream, where);
    }

    /// Lets every reader keep a copy of its own, which a write takes away.
    void advise_read_mostly(bool is_read_mostly = true, SourceLocation where = SourceLocation::current()) const {
        advise(is_read_mostly ? abi::MemoryAdvice::set_read_mostly : abi::MemoryAdvice::unset_read_mostly, abi::host_device, where);
    }
    /// Keeps the pages on a device, or on_host, or nowhere in particular, where others reach them from afar if they can.
    void advise_location(std::optional<int> location, SourceLocation where = SourceLocation::current()) const {
        advise(location ? abi::MemoryAdvice::set_preferred_location : abi::MemoryAdvice::unset_preferred_location,
               location.value_or(abi::host_device), where);
    }
    /// Keeps the pages in the page tables of a device, or on_host, wherever they are.
    void advise_accessed_by(int location, bool is_accessed = true, SourceLocation where = SourceLocation::current()) const {
        advise(is_accessed ? abi::MemoryAdvice::set_accessed_by : abi::MemoryAdvice::unset_accessed_by, location, where);
    }

    /// What has been advised of, and prefetched to, by the whole array alike; nothing where its parts differ or nobody did.
    bool is_read_mostly(SourceLocation where = SourceLocation::current()) const {
        return !empty() && attribute(0, size_, abi::MemoryRangeAttribute::read_mostly, where) != 0;
    }
    /// The device that advise_location() named last; nothing where it named none.
    std::optional<int> advised_location(SourceLocation where = SourceLocation::current()) const {
        return location(0, size_, abi::MemoryRangeAttribute::preferred_location, where);
    }
    /// Where it was prefetched to last; nothing where it never was.
    std::optional<int> prefetched_location(SourceLocation where = SourceLocation::current()) const {
        return location(0, size_, abi::MemoryRangeAttribute::last_prefetch_location, where);
    }

    /// Says that work given to `stream` so far uses the buffer: the destructor will wait for it. Not safe from two threads at once.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { allocation_.record_use(stream, where); }

private:
    void move(std::size_t offset, std::size_t count, abi::Device device, StreamView stream, const SourceLocation& where) const {
        const DeviceSpan<const T> part = device_span(stream.ordinal()).subspan(offset, count, where);
        if (!part.empty()) allocation_.prefetch(offset * sizeof(T), part.size_bytes(), device, stream, where);
    }
    void advise(abi::MemoryAdvice advice, abi::Device device, const SourceLocation& where) const {
        if (!empty()) allocation_.advise(advice, device, where);
    }
    int attribute(std::size_t offset, std::size_t count, abi::MemoryRangeAttribute attribute, const SourceLocation& where) const {
        return allocation_.range_attribute(offset * sizeof(T), count * sizeof(T), attribute, where);
    }
    std::optional<int> location(std::size_t offset, std::size_t count, abi::MemoryRangeAttribute which, const SourceLocation& where) const {
        const int found = empty() ? abi::no_location : attribute(offset, count, which, where);
        return found == abi::no_location ? std::nullopt : std::optional<int>(found);
    }

    detail::ManagedAllocation allocation_;
    std::size_t size_ = 0;
};

}  // namespace cupool
