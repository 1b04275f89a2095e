// From the sums of rows to results in the device's memory: join_windows.

#include "msm_rows.cuh"
#include "quad_xyzz.cuh"

using namespace cupool::device;
using cupool::detail::sum_block_size;

using Quad = QuadXyzz<BaseField>;

/// The results of MSMs in Jacobian coordinates, from their windows' sums, [msm][sum], as window_sums.hpp has it for the host. A quad an
/// MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(sum_block_size) void msm_join_windows(const void* row_sums, void* results, std::uint32_t msm_count,
                                                                      std::uint32_t sum_count, std::uint32_t width, std::uint32_t low_bits,
                                                                      std::uint32_t in_montgomery_form) {
    const std::uint32_t msm = global_quad_index();
    if (msm >= msm_count) return;
    const Xyzz* sums = static_cast<const Xyzz*>(row_sums) + std::uint64_t{msm} * sum_count;
    Quad total = Quad::infinity();
#pragma unroll 1
    for (std::uint32_t i = sum_count; i-- > 0;) {
        const std::uint32_t bits = cupool::detail::bits_to_next_sum(i, width, low_bits);
#pragma unroll 1
        for (std::uint32_t doubling = 0; doubling < bits; ++doubling) total = total.doubled();
        total += Quad::load(sums[i]);
    }
    total.store_jacobian(static_cast<BaseField*>(results) + std::uint64_t{msm} * 3, in_montgomery_form != 0);
}
