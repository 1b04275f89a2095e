#pragma once

#include <cstddef>
#include <cupool/driver/detail/awaited_memory.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace cupool {

namespace detail {

/// The memory of a ManagedBuffer.
class ManagedAllocation : public AwaitedMemory<abi::DevicePointer, &EntryPoints::memory_free> {
public:
    ManagedAllocation() = default;
    ManagedAllocation(std::size_t bytes, ContextView context, const SourceLocation& where);

    /// \param device  the handle of the driver, or abi::host_device
    void prefetch(std::size_t offset, std::size_t bytes, abi::Device device, StreamView stream, const SourceLocation& where) const;
    void advise(abi::MemoryAdvice advice, abi::Device device, const SourceLocation& where) const;
    int range_attribute(std::size_t offset, std::size_t bytes, abi::MemoryRangeAttribute attribute, const SourceLocation& where) const;

private:
    std::size_t bytes_ = 0;
};

}  // namespace detail

/// An uninitialised array that the host and all devices of the process access at the same address;
/// its pages migrate to the processor that accesses them. Move-only. Keeps its context alive.
///
/// If a device has no concurrent managed access (attribute concurrent_managed_access), the host
/// must not access the array while any kernel runs. Advice and prefetching affect only speed.
template <class T>
class ManagedBuffer {
    static_assert(std::is_trivially_copyable_v<T>, "managed memory holds bytes: T must be trivially copyable");

public:
    /// Stands for the host where other values are ordinals of devices.
    static constexpr int on_host = abi::host_device;

    /// No elements, no context.
    ManagedBuffer() = default;

    /// \param count  number of elements; 0 makes no driver call
    /// \throws Error out_of_memory, invalid_argument (count * sizeof(T) does not fit), unsupported
    /// (a device without managed memory)
    ManagedBuffer(std::size_t count, ContextView context, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(count, sizeof(T), where), context, where), size_(count) {}

    ManagedBuffer(ManagedBuffer&& other) noexcept : allocation_(std::move(other.allocation_)), size_(std::exchange(other.size_, 0)) {}
    ManagedBuffer& operator=(ManagedBuffer&& other) noexcept {
        allocation_ = std::move(other.allocation_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// A view of all elements for the host.
    std::span<T> span() noexcept { return {data(), size_}; }
    /// A view of all elements for the host.
    std::span<const T> span() const noexcept { return {data(), size_}; }
    /// The host address of the first element.
    T* data() noexcept { return reinterpret_cast<T*>(allocation_.pointer()); }
    /// The host address of the first element.
    const T* data() const noexcept { return reinterpret_cast<const T*>(allocation_.pointer()); }
    T& operator[](std::size_t index) noexcept { return data()[index]; }
    const T& operator[](std::size_t index) const noexcept { return data()[index]; }

    /// A view of all elements for work of a device. \param device  the ordinal of any device of the
    /// process
    DeviceSpan<T> device_span(int device) noexcept { return {allocation_.pointer(), size_, device}; }
    /// A view of all elements for work of a device.
    DeviceSpan<const T> device_span(int device) const noexcept { return {allocation_.pointer(), size_, device}; }

    /// The number of elements.
    std::size_t size() const noexcept { return size_; }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return size_ == 0; }

    /// Migrates the pages to the device of the stream, ordered on the stream.
    /// \throws Error unsupported if the device has no concurrent managed access
    void prefetch_async(StreamView stream, SourceLocation where = SourceLocation::current()) const {
        prefetch_async(0, size_, stream, where);
    }
    /// The same for `count` elements from `offset` on. \throws Error invalid_argument if they reach
    /// past the end
    void prefetch_async(std::size_t offset, std::size_t count, StreamView stream, SourceLocation where = SourceLocation::current()) const {
        move(offset, count, stream.context().device().handle(), stream, where);
    }
    /// Migrates the pages to host memory, ordered on the stream.
    void prefetch_to_host_async(StreamView stream, SourceLocation where = SourceLocation::current()) const {
        move(0, size_, abi::host_device, stream, where);
    }

    /// Lets every reader keep its own copy, which a write invalidates.
    void advise_read_mostly(bool is_read_mostly = true, SourceLocation where = SourceLocation::current()) const {
        advise(is_read_mostly ? abi::MemoryAdvice::set_read_mostly : abi::MemoryAdvice::unset_read_mostly, abi::host_device, where);
    }
    /// Sets the preferred location of the pages, a device or on_host; nullopt unsets it. Others
    /// access the pages remotely if they can.
    void advise_location(std::optional<int> location, SourceLocation where = SourceLocation::current()) const {
        advise(location ? abi::MemoryAdvice::set_preferred_location : abi::MemoryAdvice::unset_preferred_location,
               location.value_or(abi::host_device), where);
    }
    /// Keeps the pages mapped in the page tables of a device, or of on_host, wherever they are.
    void advise_accessed_by(int location, bool is_accessed = true, SourceLocation where = SourceLocation::current()) const {
        advise(is_accessed ? abi::MemoryAdvice::set_accessed_by : abi::MemoryAdvice::unset_accessed_by, location, where);
    }

    /// Whether advise_read_mostly() applies to the whole array.
    bool is_read_mostly(SourceLocation where = SourceLocation::current()) const {
        return !empty() && attribute(0, size_, abi::MemoryRangeAttribute::read_mostly, where) != 0;
    }
    /// The preferred location of the whole array; nullopt if there is none or parts differ.
    std::optional<int> advised_location(SourceLocation where = SourceLocation::current()) const {
        return location(0, size_, abi::MemoryRangeAttribute::preferred_location, where);
    }
    /// The last prefetch location of the whole array; nullopt if there is none or parts differ.
    std::optional<int> prefetched_location(SourceLocation where = SourceLocation::current()) const {
        return location(0, size_, abi::MemoryRangeAttribute::last_prefetch_location, where);
    }

    /// Announces that work queued on `stream` so far uses the buffer, so that the destructor waits
    /// for it. Not thread-safe.
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
