#pragma once

/// \file
/// Sizes of batched-affine rounds: points at each level, and the indices of pairs. Device code includes this: no standard library here but
/// <cstdint>.

#include <cstdint>

#include "msm/device/kernel_params.hpp"

namespace cupool::detail {

/// What happens to the bucket remainders: they are accumulated here, carried over into the next chunk, or passed to weight splitting.
enum class BucketRemainder { accumulated, carried_over, weight_split };

/// The lowest level of which there are bucket starts.
constexpr std::uint32_t first_level(const MsmKernelParams& params) { return params.rounds.count == 0 ? 0 : 1; }

/// The most points of a row at a level; for `level` from 1 also the pairs of that round.
constexpr std::uint32_t max_points(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t filled_buckets =
        params.rows.bucket_count < params.rows.max_terms ? params.rows.bucket_count : params.rows.max_terms;
    return (params.rows.max_terms + filled_buckets * ((1u << level) - 1)) >> level;
}

/// Points of the row that a round writes: the last is infinity, the partner of a point that is unpaired.
constexpr std::uint32_t max_row_points(const MsmKernelParams& params, std::uint32_t round) { return max_points(params, round) + 1; }

/// Whether bucket remainders are left as carried points, not accumulated.
constexpr bool leaves_sums(const MsmKernelParams& params) { return params.accumulation.interval_count == 0; }

/// Bits of a word, and so pairs that share a word of unpaired_bits.
inline constexpr std::uint32_t word_bits = 32;

/// Where the pairs of a round begin among those of all rounds from the second: at a whole word of unpaired_bits.
constexpr std::uint32_t first_indexed_pair(const MsmKernelParams& params, std::uint32_t round) {
    std::uint32_t pairs = 0;
    for (std::uint32_t earlier = 2; earlier < round; ++earlier)
        pairs += (max_points(params, earlier) + word_bits - 1) / word_bits * word_bits;
    return pairs;
}
constexpr std::uint32_t indexed_pair_count(const MsmKernelParams& params) { return first_indexed_pair(params, params.rounds.count + 1); }

/// Pairs a block of index_pairs: a thread takes a word of unpaired_bits.
inline constexpr std::uint32_t pair_index_tile = place_block_size * word_bits;

/// Blocks of index_pairs for one round.
constexpr std::uint32_t indexing_blocks(const MsmKernelParams& params, std::uint32_t round) {
    return (max_points(params, round) + pair_index_tile - 1) / pair_index_tile;
}

}  // namespace cupool::detail
