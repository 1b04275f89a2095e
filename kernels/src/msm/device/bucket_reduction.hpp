#pragma once

/// \file
/// The launches of bucket reduction. A row's buckets are a list in which the position is the weight; one launch, a level, reduces each
/// list of a row by reduction_tile. Device code includes this: no standard library here but <cstdint>.

#include <cstdint>

#include "msm/device/kernel_params.hpp"

namespace cupool::detail {

/// Points that a block reduces to one, and how many bits tell their positions apart.
inline constexpr std::uint32_t reduction_tile_bits = 7;
inline constexpr std::uint32_t reduction_tile = 1u << reduction_tile_bits;

/// Blocks of reduce_buckets that a multiprocessor should hold at once.
constexpr unsigned reducing_blocks(std::uint64_t coordinate_bytes) { return coordinate_bytes <= 48 ? 2 : 1; }

/// Positions of a list at a level. At level 0 they are the weights of buckets, from 0 on, except a largest weight that is a power of two:
/// it is the only one with its bit, and might take a level more.
constexpr std::uint32_t reduction_list_size(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t buckets = params.rows.bucket_count;
    const bool is_power_of_two = (buckets & (buckets - 1)) == 0;
    std::uint32_t positions = buckets + (is_power_of_two ? 0 : 1);
    for (; level > 0; --level) positions = (positions + reduction_tile - 1) / reduction_tile;
    return positions;
}

/// The bits of the positions by which a level reduces its first list.
constexpr std::uint32_t reduction_bits(const MsmKernelParams& params, std::uint32_t level) {
    std::uint32_t bits = 0;
    while (bits < reduction_tile_bits && 1u << bits < reduction_list_size(params, level)) ++bits;
    return bits;
}

/// Threads of a block: a lane group for two points, and at least a warp.
constexpr std::uint32_t reduction_block_size(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t threads = (1u << reduction_bits(params, level)) / 2 * lane_group_size;
    return threads < 32 ? 32 : threads;
}

/// Two bits share a sum, in which the upper one counts twice, so that fewer sums are joined. If the number of bits is odd, the last one has
/// a sum of its own.
constexpr std::uint32_t sums_of_bits(std::uint32_t bits) { return (bits + 1) / 2; }

/// Lists of a row at a level: list 0, which is split by bits, and the lists of the bits of earlier levels, which are only summed.
constexpr std::uint32_t reduction_lists(std::uint32_t level) { return 1 + level * sums_of_bits(reduction_tile_bits); }
/// The (lower) bit of a list other than 0.
constexpr std::uint32_t reduction_list_bit(std::uint32_t list) {
    constexpr std::uint32_t lists_a_level = sums_of_bits(reduction_tile_bits);
    return (list - 1) / lists_a_level * reduction_tile_bits + (list - 1) % lists_a_level * 2;
}

/// Where the lists of a level from 1 on begin in params.reduction.lists, in points. The last level writes none there.
constexpr std::uint64_t reduction_list_offset(const MsmKernelParams& params, std::uint32_t level) {
    std::uint64_t points = 0;
    for (std::uint32_t earlier = 1; earlier < level; ++earlier)
        points += std::uint64_t{params.rows.count} * reduction_lists(earlier) * reduction_list_size(params, earlier);
    return points;
}

constexpr std::uint32_t reduction_levels(const MsmKernelParams& params) {
    std::uint32_t levels = 1;
    while (reduction_list_size(params, levels) > 1) ++levels;
    return levels;
}

}  // namespace cupool::detail
