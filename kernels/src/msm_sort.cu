// Sorts the terms by row and bucket: count_bins, place_bins, scatter_to_bins, count_buckets, size_bins, place_buckets,
// scatter_to_buckets.

#include "msm_rows.cuh"

using namespace cupool::device;
using cupool::detail::largest_bin;
using cupool::detail::largest_bin_table;
using cupool::detail::no_term;
using cupool::detail::place_block_size;

/// grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin_table];
    count_bins<ScalarField>(plan, block_index_y(), counts);
}

/// A block a row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_place_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size / warp_size];
    const std::uint32_t row = block_index();
    std::uint32_t* const starts = plan.bin_starts + row * (plan.bin_count + 1);
    const std::uint32_t end = place<place_block_size>(plan.bin_cursors + row * plan.bin_count, starts, plan.bin_count, 0, 0, sums,
                                                      [](std::uint32_t, std::uint32_t) {});
    if (thread_index() == place_block_size - 1) starts[plan.bin_count] = end;
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

/// The slots of each bin, into bin_cursors, whose cursors are done with. A block a bin; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_size_bins(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size / warp_size];
    const std::uint64_t row = block_index_y();
    const BinBuckets bin = BinBuckets::of(plan, block_index());
    const std::uint32_t size =
        sum_counts<place_block_size>(plan.cursors + row * plan.bucket_count + bin.first, bin.count, plan.rounds, sums);
    if (thread_index() == 0) plan.bin_cursors[row * plan.bin_count + block_index()] = size;
}

/// Where buckets begin, and the slots that pad them. A block a bin; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_place_buckets(MsmPlan plan) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size / warp_size];
    const std::uint64_t row = block_index_y();
    const BinBuckets bin = BinBuckets::of(plan, block_index());
    std::uint32_t* const starts = plan.starts + row * (plan.bucket_count + 1);
    const std::uint32_t first = sum_counts<place_block_size>(plan.bin_cursors + row * plan.bin_count, block_index(), 0, sums);
    std::uint32_t* const slots = plan.slots + row * plan.slot_count;
    const auto pad = [slots](std::uint32_t begin, std::uint32_t pad_end) {
        for (std::uint32_t i = begin; i < pad_end; ++i) slots[i] = no_term;
    };
    const std::uint32_t end = place<place_block_size>(plan.cursors + row * plan.bucket_count + bin.first, starts + bin.first, bin.count,
                                                      plan.rounds, first, sums, pad);
    const bool is_last = block_index() == plan.bin_count - 1 && thread_index() == place_block_size - 1;
    if (is_last) starts[plan.bucket_count] = end;
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_scatter_to_buckets(MsmPlan plan) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_buckets(plan, block_index_y(), shared);
}
