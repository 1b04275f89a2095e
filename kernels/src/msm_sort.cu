// Sorts the terms by row and bucket: count_bins, place_bins, scatter_to_bins, count_buckets, place_buckets, scatter_to_buckets.

#include "msm_rows.cuh"

using namespace cupool::device;
using cupool::detail::largest_bin;
using cupool::detail::largest_bin_count;
using cupool::detail::largest_bin_table;
using cupool::detail::place_block_size;

/// grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin_table];
    count_bins<ScalarField>(plan, block_index_y(), counts);
}

/// A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(largest_bin_count) void msm_place_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[largest_bin_count];
    const std::uint32_t row = block_index();
    place_row<largest_bin_count>(plan.bin_cursors + row * plan.bin_count, plan.bin_starts + row * (plan.bin_count + 1), plan.bin_count, 0,
                                 sums);
}

/// A block a tile of one digit; grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_scatter_to_bins(MsmPlan plan) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_bins(plan, block_index_y(), block_index() % plan.digit_count, block_index() / plan.digit_count, shared);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_buckets(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin];
    count_buckets(plan, block_index_y(), counts);
}

/// A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_place_buckets(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size];
    const std::uint64_t row = block_index();
    place_row<place_block_size>(plan.cursors + row * plan.bucket_count, plan.starts + row * (plan.bucket_count + 1), plan.bucket_count,
                                plan.rounds, sums);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_scatter_to_buckets(MsmPlan plan) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_buckets(plan, block_index_y(), shared);
}
