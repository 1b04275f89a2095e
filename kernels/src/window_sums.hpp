#pragma once

#include <cstddef>
#include <span>

#include "repeated_doubling.hpp"
#include "xyzz.hpp"

namespace cupool::detail {

/// Joins the windows of an MSM: sum of 2^(width w) * window_sums[w] (Horner's rule, from the highest window down).
template <class Field>
Xyzz<Field> combine_windows(std::span<const Xyzz<Field>> window_sums, unsigned width) {
    if (window_sums.empty()) return Xyzz<Field>::infinity();
    Xyzz<Field> total = window_sums.back();
    for (std::size_t window = window_sums.size() - 1; window-- > 0;) {
        total = doubled_times(total, width);
        total += window_sums[window];
    }
    return total;
}

}  // namespace cupool::detail
