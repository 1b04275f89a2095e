// The rounds of pairwise addition: add_first_pairs, then add_pairs; and leaving their sums to another plan: carry_sums.

#include "msm/device/stages/rows.cuh"

using namespace cupool::device;

CUPOOL_DEVICE SumPlaces<FastAffine> sums_in_row(const MsmPlan& plan, std::uint32_t round) {
    return SumPlaces<FastAffine>::in_row(row_of_round(plan, round), most_row_points(plan, round));
}

/// The first round. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCKS(pair_block_size, summing_blocks) void msm_add_first_pairs(MsmPlan plan) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    CUPOOL_SHARED static Words4 gathered[SlotPairs<FastAffine>::shared_words];
    const std::uint32_t row = plan.first_row + block_index_y();
    const std::uint32_t pair_count = starts_of(plan, 1, row)[plan.bucket_count];
    add_pairs(SlotPairs<FastAffine>(plan, row, gathered), sums_in_row(plan, 1), prefixes_of(plan), pair_count,
              reinterpret_cast<BaseField*>(shared));
}

/// Round number `round`, from 2. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(pair_block_size) void msm_add_pairs(MsmPlan plan, std::uint32_t round) {
    CUPOOL_SHARED static char shared[pair_block_size * sizeof(BaseField)] __attribute__((aligned(16)));
    const std::uint32_t row = plan.first_row + block_index_y();
    const RowPairs<FastAffine> pairs(sums_of_round(plan, round - 1), pair_names_of(plan, round, row));
    const std::uint32_t pair_count = starts_of(plan, round, row)[plan.bucket_count];
    const bool is_left = round == plan.rounds && leaves_sums(plan);
    const auto sums = is_left ? SumPlaces<FastAffine>::carried(carried_points_of<FastAffine>(plan, row)) : sums_in_row(plan, round);
    add_pairs(pairs, sums, prefixes_of(plan), pair_count, reinterpret_cast<BaseField*>(shared));
}

/// Makes what the last round left the carried points of another plan: where they begin and, as the first round may have read such points
/// itself, what that left if it was the last. grid.y counts rows from first_row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(point_block_size) void msm_carry_sums(MsmPlan plan) {
    const std::uint32_t row = plan.first_row + block_index_y();
    FastAffine* const carried = carried_points_of<FastAffine>(plan, row);
    const std::uint32_t* const starts = starts_of(plan, plan.rounds, row);
    std::uint32_t* const carried_starts = carried_starts_of(plan, row);
    const std::uint32_t stride = grid_size() * point_block_size;
#pragma unroll 1
    for (std::uint32_t i = global_index(); i <= plan.bucket_count; i += stride) carried_starts[i] = starts[i];
    if (plan.rounds != 1) return;
    const PointRow<FastAffine> sums = sums_of_round(plan, 1);
#pragma unroll 1
    for (std::uint32_t i = global_index(); i < starts[plan.bucket_count]; i += stride) carried[i] = sums[i];
}
