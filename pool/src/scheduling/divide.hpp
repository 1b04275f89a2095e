#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cupool/pool/division.hpp>
#include <numeric>
#include <vector>

namespace cupool::detail {

/// Divides items evenly: if they do not divide evenly, the first slices have one more. The slices cover all items in order.
inline std::vector<Slice> divide_evenly(std::uint64_t items, std::size_t parts) {
    std::vector<Slice> slices;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        // Without a product, which could overflow.
        const std::uint64_t count = items / parts + (i < items % parts ? 1 : 0);
        slices.push_back({offset, count});
        offset += count;
    }
    return slices;
}

/// Divides items in proportion to weights, to within one item, and evenly if all weights are equal. The slices cover all items in order;
/// some may be empty, and those of weight 0 are. \pre no weight is negative, one is above 0
inline std::vector<Slice> divide(std::uint64_t items, const std::vector<double>& weights) {
    if (std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights.front(); })) {
        return divide_evenly(items, weights.size());
    }
    const long double whole = std::accumulate(weights.begin(), weights.end(), 0.0L);
    std::vector<Slice> slices;
    std::uint64_t offset = 0;
    long double weight = 0;
    for (const double own : weights) {
        weight += own;
        // At the last weight above 0 both sums are equal, since they are formed in the same order.
        const std::uint64_t end =
            weight == whole ? items : static_cast<std::uint64_t>(std::round(static_cast<long double>(items) * (weight / whole)));
        slices.push_back({offset, end - offset});
        offset = end;
    }
    return slices;
}

}  // namespace cupool::detail
