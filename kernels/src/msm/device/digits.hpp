#pragma once

#include <cstdint>

#include "msm/device/kernel_params.hpp"
#include "msm/scalar_range.hpp"

namespace cupool::detail {

/// How scalars are cut into digits.
struct DigitChoice {
    bool are_scalars_split = false;  ///< each makes two terms of half its bits, with its point and the point's image: see scalar_split.hpp
    unsigned width = 0;              ///< bits of a digit

    unsigned terms_a_scalar() const { return are_scalars_split ? 2 : 1; }
    bool operator==(const DigitChoice&) const = default;
};

/// The digits of a scalar, or of each of its two parts. If scalars may be any value below r, those above r / 2 count as their difference
/// to r; parts are centred about 0, too. So the digits cover the bits of the magnitude alone. The last digit takes the carry and may be
/// up to twice as large as the others.
struct MsmDigits {
    unsigned digit_count;
    unsigned first_narrow;       ///< digits from this one on have a bit less, except the last; digit_count if none has
    unsigned terms_a_scalar;     ///< each with digit_count digits
    unsigned window_count;       ///< with several tables, digits share windows
    std::uint32_t half;          ///< largest magnitude of any digit but the last
    std::uint32_t lowest_last;   ///< minus the lowest value of the last digit
    std::uint32_t largest_last;  ///< largest magnitude of the last digit
    std::uint32_t largest;       ///< largest magnitude of any digit
};
/// \pre choice.are_scalars_split only if scalars.spans_all()
MsmDigits msm_digits(const ScalarRange& scalars, DigitChoice choice, unsigned tables);

/// How often a table's points are doubled to make the next table. \param width  bits of a digit \param table  counted from 0
unsigned doublings_to_next_table(const MsmDigits& digits, unsigned width, unsigned table);

/// If the last digits have a window of their own, it has room for several copies of their buckets. A copy has 2^last_copy_bits() buckets,
/// more than the last digit has values.
std::uint32_t last_copy_bits(const MsmDigits& digits);
std::uint32_t last_copies(const MsmDigits& digits);

/// The windows that a digit partition has something of. Partitions are equal and follow each other; digits are in order of windows.
struct WindowRange {
    unsigned first;
    unsigned count;
};
WindowRange windows_of_partition(unsigned window_count, unsigned partition, unsigned partition_count);

/// Calls visit(choice) for each way to cut scalars into digits. Scalars are split only with one table.
/// \param width  bits of a digit; 0 for any
template <class Visit>
void for_each_digit_choice(const ScalarRange& scalars, unsigned tables, unsigned width, const Visit& visit) {
    const unsigned narrowest = width != 0 ? width : 4;
    const unsigned widest = width != 0 ? width : widest_digit;
    for (const bool are_split : {false, true}) {
        if (are_split && (!scalars.spans_all() || tables > 1)) continue;
        for (unsigned any_width = narrowest; any_width <= widest; ++any_width) visit(DigitChoice{are_split, any_width});
    }
}

}  // namespace cupool::detail
