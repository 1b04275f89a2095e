#pragma once

/// \file
/// One launch reduces a whole array: blocks reduce tiles, and the last block to finish reduces their values.

#include "reduce/tile.cuh"

namespace cupool::device {

/// An index counts from the beginning of the array.
template <class A>
CUPOOL_DEVICE A offset_by(A value, std::uint64_t /*first*/) {
    return value;
}
CUPOOL_DEVICE IndexedKey offset_by(IndexedKey value, std::uint64_t first) {
    return {value.key, value.index == ~std::uint64_t{0} ? value.index : value.index + first};
}

/// Reduces the tiles of input[0, count), and with a `counter` all values into `result`. A float sum has a value of each tile, in
/// tile_values[first_tile, tiles); what has no order has one of each block, which all launches with the same grid accumulate.
/// \param tiles  first_tile + the tiles of `input` \param counter  how many blocks have finished; 0 before and after
template <class Policy>
CUPOOL_DEVICE void reduce_whole(const Policy& policy, const typename Policy::Element* input, std::uint64_t count,
                                std::uint64_t tile_elements, std::uint64_t first_tile, std::uint64_t tiles,
                                typename Policy::Accumulator* tile_values, std::uint32_t* counter, void* result,
                                std::uint32_t result_bytes) {
    using A = typename Policy::Accumulator;
    CUPOOL_SHARED static A lanes[2][detail::reduce_lanes];
    CUPOOL_SHARED static std::uint32_t is_last;
    const std::uint64_t values = Policy::has_components ? tiles : grid_size();
    const bool has_one_value = values == 1 && counter != nullptr;
    unsigned parity = 0;
    A value = policy.identity();
    A own = policy.identity();
    for (std::uint64_t tile = first_tile + block_index(); tile < tiles; tile += grid_size()) {
        const std::uint64_t first = (tile - first_tile) * tile_elements;
        const std::uint64_t size = count - first < tile_elements ? count - first : tile_elements;
        const A of_tile = lane_value(policy, input + first, size);
        if constexpr (Policy::has_components) {
            value = fold_lanes<Policy>(of_tile, lanes[parity]);
            parity ^= 1;
            if (thread_index() == 0 && !has_one_value) tile_values[tile] = value;
        } else {
            own = Policy::combine(own, offset_by(of_tile, tile * tile_elements));
        }
    }
    if constexpr (!Policy::has_components) {
        value = fold_lanes<Policy>(own, lanes[parity]);
        parity ^= 1;
        if (thread_index() == 0 && first_tile != 0) value = Policy::combine(tile_values[block_index()], value);
        if (thread_index() == 0 && !has_one_value) tile_values[block_index()] = value;
    }
    if (counter == nullptr) return;
    if (!has_one_value) {
        if (thread_index() == 0) {
            memory_fence();
            is_last = atomic_increment(counter, grid_size() - 1) == grid_size() - 1 ? 1 : 0;
            memory_fence();
        }
        block_barrier();
        if (is_last == 0) return;
        value = fold_lanes<Policy>(lane_value(ValuesOf<Policy>{policy}, tile_values, values), lanes[parity]);
    }
    if (thread_index() == 0) policy.store(result, result_bytes, value, first_tile * tile_elements + count);
}

}  // namespace cupool::device
