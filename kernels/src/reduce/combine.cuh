#pragma once

/// \file
/// Two arrays combined element by element.

#include "reduce/accumulation.cuh"

namespace cupool::device {

template <class Policy>
CUPOOL_DEVICE void combine_elements(const Policy& policy, typename Policy::Element* target, const typename Policy::Element* source,
                                    std::uint64_t count) {
    for (std::uint64_t i = std::uint64_t{block_index()} * block_size() + thread_index(); i < count;
         i += std::uint64_t{grid_size()} * block_size()) {
        auto lane = policy.lane();
        policy.take_one(lane, 0, target[i], 0);
        policy.take_one(lane, 0, source[i], 0);
        policy.store(target + i, sizeof(target[i]), Policy::value(lane), 2);
    }
}

}  // namespace cupool::device
