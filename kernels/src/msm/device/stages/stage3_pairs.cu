// Batched-affine rounds: add_first_pairs, then add_pairs; carry_sums carries their sums over.

#include "msm/device/stages/window_instances.cuh"

using namespace cupool::device;

CUPOOL_DEVICE SumPlaces<FastAffine> sums_in_row(const MsmKernelParams& params, std::uint32_t round) {
    return SumPlaces<FastAffine>::in_row(row_of_round(params, round), max_row_points(params, round));
}

/// The first round. grid.y counts rows from rows.first.
CUPOOL_KERNEL CUPOOL_BLOCKS(pair_block_size, summing_blocks) void msm_add_first_pairs(MsmKernelParams params) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    CUPOOL_SHARED static Vec4 gathered[SlotPairs<FastAffine>::shared_words];
    const std::uint32_t row = params.rows.first + block_index_y();
    const std::uint32_t pair_count = starts_of(params, 1, row)[params.rows.bucket_count];
    add_pairs(SlotPairs<FastAffine>(params, row, gathered), sums_in_row(params, 1), prefixes_of(params), pair_count,
              reinterpret_cast<BaseField*>(shared));
}

/// Round number `round`, from 2. grid.y counts rows from rows.first.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(pair_block_size) void msm_add_pairs(MsmKernelParams params, std::uint32_t round) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    const std::uint32_t row = params.rows.first + block_index_y();
    const RowPairs<FastAffine> pairs(sums_of_round(params, round - 1), pair_indices_of(params, round, row));
    const std::uint32_t pair_count = starts_of(params, round, row)[params.rows.bucket_count];
    const bool is_left = round == params.rounds.count && leaves_sums(params);
    const auto sums = is_left ? SumPlaces<FastAffine>::carried(carried_points_of<FastAffine>(params, row)) : sums_in_row(params, round);
    add_pairs(pairs, sums, prefixes_of(params), pair_count, reinterpret_cast<BaseField*>(shared));
}

/// Makes bucket remainders carried points: writes where they begin and, if the only round may have read carried points itself, copies the
/// points. grid.y counts rows from rows.first.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(point_block_size) void msm_carry_sums(MsmKernelParams params) {
    const std::uint32_t row = params.rows.first + block_index_y();
    FastAffine* const carried = carried_points_of<FastAffine>(params, row);
    const std::uint32_t* const starts = starts_of(params, params.rounds.count, row);
    std::uint32_t* const carried_starts = carried_starts_of(params, row);
    const std::uint32_t stride = grid_size() * point_block_size;
#pragma unroll 1
    for (std::uint32_t i = global_index(); i <= params.rows.bucket_count; i += stride) carried_starts[i] = starts[i];
    if (params.rounds.count != 1) return;
    const PointRow<FastAffine> sums = sums_of_round(params, 1);
#pragma unroll 1
    for (std::uint32_t i = global_index(); i < starts[params.rows.bucket_count]; i += stride) carried[i] = sums[i];
}
