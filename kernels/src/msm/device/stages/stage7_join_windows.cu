// From bit sums to the sums of windows, join_bit_sums, and on to results in device memory, join_windows.

#include "curve/lane_group_xyzz.cuh"
#include "msm/device/stages/window_instances.cuh"

using namespace cupool::device;
using cupool::detail::sum_block_size;

using LaneGroup = LaneGroupXyzz<BaseField>;

/// The sum of a window: that of 2^k times its sum for bit k (Horner's rule). A lane group takes a window.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_bit_sums(const void* bit_sums, void* window_sums, std::uint32_t window_count,
                                                                       std::uint32_t weight_bits) {
    const std::uint32_t window = global_lane_group_index();
    if (window >= window_count) return;
    const Xyzz* const sums = static_cast<const Xyzz*>(bit_sums) + std::uint64_t{window} * weight_bits;
    LaneGroup total = LaneGroup::infinity();
#pragma unroll 1
    for (std::uint32_t bit = weight_bits; bit-- > 0;) {
        total = total.doubled();
        total += LaneGroup::load(sums[bit]);
    }
    total.store(static_cast<Xyzz*>(window_sums)[window]);
}

/// The results of MSMs in Jacobian coordinates, from the sums of their windows, [msm][window]; window_sums.hpp does the same on the host. A
/// lane group takes an MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_windows(const void* window_sums, void* results, std::uint32_t msm_count,
                                                                      std::uint32_t window_count, std::uint32_t width,
                                                                      std::uint32_t in_montgomery_form) {
    const std::uint32_t msm = global_lane_group_index();
    if (msm >= msm_count) return;
    const Xyzz* const sums = static_cast<const Xyzz*>(window_sums) + std::uint64_t{msm} * window_count;
    LaneGroup total = LaneGroup::infinity();
#pragma unroll 1
    for (std::uint32_t i = window_count; i-- > 0;) {
#pragma unroll 1
        for (std::uint32_t doubling = 0; doubling < width; ++doubling) total = total.doubled();
        total += LaneGroup::load(sums[i]);
    }
    total.store_jacobian(static_cast<BaseField*>(results) + std::uint64_t{msm} * 3, in_montgomery_form != 0);
}
