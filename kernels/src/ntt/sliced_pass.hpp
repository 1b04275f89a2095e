#pragma once

/// \file
/// One transform over several devices: its elements lie in slices, one on each device, and each device transforms its share of the lines of
/// every pass. Device code includes this too: no standard library here but <cstdint>.
///
/// The first pass reads and writes the slices of all devices, since its lines cross all slices of the inputs and every element goes to the
/// slice that its digit of the output index decides. The lines of later passes lie in one slice each, that of the device that transforms
/// them; only the last pass writes to the slices of all devices again, where the ordering moves elements. So elements cross the links
/// between devices twice or three times, in the loads and stores of the passes themselves.

#include <cstdint>

#include "ntt/pass.hpp"

namespace cupool::detail {

inline constexpr unsigned max_ntt_slices = 32;

/// An array in slices of 2^slice_bits elements each, in the memory of any device that the kernel's device reaches.
template <class Element>
struct NttSlices {
    Element* slices[max_ntt_slices];

    CUPOOL_HOST_DEVICE Element* at(std::uint64_t place, std::uint32_t slice_bits) const {
        return slices[place >> slice_bits] + low_bits_of(static_cast<std::uint32_t>(place), slice_bits);
    }
};

/// Which lines one of 2^device_bits devices transforms. In passes after the first they are those whose elements lie in the slice with the
/// device's number before the pass. \pre the batch is 1, there are two passes or more, and device_bits <= digits.bits[0]
struct NttShare {
    std::uint32_t device_bits;
    std::uint32_t device;  ///< the number of the device and of its slices

    CUPOOL_HOST_DEVICE std::uint32_t slice_bits(const NttPassShape& shape) const { return shape.digits.log_size() - device_bits; }
    CUPOOL_HOST_DEVICE std::uint32_t line_count(const NttPassShape& shape) const { return shape.line_count() >> device_bits; }

    /// The number of a line of the pass, by its number within the share. The slice is the upper bits of the first digit; only the last pass
    /// to natural order counts lines with that digit lowest.
    CUPOOL_HOST_DEVICE std::uint32_t line_number(const NttPassShape& shape, std::uint32_t own_number) const {
        if (shape.is_last == 0 || shape.output_order != NttOrder::natural) return device * line_count(shape) + own_number;
        const std::uint32_t own_bits = shape.digits.bits[0] - device_bits;
        return ((own_number >> own_bits) << device_bits | device) << own_bits | low_bits_of(own_number, own_bits);
    }
};

/// The arguments of the kernel of a pass over slices.
template <class Element>
struct NttSlicedPass {
    NttPass<Element> pass;  ///< whose input and output are not used
    NttShare share;
    NttSlices<const Element> inputs;
    NttSlices<Element> outputs;
};

}  // namespace cupool::detail
