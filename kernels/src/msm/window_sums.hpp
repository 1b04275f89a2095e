#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "curve/repeated_doubling.hpp"
#include "curve/xyzz.hpp"

namespace cupool::detail {

/// Joins the sums of the windows of an MSM, [window][sum]: the sum of 2^(width w + s) * sums[w][s]
/// by Horner's rule, from the highest bit down.
template <class Field>
Xyzz<Field> combine_windows(std::span<const Xyzz<Field>> sums, unsigned width, unsigned sums_a_window = 1) {
    const std::size_t windows = sums.size() / sums_a_window;
    std::vector<Xyzz<Field>> of_bit(windows * width + sums_a_window, Xyzz<Field>::infinity());
    for (std::size_t window = 0; window < windows; ++window) {
        for (unsigned i = 0; i < sums_a_window; ++i) of_bit[window * width + i] += sums[window * sums_a_window + i];
    }
    Xyzz<Field> total = Xyzz<Field>::infinity();
    unsigned doublings = 0;
    for (std::size_t bit = of_bit.size(); bit-- > 0; ++doublings) {
        if (of_bit[bit].is_infinity()) continue;
        total = doubled_times(total, doublings);
        total += of_bit[bit];
        doublings = 0;
    }
    return doubled_times(total, doublings - 1);
}

}  // namespace cupool::detail
