// Accumulation in an MSM without batched-affine rounds.

#include "msm/device/stages/stage4_accumulate.cuh"

using namespace cupool::device;

/// Sums the points of slots. grid.y counts rows from rows.first.
CUPOOL_KERNEL CUPOOL_BLOCKS(point_block_size, summing_blocks) void msm_accumulate_slots(MsmKernelParams params) {
    const std::uint32_t row = params.rows.first + block_index_y();
    accumulate(params, row, SlotPoints<FastAffine>(params, row));
}
