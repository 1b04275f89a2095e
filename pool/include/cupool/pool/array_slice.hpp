#pragma once

#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/pool/division.hpp>
#include <memory>
#include <utility>

namespace cupool {

/// One device's slice of a SlicedArray, with the division that it comes from. As an argument of a partitioned launch it is compared with
/// the launch's part: if they have different items, the launch fails with an error that names both divisions. Therefore it does not convert
/// to a DeviceSpan implicitly; span() returns one for other uses.
template <class T>
class ArraySlice {
public:
    /// \param index  of the device in the division's order
    ArraySlice(DeviceSpan<T> span, std::shared_ptr<const Division> division, std::size_t index)
        : span_(span), division_(std::move(division)), index_(index) {}

    /// The elements, without a comparison with a launch's part.
    DeviceSpan<T> span() const noexcept { return span_; }
    /// Which elements of the array they are.
    const Slice& items(SourceLocation where = SourceLocation::current()) const { return division(where).slices()[index_]; }
    /// How the array is divided. \throws Error wrong_context if the slice was moved from
    const Division& division(SourceLocation where = SourceLocation::current()) const {
        if (division_ == nullptr) detail::throw_moved_from("the array's slice", where);
        return *division_;
    }

private:
    DeviceSpan<T> span_;
    std::shared_ptr<const Division> division_;
    std::size_t index_;
};

}  // namespace cupool
