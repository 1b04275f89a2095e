#pragma once

#include <algorithm>
#include <cstddef>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/pool/array_slice.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/division.hpp>
#include <memory>
#include <utility>

namespace cupool {

/// One managed array, divided among the devices of a pool: a slice a device, contiguous and in the pool's order. Move-only. The host can
/// access all of it at any time if the devices have concurrent managed access; every device can access all of it, too, at the cost of page
/// migration.
///
/// The division is fixed when the array is made. Launch over the same division, launch_partitioned(..., array.division(), ...), or get the
/// items of any part by slice(part).
///
/// In a forked child every member but operator[] throws forked, and after a move from it wrong_context.
template <class T>
class SlicedArray {
public:
    /// Divided as DevicePool::divide() does now. \param size  in elements
    /// \throws Error unsupported on a host pool, out_of_memory, invalid_argument (the size does not fit), no_device if every device is
    /// quarantined
    SlicedArray(const DevicePool& pool, std::size_t size, SourceLocation where = SourceLocation::current())
        : SlicedArray(pool, pool.divide(size, Shares::by_speed, where), where) {}

    /// Divided so. \throws Error invalid_argument if the division is not of the pool's devices, and what the other one throws
    SlicedArray(const DevicePool& pool, Division division, SourceLocation where = SourceLocation::current())
        : pool_(pool),
          division_(std::make_shared<const Division>(std::move(division))),
          array_(division_->total(), home(pool, *division_, where).context(where), where) {}

    /// For the host.
    std::span<T> span(SourceLocation where = SourceLocation::current()) {
        (void)division(where);
        return array_.span();
    }
    /// For the host.
    std::span<const T> span(SourceLocation where = SourceLocation::current()) const {
        (void)division(where);
        return array_.span();
    }
    T& operator[](std::size_t index) noexcept { return array_[index]; }
    const T& operator[](std::size_t index) const noexcept { return array_[index]; }

    /// The number of elements.
    std::size_t size(SourceLocation where = SourceLocation::current()) const { return static_cast<std::size_t>(division(where).total()); }
    /// The division of the array.
    const Division& division(SourceLocation where = SourceLocation::current()) const {
        if (division_ == nullptr) detail::throw_moved_from("the array", where);
        (void)pool_.device_count(where);  // refuses in a forked child
        return *division_;
    }
    /// The number of slices: one for each device of the division.
    std::size_t slice_count(SourceLocation where = SourceLocation::current()) const { return division(where).size(); }
    /// Where the slice at an index begins; the size, for slice_count(). \throws Error invalid_argument past that
    std::size_t offset(std::size_t index, SourceLocation where = SourceLocation::current()) const {
        return index == slice_count(where) ? size(where) : division(where).slice(index, where).offset;
    }

    /// The slice of the device at an index of the pool, for its work. A partitioned launch checks that it is the items of its part.
    /// \throws Error invalid_argument past the end
    ArraySlice<T> slice(std::size_t index, SourceLocation where = SourceLocation::current()) {
        const Slice& items = division(where).slice(index, where);
        return {view(pool_.device_at(index, where), items, where), division_, index};
    }
    /// The elements that are the items of a launch's part, on the part's device: for launches that are divided in any way. Elements outside
    /// the device's own slice migrate page by page. \throws Error invalid_argument if the part reaches past the end
    DeviceSpan<T> slice(const Partition& part, SourceLocation where = SourceLocation::current()) {
        (void)division(where);
        return view(part.context.device(), part.items(), where);
    }

    /// Moves every slice to its device, ordered on the pool's streams. Nothing happens on a device without concurrent managed access, whose
    /// pages come when work is given to it.
    void prefetch_async(SourceLocation where = SourceLocation::current()) const {
        for (std::size_t index = 0; index < slice_count(where); ++index) {
            const Slice& items = division(where).slices()[index];
            if (items.count == 0) continue;
            const DeviceContext& context = pool_.context_at(index, where);
            if (context.context(where).device().attribute(abi::DeviceAttribute::concurrent_managed_access, where) == 0) continue;
            array_.prefetch_async(items.offset, items.count, context.stream(where), where);
        }
    }

private:
    /// The device whose context the array is allocated in: the first that has a slice.
    static const DeviceContext& home(const DevicePool& pool, const Division& division, const SourceLocation& where) {
        pool.check_division(division, where);
        const auto& slices = division.slices();
        const auto found = std::find_if(slices.begin(), slices.end(), [](const Slice& slice) { return slice.count != 0; });
        return pool.context_at(found == slices.end() ? 0 : static_cast<std::size_t>(found - slices.begin()), where);
    }

    DeviceSpan<T> view(int device, const Slice& items, const SourceLocation& where) {
        return array_.device_span(device).subspan(items.offset, items.count, where);
    }

    DevicePool pool_;
    std::shared_ptr<const Division> division_;
    ManagedBuffer<T> array_;
};

}  // namespace cupool
