// The reductions of one type of elements: CUPOOL_SUM to CUPOOL_INDEX say how it is accumulated for each operation.

#include "reduce/combine.cuh"
#include "reduce/segments.cuh"
#include "reduce/whole.cuh"

using namespace cupool::device;

#define CUPOOL_REDUCE_KERNELS(name, ...)                                                                                                 \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void whole_##name(const typename __VA_ARGS__::Element* input, std::uint64_t count,              \
                                                           std::uint64_t tile_elements, std::uint64_t first_tile, std::uint64_t tiles,   \
                                                           typename __VA_ARGS__::Accumulator* tile_values, std::uint32_t* counter,       \
                                                           void* result, std::uint32_t result_bytes, std::uint64_t flip) {               \
        reduce_whole(__VA_ARGS__{{}, flip}, input, count, tile_elements, first_tile, tiles, tile_values, counter, result, result_bytes); \
    }

#define CUPOOL_SEGMENT_KERNELS(name, ...)                                                                                              \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void long_segments_##name(                                                                    \
        const typename __VA_ARGS__::Element* input, const std::uint64_t* offsets, std::uint64_t length, std::uint64_t least,           \
        typename __VA_ARGS__::Accumulator* tile_values, std::uint32_t* counters, char* results, std::uint32_t result_bytes,            \
        std::uint64_t flip) {                                                                                                          \
        reduce_long_segments(__VA_ARGS__{{}, flip}, input, {offsets, length}, least, tile_values, counters, results, result_bytes);    \
    }                                                                                                                                  \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void short_segments_##name(                                                                   \
        const typename __VA_ARGS__::Element* input, const std::uint64_t* offsets, std::uint64_t length, std::uint64_t segments,        \
        std::uint64_t most, std::uint32_t width, std::uint32_t turns, char* results, std::uint32_t result_bytes, std::uint64_t flip) { \
        reduce_short_segments(__VA_ARGS__{{}, flip}, input, {offsets, length}, segments, most, width, turns, results, result_bytes);   \
    }

#define CUPOOL_COMBINE_KERNEL(name, ...)                                                                                               \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void combine_##name(                                                                          \
        typename __VA_ARGS__::Element* target, const typename __VA_ARGS__::Element* source, std::uint64_t count, std::uint64_t flip) { \
        combine_elements(__VA_ARGS__{{}, flip}, target, source, count);                                                                \
    }

CUPOOL_REDUCE_KERNELS(sum, CUPOOL_SUM)
CUPOOL_SEGMENT_KERNELS(sum, CUPOOL_SUM)
CUPOOL_COMBINE_KERNEL(sum, CUPOOL_SUM)
#ifdef CUPOOL_WIDE_SUM
CUPOOL_REDUCE_KERNELS(wide_sum, CUPOOL_WIDE_SUM)
CUPOOL_SEGMENT_KERNELS(wide_sum, CUPOOL_WIDE_SUM)
#endif
#ifdef CUPOOL_PRODUCT
CUPOOL_REDUCE_KERNELS(product, CUPOOL_PRODUCT)
CUPOOL_SEGMENT_KERNELS(product, CUPOOL_PRODUCT)
CUPOOL_COMBINE_KERNEL(product, CUPOOL_PRODUCT)
#endif
CUPOOL_REDUCE_KERNELS(minimum, CUPOOL_MINIMUM)
CUPOOL_SEGMENT_KERNELS(minimum, CUPOOL_MINIMUM)
CUPOOL_COMBINE_KERNEL(minimum, CUPOOL_MINIMUM)
CUPOOL_REDUCE_KERNELS(index, CUPOOL_INDEX)
