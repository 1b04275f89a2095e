#pragma once

#include <algorithm>
#include <cstddef>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/pool/device_pool.hpp>

namespace cupool {

/// One managed array, divided evenly among the devices of a pool: a slice a device, contiguous and in the pool's order, the first ones
/// longer by an element where it does not come out even. Move-only. The host reaches all of it at any time, where the devices have
/// concurrent managed access; any device reaches all of it too, at the cost of pages moving.
template <class T>
class SlicedArray {
public:
    /// \param size  in elements \throws Error unsupported on a host pool, out_of_memory, invalid_argument (the size does not fit)
    SlicedArray(const DevicePool& pool, std::size_t size, SourceLocation where = SourceLocation::current())
        : pool_(pool), array_(size, pool.context_at(0).context(where), where) {}

    /// For the host.
    std::span<T> span() noexcept { return array_.span(); }
    std::span<const T> span() const noexcept { return array_.span(); }
    T& operator[](std::size_t index) noexcept { return array_[index]; }
    const T& operator[](std::size_t index) const noexcept { return array_[index]; }

    std::size_t size() const noexcept { return array_.size(); }
    std::size_t slice_count() const { return pool_.device_count(); }
    /// Where the slice at an index begins.
    std::size_t offset(std::size_t index) const {
        const std::size_t longer = size() % slice_count();
        return index * (size() / slice_count()) + std::min(index, longer);
    }

    /// The slice of the device at an index of the pool, for its work. \throws Error invalid_argument past the end
    DeviceSpan<T> slice(std::size_t index, SourceLocation where = SourceLocation::current()) {
        const int device = pool_.device_at(index);
        return array_.device_span(device).subspan(offset(index), offset(index + 1) - offset(index), where);
    }

    /// Moves every slice to its device, ordered on the pool's streams. Nothing happens on a device without concurrent managed access, whose
    /// pages come when work is given to it.
    void prefetch_async(SourceLocation where = SourceLocation::current()) const {
        for (std::size_t index = 0; index < slice_count(); ++index) {
            const DeviceContext& context = pool_.context_at(index);
            if (context.context(where).device().attribute(abi::DeviceAttribute::concurrent_managed_access, where) == 0) continue;
            array_.prefetch_async(offset(index), offset(index + 1) - offset(index), context.stream(where), where);
        }
    }

private:
    DevicePool pool_;
    ManagedBuffer<T> array_;
};

}  // namespace cupool
