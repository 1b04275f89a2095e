#pragma once

/// \file
/// The shape of a reduction's tree, which docs/reduce.md describes. It depends on an array's length and element type alone, so that every
/// engine and device combines the elements of a float sum in the same order. Device code includes this: no standard library but <cstdint>.

#include <cstdint>

#include "support/host_device.hpp"

namespace cupool::detail {

inline constexpr unsigned reduce_lanes = 256;        ///< lanes of a tile; a power of two
inline constexpr unsigned reduce_vector_bytes = 16;  ///< what a lane reads at once
inline constexpr unsigned reduce_row_bytes = reduce_lanes * reduce_vector_bytes;
inline constexpr std::uint64_t reduce_min_rows = 4;  ///< rows of a tile; a power of two
inline constexpr std::uint64_t reduce_max_tiles = std::uint64_t{1} << 14;

/// V: how many elements of so many bytes a vector has.
CUPOOL_HOST_DEVICE constexpr unsigned reduce_vector_elements(std::uint64_t element_bytes) {
    return static_cast<unsigned>(reduce_vector_bytes / element_bytes);
}

CUPOOL_HOST_DEVICE constexpr std::uint64_t reduce_row_elements(std::uint64_t element_bytes) { return reduce_row_bytes / element_bytes; }

/// Elements of a tile of an array of `count` elements; the last tile may have fewer.
CUPOOL_HOST_DEVICE constexpr std::uint64_t reduce_tile_elements(std::uint64_t count, std::uint64_t element_bytes) {
    std::uint64_t tile = reduce_min_rows * reduce_row_elements(element_bytes);
    while ((count - 1) / tile >= reduce_max_tiles && count != 0) tile *= 2;
    return tile;
}

/// Tiles of an array of `count` elements.
CUPOOL_HOST_DEVICE constexpr std::uint64_t reduce_tiles(std::uint64_t count, std::uint64_t element_bytes) {
    if (count == 0) return 0;
    return (count - 1) / reduce_tile_elements(count, element_bytes) + 1;
}

/// Where in an array of tile values those of a segment that begins at element `begin` and has several tiles lie: their places are apart
/// from those of all other segments, at multiples of 16 bytes. Of an array's length: how many places its segments need.
CUPOOL_HOST_DEVICE constexpr std::uint64_t reduce_segment_value_slots(std::uint64_t begin, std::uint64_t element_bytes) {
    return 4 * (begin / (reduce_min_rows * reduce_row_elements(element_bytes)));
}

/// \name The order of reduce_middle(), for each result by itself: it depends on the length of the middle dimension alone
///
/// A tile is a run of the middle dimension. Lane l of it takes the tile's elements l, l + 8, l + 16, ... from left to right, beginning with
/// the identity, and the lanes are folded as those of a tile are: half = 4, 2, 1. The tiles' values are reduced as one tile. So a block of
/// 8 warps reads whole lines of 32 columns.
/// \{
inline constexpr unsigned reduce_middle_lanes = 8;
inline constexpr std::uint64_t reduce_middle_min_tile = 64;
inline constexpr std::uint64_t reduce_middle_max_tiles = 1024;

/// Elements of a tile; the last one may have fewer.
CUPOOL_HOST_DEVICE constexpr std::uint64_t reduce_middle_tile_elements(std::uint64_t middle) {
    std::uint64_t tile = reduce_middle_min_tile;
    while (middle > tile * reduce_middle_max_tiles) tile *= 2;
    return tile;
}

/// Results that are enough to keep a device busy with 8 blocks for each.
inline constexpr std::uint64_t reduce_middle_many_results = std::uint64_t{1} << 14;

/// Into how many values a device reduces each column in its first launch, for a second one; 1: there is none. Of few results each tile has
/// a value; of many, each of the 8 lanes that combine the tiles, which one block accumulates.
CUPOOL_HOST_DEVICE constexpr std::uint64_t reduce_middle_shares(std::uint64_t middle, std::uint64_t results) {
    const std::uint64_t tiles = middle == 0 ? 1 : (middle - 1) / reduce_middle_tile_elements(middle) + 1;
    return tiles > reduce_middle_lanes && results >= reduce_middle_many_results ? reduce_middle_lanes : tiles;
}
/// \}

/// \name The order of reduce_by_function(), which keeps that of the elements: it depends on their number and size alone
///
/// A thread takes 64 bytes of neighbouring elements from left to right, a block the 256 threads of a chunk: neighbours in pairs within
/// warps of 32, then warps from left to right. A tile is a number of chunks, from left to right. The tiles' values are reduced as one tile.
/// \{
inline constexpr unsigned function_thread_bytes = 64;
inline constexpr std::uint64_t function_max_tiles = std::uint64_t{1} << 12;

/// Elements of a tile: the smallest power of two of chunks with which there are few enough tiles; the last one may have fewer.
CUPOOL_HOST_DEVICE constexpr std::uint64_t function_tile_elements(std::uint64_t count, std::uint64_t element_bytes) {
    std::uint64_t tile = reduce_lanes * function_thread_bytes / element_bytes;
    while (count > tile * function_max_tiles) tile *= 2;
    return tile;
}
/// \}

}  // namespace cupool::detail
