#pragma once

/// \file
/// A block reduces a tile: docs/reduce.md has the order.

#include "reduce/accumulation.cuh"
#include "reduce/order.hpp"

namespace cupool::device {

/// Takes the elements of one vector that are below `count`, one by one.
template <class Policy>
CUPOOL_DEVICE void take_elements(const Policy& policy, typename Policy::Lane& lane, const typename Policy::Element* tile,
                                 std::uint64_t first, std::uint64_t count) {
    using E = typename Policy::Element;
    constexpr std::uint32_t vector = vector_elements<E>;
    if constexpr (Policy::has_components) {
        E elements[vector]{};
#pragma unroll
        for (unsigned i = 0; i < vector; ++i) {
            if (first + i < count) elements[i] = tile[first + i];
        }
#pragma unroll
        for (unsigned i = 0; i < vector; ++i) {
            if (first + i < count) policy.take_one(lane, i, elements[i], static_cast<std::uint32_t>(first) + i);
        }
    } else {
        const std::uint64_t end = first + vector < count ? first + vector : count;
#pragma unroll 1
        for (; first < end; ++first) policy.take_one(lane, 0, tile[first], static_cast<std::uint32_t>(first));
    }
}

/// Loads that a lane has in flight.
inline constexpr unsigned rows_in_flight = 4;

/// Takes a lane's vectors of `Rows` rows, all loads in flight together. \param first  its element in the first of them; moved past the last
template <unsigned Rows, class Policy>
CUPOOL_DEVICE void take_rows(const Policy& policy, typename Policy::Lane& lane, const typename Policy::Element* tile,
                             std::uint64_t& first) {
    constexpr std::uint32_t row_elements = vector_elements<typename Policy::Element> * detail::reduce_lanes;
    Vec4 words[Rows];
#pragma unroll
    for (unsigned i = 0; i < Rows; ++i) words[i] = Policy::load(tile + first + i * row_elements);
#pragma unroll
    for (unsigned i = 0; i < Rows; ++i) policy.take(lane, words[i], static_cast<std::uint32_t>(first) + i * row_elements);
    first += Rows * row_elements;
}

/// What a lane accumulates of a tile of `count` elements. \param first  the lane's first element
template <class Policy>
CUPOOL_DEVICE typename Policy::Accumulator lane_value(const Policy& policy, const typename Policy::Element* tile, std::uint64_t count,
                                                      std::uint64_t first) {
    constexpr std::uint32_t vector = vector_elements<typename Policy::Element>;
    constexpr std::uint32_t row_elements = vector * detail::reduce_lanes;
    auto lane = policy.lane();
    if (is_vector_aligned(tile)) {
        while (first + (rows_in_flight - 1) * row_elements + vector <= count) take_rows<rows_in_flight>(policy, lane, tile, first);
#pragma unroll 1
        while (first + vector <= count) take_rows<1>(policy, lane, tile, first);
    }
#pragma unroll 1
    for (; first < count; first += row_elements) {
        take_elements(policy, lane, tile, first, count);
    }
    return Policy::value(lane);
}

/// The same for this thread's lane of a block that reduces the tile.
template <class Policy>
CUPOOL_DEVICE typename Policy::Accumulator lane_value(const Policy& policy, const typename Policy::Element* tile, std::uint64_t count) {
    return lane_value(policy, tile, count, thread_index() * vector_elements<typename Policy::Element>);
}

/// The lanes of a block folded; thread 0 gets the value. \param lanes  shared memory for the values of a block
template <class Policy>
CUPOOL_DEVICE typename Policy::Accumulator fold_lanes(typename Policy::Accumulator own, typename Policy::Accumulator* lanes) {
    using A = typename Policy::Accumulator;
    lanes[thread_index()] = own;
    block_barrier();
    if (warp_index() == 0) {
        constexpr unsigned warps = detail::reduce_lanes / warp_size;
        A of_warps[warps];
#pragma unroll
        for (unsigned i = 0; i < warps; ++i) of_warps[i] = lanes[i * warp_size + thread_index()];
        own = fold_components<Policy, warps>(of_warps);
#pragma unroll
        for (unsigned half = warp_size / 2; half > 0; half /= 2) own = Policy::combine(own, shuffle_value(own, half));
    }
    return own;
}

}  // namespace cupool::device
