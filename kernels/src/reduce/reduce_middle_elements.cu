// The reductions of one type of elements over the middle dimension: CUPOOL_SUM and its kin say how it is accumulated for each operation.

#include "reduce/middle.cuh"

using namespace cupool::device;

#define CUPOOL_MIDDLE_KERNELS(name, ...)                                                                                                 \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void middle_##name(                                                                             \
        const typename __VA_ARGS__::Element* input, std::uint64_t outer, std::uint64_t middle, std::uint64_t inner,                      \
        std::uint64_t tile_rows, std::uint64_t shares, std::uint32_t width, std::uint32_t columns,                                       \
        typename __VA_ARGS__::Accumulator* values, char* results, std::uint32_t result_bytes, std::uint64_t count, std::uint64_t flip) { \
        const __VA_ARGS__ policy{{}, flip};                                                                                              \
        reduce_middle(policy, policy, input, {outer, middle, inner, tile_rows, shares, width}, columns,                                  \
                      {values, results, result_bytes, count});                                                                           \
    }                                                                                                                                    \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void middle_values_##name(                                                                      \
        const typename __VA_ARGS__::Accumulator* input, std::uint64_t outer, std::uint64_t middle, std::uint64_t inner,                  \
        std::uint64_t tile_rows, std::uint64_t shares, std::uint32_t width, std::uint32_t columns,                                       \
        typename __VA_ARGS__::Accumulator* values, char* results, std::uint32_t result_bytes, std::uint64_t count, std::uint64_t flip) { \
        const __VA_ARGS__ policy{{}, flip};                                                                                              \
        reduce_middle(ValuesOf<__VA_ARGS__>{policy}, policy, input, {outer, middle, inner, tile_rows, shares, width}, columns,           \
                      {values, results, result_bytes, count});                                                                           \
    }

CUPOOL_MIDDLE_KERNELS(sum, CUPOOL_SUM)
#ifdef CUPOOL_WIDE_SUM
CUPOOL_MIDDLE_KERNELS(wide_sum, CUPOOL_WIDE_SUM)
#endif
#ifdef CUPOOL_PRODUCT
CUPOOL_MIDDLE_KERNELS(product, CUPOOL_PRODUCT)
#endif
CUPOOL_MIDDLE_KERNELS(minimum, CUPOOL_MINIMUM)
