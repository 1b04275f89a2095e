// Sorts the terms by row and bucket: count_bins, place_bins, bin_carried_points, scatter_to_bins, count_buckets, size_bins, place_buckets,
// scatter_to_buckets. For weight splitting split_weights replaces the first four. index_pairs then indexes the pairs of the later rounds.

#include "msm/device/stages/window_instances.cuh"

using namespace cupool::device;
using cupool::detail::indexing_blocks;
using cupool::detail::largest_bin;
using cupool::detail::largest_bin_table;
using cupool::detail::place_block_size;
using cupool::detail::scattering_blocks;

/// grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_bins(MsmKernelParams params) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin_table];
    count_bins<Curve>(params, block_index_y(), counts);
}

/// One block for each row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_place_bins(MsmKernelParams params) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size / warp_size];
    place_bins(params, block_index(), sums);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_bin_carried_points(MsmKernelParams params) {
    bin_carried_points(params, block_index_y(), block_index());
}

/// grid.y is the row of `params`.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_split_weights(MsmKernelParams params, MsmKernelParams split) {
    split_weights(params, split, block_index_y(), block_index());
}

/// One block for each tile and digit; grid.y is the MSM.
CUPOOL_KERNEL CUPOOL_BLOCKS(bin_block_size, scattering_blocks) void msm_scatter_to_bins(MsmKernelParams params) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_bins(params, block_index_y(), block_index() % params.digits.count, block_index() / params.digits.count, shared);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(bin_block_size) void msm_count_buckets(MsmKernelParams params) {
    CUPOOL_SHARED static std::uint32_t counts[largest_bin];
    count_buckets(params, block_index_y(), counts);
}

/// One block for each bin; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_size_bins(MsmKernelParams params) {
    CUPOOL_SHARED static TwoScans scans;
    size_bins(params, block_index_y(), block_index(), scans);
}

/// One block for each bin; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_place_buckets(MsmKernelParams params) {
    CUPOOL_SHARED static TwoScans scans;
    place_buckets(params, block_index_y(), block_index(), scans);
}

/// grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCKS(bin_block_size, scattering_blocks) void msm_scatter_to_buckets(MsmKernelParams params) {
    CUPOOL_SHARED static ScatterMemory shared;
    scatter_to_buckets(params, block_index_y(), shared);
}

/// All rounds from the second, one after the other, with indexing_blocks() blocks each; grid.y is the row.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(place_block_size) void msm_index_pairs(MsmKernelParams params) {
    CUPOOL_SHARED static std::uint32_t sums[place_block_size / warp_size];
    std::uint32_t round = 2;
    std::uint32_t tile = block_index();
    for (; tile >= indexing_blocks(params, round); ++round) tile -= indexing_blocks(params, round);
    index_pairs(params, block_index_y(), round, tile, sums);
}
