// Sums the buckets of an MSM that has no pairwise rounds.

#include "msm/device/stages/stage4_accumulate.cuh"

using namespace cupool::device;

/// Without rounds: sums the slots' points. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCKS(point_block_size, summing_blocks) void msm_accumulate_slots(MsmKernelParams params) {
    const std::uint32_t row = params.rows.first + block_index_y();
    accumulate(params, row, SlotPoints<FastAffine>(params, row));
}
