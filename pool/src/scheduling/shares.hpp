#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cupool/pool/division.hpp>
#include <numeric>
#include <vector>

namespace cupool::detail {

using Share = Slice;

/// Divides items evenly: the first few parts have one more where it does not come out even. The parts cover all items in order.
inline std::vector<Share> divide_evenly(std::uint64_t items, std::size_t parts) {
    std::vector<Share> shares;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        // No product, which could overflow.
        const std::uint64_t count = items / parts + (i < items % parts ? 1 : 0);
        shares.push_back({offset, count});
        offset += count;
    }
    return shares;
}

/// Divides items in proportion to weights, to within one item, and evenly where they are alike. The shares cover all items in order; some
/// may be empty, and one whose weight is 0 is. \pre no weight is negative, one is above 0
inline std::vector<Share> divide(std::uint64_t items, const std::vector<double>& weights) {
    if (std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights.front(); })) {
        return divide_evenly(items, weights.size());
    }
    const long double whole = std::accumulate(weights.begin(), weights.end(), 0.0L);
    std::vector<Share> shares;
    std::uint64_t offset = 0;
    long double weight = 0;
    for (const double own : weights) {
        weight += own;
        // At the last weight above 0 the quotient is exactly 1, as both sums were made in the same order.
        const std::uint64_t end =
            weight == whole ? items : static_cast<std::uint64_t>(std::round(static_cast<long double>(items) * (weight / whole)));
        shares.push_back({offset, end - offset});
        offset = end;
    }
    return shares;
}

}  // namespace cupool::detail
