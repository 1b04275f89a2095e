// Reductions: one level of the tree that docs/reduce.md describes, and element-by-element combination, for every type and operation.

#include "device.cuh"
#include "reduce/operations.hpp"

using namespace cupool::device;
using cupool::detail::reduce_elements_a_lane;
using cupool::detail::reduce_lanes;
using cupool::detail::reduce_tile;

namespace {

/// Reduces tile number block_index() of `input` into output[block_index()]. A block a tile.
template <class Operation, class T>
CUPOOL_DEVICE void reduce_one_tile(const T* input, T* output, std::uint64_t count, T* lanes) {
    const std::uint64_t first = std::uint64_t{block_index()} * reduce_tile;
    const T* tile = input + first;
    const std::uint32_t tile_size = count - first < reduce_tile ? static_cast<std::uint32_t>(count - first) : reduce_tile;
    const std::uint32_t lane = thread_index();

    T own{};
    if (tile_size == reduce_tile) {
        own = tile[lane];
#pragma unroll
        for (std::uint32_t i = 1; i < reduce_elements_a_lane; ++i) own = Operation::combine(own, tile[lane + i * reduce_lanes]);
    } else if (lane < tile_size) {
        own = tile[lane];
        for (std::uint32_t i = lane + reduce_lanes; i < tile_size; i += reduce_lanes) own = Operation::combine(own, tile[i]);
    }
    lanes[lane] = own;
    for (std::uint32_t half = reduce_lanes / 2; half > 0; half /= 2) {
        block_barrier();
        if (lane < half && lane + half < tile_size) lanes[lane] = Operation::combine(lanes[lane], lanes[lane + half]);
    }
    if (lane == 0) output[block_index()] = lanes[0];
}

template <class Operation, class T>
CUPOOL_DEVICE void combine_one_element(T* target, const T* source, std::uint64_t count) {
    const std::uint64_t i = std::uint64_t{block_index()} * block_size() + thread_index();
    if (i < count) target[i] = cupool::detail::with_canonical_nan(Operation::combine(target[i], source[i]));
}

}  // namespace

#define CUPOOL_REDUCE_KERNELS(Operation, operation, T, type)                                                                         \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(reduce_lanes) void reduce_##operation##_##type(const T* input, T* output, std::uint64_t count) { \
        CUPOOL_SHARED static T lanes[reduce_lanes];                                                                                  \
        reduce_one_tile<cupool::detail::Operation>(input, output, count, lanes);                                                     \
    }                                                                                                                                \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void combine_##operation##_##type(T* target, const T* source, std::uint64_t count) {        \
        combine_one_element<cupool::detail::Operation>(target, source, count);                                                       \
    }

#define CUPOOL_REDUCE_OPERATIONS(T, type)    \
    CUPOOL_REDUCE_KERNELS(Sum, sum, T, type) \
    CUPOOL_REDUCE_KERNELS(Min, min, T, type) \
    CUPOOL_REDUCE_KERNELS(Max, max, T, type)

CUPOOL_REDUCE_OPERATIONS(std::int32_t, i32)
CUPOOL_REDUCE_OPERATIONS(std::uint32_t, u32)
CUPOOL_REDUCE_OPERATIONS(std::int64_t, i64)
CUPOOL_REDUCE_OPERATIONS(std::uint64_t, u64)
CUPOOL_REDUCE_OPERATIONS(float, f32)
CUPOOL_REDUCE_OPERATIONS(double, f64)
