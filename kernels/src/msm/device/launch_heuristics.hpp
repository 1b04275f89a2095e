#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/device/kernel_params.hpp"
#include "msm/device/rounds.hpp"

namespace cupool::detail {

/// How the kernels of a plan divide their work. All thresholds are measured on an H200.

/// The scalars that a block of count_bins takes: few enough for all multiprocessors to have some, and enough to make clearing and adding up
/// a block's counters cheap beside counting.
std::uint32_t choose_counted_tile(std::uint64_t scalars, unsigned multiprocessors);

/// The binary logarithm of the buckets of a bin.
std::uint32_t choose_bin_shift(std::uint32_t max_terms, std::uint32_t bucket_count);

/// The number of batched-affine rounds. \pre params.rows is set
std::uint32_t choose_rounds(const MsmKernelParams& params, BucketRemainder remainder, std::uint64_t resident_threads,
                            std::size_t coordinate_bytes);

/// The points that a thread accumulates. \pre params.rounds.count is set \param resident_blocks  of accumulation, on the device
std::uint32_t choose_interval_size(const MsmKernelParams& params, std::uint64_t resident_blocks);

/// The lane groups that join the intervals of a bucket. \pre the intervals of params.accumulation are set
std::uint32_t choose_lane_groups_a_bucket(const MsmKernelParams& params, unsigned multiprocessors);

/// Lane groups that join a row's buckets: some for each bucket or, if there are fewer intervals, one for each interval.
constexpr std::uint32_t joining_lane_groups(const MsmKernelParams& params) {
    return params.rows.bucket_count <= params.accumulation.interval_count
               ? params.rows.bucket_count * params.accumulation.lane_groups_a_bucket
               : params.accumulation.interval_count;
}

/// How many rows the rounds work on at a time: as the budget allows, and about equally many each time.
std::uint32_t choose_rows_at_once(const MsmKernelParams& params, std::size_t coordinate_bytes, std::uint64_t rounds_budget);

/// How many blocks work on a row of up to `row_pairs` pairs in a round (from 1), of `rows` rows: so many that all blocks fill the device a
/// whole number of times. \param resident_blocks  of the rounds' kernels, on the device
std::uint32_t choose_pair_blocks(std::uint32_t round, std::uint32_t row_pairs, std::uint32_t rows, std::uint32_t resident_blocks,
                                 std::size_t coordinate_bytes);

}  // namespace cupool::detail
