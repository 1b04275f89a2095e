#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cupool::detail {

/// A run of neighbouring items.
struct Share {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
};

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

/// Divides items in proportion to weights, which are above 0, to within one item. The shares cover all items in order; some may be empty.
inline std::vector<Share> divide(std::uint64_t items, const std::vector<double>& weights) {
    const long double whole = std::accumulate(weights.begin(), weights.end(), 0.0L);
    std::vector<Share> shares;
    std::uint64_t offset = 0;
    long double weight = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weight += weights[i];
        const bool is_last = i + 1 == weights.size();
        const std::uint64_t end =
            is_last ? items : static_cast<std::uint64_t>(std::round(static_cast<long double>(items) * (weight / whole)));
        shares.push_back({offset, end - offset});
        offset = end;
    }
    return shares;
}

}  // namespace cupool::detail
