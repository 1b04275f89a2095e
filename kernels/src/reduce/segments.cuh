#pragma once

/// \file
/// Reductions of segments of an array, each in the order of an array of its length. Short segments are reduced by groups of lanes of a
/// warp, longer ones by one block or several.

#include "reduce/tile.cuh"

namespace cupool::device {

/// Where segments begin and end: at multiples of `length`, or where offsets say.
struct SegmentBounds {
    const std::uint64_t* offsets;  ///< null where segments are equal
    std::uint64_t length;

    CUPOOL_DEVICE std::uint64_t begin(std::uint64_t segment) const { return offsets != nullptr ? offsets[segment] : segment * length; }
    CUPOOL_DEVICE std::uint64_t end(std::uint64_t segment) const { return begin(segment + 1); }
};

/// A block for part `block_index_y()` of segment `block_index()`: it reduces every parts-th tile, from that of the part's number on. The
/// last block of a segment to finish reduces the values of the tiles. \param least  shorter segments are left out
/// \param tile_values  for segments of several tiles: reduce_segment_value_slots() of the input
/// \param counters  for several parts: of each segment, how many blocks have finished; 0 before and after
template <class Policy>
CUPOOL_DEVICE void reduce_long_segments(const Policy& policy, const typename Policy::Element* input, const SegmentBounds& bounds,
                                        std::uint64_t least, typename Policy::Accumulator* tile_values, std::uint32_t* counters,
                                        char* results, std::uint32_t result_bytes) {
    using A = typename Policy::Accumulator;
    constexpr std::uint64_t element_bytes = sizeof(typename Policy::Element);
    CUPOOL_SHARED static A lanes[2][detail::reduce_lanes];
    CUPOOL_SHARED static std::uint32_t is_last;
    const unsigned segment = block_index();
    const std::uint64_t begin = bounds.begin(segment);
    const std::uint64_t count = bounds.end(segment) - begin;
    if (count < least) return;
    const std::uint64_t tile_elements = detail::reduce_tile_elements(count, element_bytes);
    const auto tiles = count == 0 ? 1 : static_cast<std::uint32_t>((count - 1) / tile_elements + 1);
    if (block_index_y() >= tiles) return;
    input += begin;
    tile_values += detail::reduce_segment_value_slots(begin, element_bytes);
    unsigned parity = 0;
    auto value = policy.identity();
    for (std::uint32_t tile = block_index_y(); tile < tiles; tile += grid_size_y()) {
        const std::uint64_t first = tile * tile_elements;
        const std::uint64_t size = count - first < tile_elements ? count - first : tile_elements;
        value = fold_lanes<Policy>(lane_value(policy, input + first, size), lanes[parity]);
        parity ^= 1;
        if (thread_index() == 0 && tiles != 1) tile_values[tile] = value;
    }
    if (tiles != 1) {
        const std::uint32_t workers = tiles < grid_size_y() ? tiles : grid_size_y();
        if (thread_index() == 0 && workers != 1) {
            memory_fence();
            is_last = atomic_increment(counters + segment, workers - 1) == workers - 1 ? 1 : 0;
            memory_fence();
        }
        block_barrier();
        if (workers != 1 && is_last == 0) return;
        value = fold_lanes<Policy>(lane_value(ValuesOf<Policy>{policy}, tile_values, tiles), lanes[parity]);
    }
    if (thread_index() == 0) policy.store(results + segment * std::uint64_t{result_bytes}, result_bytes, value, count);
}

/// Combines 2, 4 or 8 values by halves, as a tile's lanes are, which come in the order of their bit-reversed numbers.
template <class Policy>
struct Halves {
    using A = typename Policy::Accumulator;

    A pending[3];

    /// \param turn  how many came before \return the combination of all, after the last
    CUPOOL_DEVICE A take(unsigned turn, A value) {
        if ((turn & 1) == 0) return pending[0] = value;
        value = Policy::combine(pending[0], value);
        if ((turn & 2) == 0) return pending[1] = value;
        value = Policy::combine(pending[1], value);
        if ((turn & 4) == 0) return pending[2] = value;
        return Policy::combine(pending[2], value);
    }
};

/// The value of a lane of a tile that has one vector at most.
template <class Policy>
CUPOOL_DEVICE typename Policy::Accumulator value_of_vector(const Policy& policy, const typename Policy::Element* segment,
                                                           std::uint64_t first, std::uint64_t count) {
    auto lane = policy.lane();
    if (first + vector_elements<typename Policy::Element> <= count && is_vector_aligned(segment)) {
        policy.take(lane, Policy::load(segment + first), static_cast<std::uint32_t>(first));
    } else {
        take_elements(policy, lane, segment, first, count);
    }
    return Policy::value(lane);
}

/// `width` neighbouring lanes of a warp a segment, a power of two. In the only one of `turns`, each takes a vector; in 2, 4 or 8, 32 lanes
/// take the place of the first lanes of a tile, in 8 of all. \param most  longer segments are left out: a tile in 8 turns, else a
/// vector for each lane in each turn
template <class Policy>
CUPOOL_DEVICE void reduce_short_segments(const Policy& policy, const typename Policy::Element* input, const SegmentBounds& bounds,
                                         std::uint64_t segments, std::uint64_t most, unsigned width, unsigned turns, char* results,
                                         std::uint32_t result_bytes) {
    constexpr std::uint32_t vector = vector_elements<typename Policy::Element>;
    const std::uint64_t at_once = std::uint64_t{grid_size()} * (detail::reduce_lanes / width);
    const std::uint64_t in_flight = (segments + at_once - 1) / at_once * at_once;  // whole warps together
    const unsigned lane = thread_index() & (width - 1);
    for (std::uint64_t segment = (std::uint64_t{block_index()} * detail::reduce_lanes + thread_index()) / width; segment < in_flight;
         segment += at_once) {
        const std::uint64_t begin = segment < segments ? bounds.begin(segment) : 0;
        const std::uint64_t length = segment < segments ? bounds.end(segment) - begin : 0;
        const bool is_short = segment < segments && length <= most;
        const std::uint64_t count = is_short ? length : 0;
        auto value = policy.identity();
        if (turns == 1) {
            value = value_of_vector(policy, input + begin, lane * vector, count);
        } else {
            Halves<Policy> halves{{policy.identity(), policy.identity(), policy.identity()}};
#pragma unroll 1
            for (unsigned turn = 0; turn < turns; ++turn) {
                const unsigned warp = ((turn & 1) << 2 | (turn & 2) | turn >> 2) * turns / 8;
                auto of_lane = policy.identity();
                if (warp * warp_size * vector < count)
                    of_lane = lane_value(policy, input + begin, count, (warp * warp_size + lane) * vector);
                value = halves.take(turn, of_lane);
            }
        }
        for (unsigned half = width / 2; half > 0; half /= 2) value = Policy::combine(value, shuffle_value(value, half));
        if (is_short && lane == 0) policy.store(results + segment * result_bytes, result_bytes, value, count);
    }
}

}  // namespace cupool::device
