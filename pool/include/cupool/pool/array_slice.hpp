#pragma once

#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/pool/division.hpp>
#include <memory>
#include <utility>

namespace cupool {

/// The slice of a SlicedArray that lies with one device, and the division that it comes from. As an argument of a partitioned launch it is
/// held against the launch's part: where the two are different items, the launch is an error that names both divisions. So it does not
/// convert to a DeviceSpan by itself; span() gives one for other uses.
template <class T>
class ArraySlice {
public:
    /// \param index  of the device in the division's order
    ArraySlice(DeviceSpan<T> span, std::shared_ptr<const Division> division, std::size_t index)
        : span_(span), division_(std::move(division)), index_(index) {}

    /// The elements, with nothing that holds them against a launch's part.
    DeviceSpan<T> span() const noexcept { return span_; }
    /// Which elements of the array they are.
    const Slice& items(SourceLocation where = SourceLocation::current()) const { return division(where).slices()[index_]; }
    /// How the array is divided. \throws Error wrong_context where the slice was moved from
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
