#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "msm_layout.hpp"
#include "repeated_doubling.hpp"
#include "xyzz.hpp"

namespace cupool::detail {

/// Joins the sums of an MSM's windows: sum of 2^(width w) * sums[w], or, where a window has two, of 2^(width w) * (sums[2 w] +
/// 2^low_bits * sums[2 w + 1]) (Horner's rule, from the highest sum down). \param low_bits  0 where a window has one sum
template <class Field>
Xyzz<Field> combine_windows(std::span<const Xyzz<Field>> sums, unsigned width, unsigned low_bits = 0) {
    if (sums.empty()) return Xyzz<Field>::infinity();
    Xyzz<Field> total = sums.back();
    for (std::size_t i = sums.size() - 1; i-- > 0;) {
        total = doubled_times(total, bits_to_next_sum(static_cast<std::uint32_t>(i), width, low_bits));
        total += sums[i];
    }
    return total;
}

}  // namespace cupool::detail
