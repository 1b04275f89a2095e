#pragma once

/// \file
/// Reductions of segments of an array, each in the order of an array of its length. Short segments are reduced by groups of lanes of a
/// warp, longer ones by a block each.

#include "reduce/tile.cuh"

namespace cupool::device {

/// Where segments begin and end: at multiples of `length`, or where offsets say.
struct SegmentBounds {
    const std::uint64_t* offsets;  ///< null where segments are equal
    std::uint64_t length;

    CUPOOL_DEVICE std::uint64_t begin(std::uint64_t segment) const { return offsets != nullptr ? offsets[segment] : segment * length; }
    CUPOOL_DEVICE std::uint64_t end(std::uint64_t segment) const { return begin(segment + 1); }
};

/// Tile values that come one after the other, reduced as one tile without being kept: each is combined into the accumulator that takes it.
template <class Policy>
struct TileValues {
    using A = typename Policy::Accumulator;
    static constexpr unsigned vector = vector_elements<A>;
    static constexpr unsigned row = vector * detail::reduce_lanes;

    A accumulators[row];

    /// All threads of the block.
    CUPOOL_DEVICE void clear(const Policy& policy) {
        for (unsigned i = thread_index(); i < row; i += detail::reduce_lanes) accumulators[i] = policy.identity();
        block_barrier();
    }
    /// One thread, always the same.
    CUPOOL_DEVICE void take(std::uint64_t tile, A value) {
        A& accumulator = accumulators[tile % row];
        accumulator = Policy::combine(accumulator, value);
    }
    /// What this thread accumulates, when all values have been taken.
    CUPOOL_DEVICE A lane_value() {
        block_barrier();
        A own[vector];
#pragma unroll
        for (unsigned i = 0; i < vector; ++i) own[i] = accumulators[thread_index() * vector + i];
        return fold_components<Policy, vector>(own);
    }
};

/// A segment of any length, by a block; thread 0 gets the value.
template <class Policy>
CUPOOL_DEVICE typename Policy::Accumulator reduce_segment_by_block(const Policy& policy, const typename Policy::Element* segment,
                                                                   std::uint64_t count, typename Policy::Accumulator* lanes,
                                                                   TileValues<Policy>& values) {
    const std::uint64_t tile_elements = detail::reduce_tile_elements(count, sizeof(typename Policy::Element));
    const bool has_one_tile = count <= tile_elements;
    if (!has_one_tile) values.clear(policy);
    auto value = policy.identity();
    for (std::uint64_t first = 0, tile = 0; first < count; first += tile_elements, ++tile) {
        const std::uint64_t size = count - first < tile_elements ? count - first : tile_elements;
        block_barrier();  // the lanes before have been read
        value = fold_lanes<Policy>(lane_value(policy, segment + first, size), lanes);
        if (thread_index() == 0 && !has_one_tile) values.take(tile, value);
    }
    if (has_one_tile) return value;
    return fold_lanes<Policy>(values.lane_value(), lanes);
}

/// A block a segment. \param least  shorter segments are left out
template <class Policy>
CUPOOL_DEVICE void reduce_long_segments(const Policy& policy, const typename Policy::Element* input, const SegmentBounds& bounds,
                                        std::uint64_t segments, std::uint64_t least, char* results, std::uint32_t result_bytes) {
    CUPOOL_SHARED static typename Policy::Accumulator lanes[detail::reduce_lanes];
    CUPOOL_SHARED static TileValues<Policy> values;
    for (std::uint64_t segment = block_index(); segment < segments; segment += grid_size()) {
        const std::uint64_t begin = bounds.begin(segment);
        const std::uint64_t count = bounds.end(segment) - begin;
        if (count < least) continue;
        const auto value = reduce_segment_by_block(policy, input + begin, count, lanes, values);
        if (thread_index() == 0) policy.store(results + segment * result_bytes, result_bytes, value, count);
    }
}

/// Combines eight values by halves, as a tile's lanes are, which come in the order of their bit-reversed numbers.
template <class Policy>
struct HalvesOfEight {
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

/// `width` neighbouring lanes of a warp a segment, a power of two. In one of `turns`, 1 or 8, each takes a vector; in eight, 32 lanes
/// take a row. Longer segments are left out.
template <class Policy>
CUPOOL_DEVICE void reduce_short_segments(const Policy& policy, const typename Policy::Element* input, const SegmentBounds& bounds,
                                         std::uint64_t segments, unsigned width, unsigned turns, char* results,
                                         std::uint32_t result_bytes) {
    constexpr std::uint32_t vector = vector_elements<typename Policy::Element>;
    const std::uint64_t at_once = std::uint64_t{grid_size()} * (detail::reduce_lanes / width);
    const std::uint64_t in_flight = (segments + at_once - 1) / at_once * at_once;  // whole warps together
    const unsigned lane = thread_index() & (width - 1);
    for (std::uint64_t segment = (std::uint64_t{block_index()} * detail::reduce_lanes + thread_index()) / width; segment < in_flight;
         segment += at_once) {
        const std::uint64_t begin = segment < segments ? bounds.begin(segment) : 0;
        const std::uint64_t length = segment < segments ? bounds.end(segment) - begin : 0;
        const bool is_short = segment < segments && length <= std::uint64_t{width} * vector * turns;
        const std::uint64_t count = is_short ? length : 0;
        auto value = policy.identity();
        if (turns == 1) {
            value = value_of_vector(policy, input + begin, lane * vector, count);
        } else {
            HalvesOfEight<Policy> halves{{policy.identity(), policy.identity(), policy.identity()}};
#pragma unroll 1
            for (unsigned turn = 0; turn < 8; ++turn) {
                const unsigned warp = (turn & 1) << 2 | (turn & 2) | turn >> 2;
                value = halves.take(turn, value_of_vector(policy, input + begin, (warp * warp_size + lane) * vector, count));
            }
        }
        for (unsigned half = width / 2; half > 0; half /= 2) value = Policy::combine(value, shuffle_value(value, half));
        if (is_short && lane == 0) policy.store(results + segment * result_bytes, result_bytes, value, count);
    }
}

}  // namespace cupool::device
