// Accumulation of the bucket remainders that batched-affine rounds leave.

#include "msm/device/stages/stage4_accumulate.cuh"

using namespace cupool::device;

/// Sums what the last round left. grid.y counts rows from rows.first.
CUPOOL_KERNEL CUPOOL_BLOCKS(point_block_size, summing_blocks) void msm_accumulate_sums(MsmKernelParams params) {
    accumulate(params, params.rows.first + block_index_y(), sums_of_round(params, params.rounds.count));
}
