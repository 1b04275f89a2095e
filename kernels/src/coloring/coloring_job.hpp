#pragma once

/// \file
/// What the kernels of graph colouring and the host's twin agree on. Device code includes this: no standard library but <cstdint>.

#include <cstdint>

#include "replicas/philox.hpp"
#include "support/host_device.hpp"

namespace cupool::detail {

inline constexpr std::uint32_t coloring_lanes = 32;           ///< of a warp, which advances one colouring
inline constexpr std::uint32_t coloring_max_vertices = 1024;  ///< on devices
inline constexpr std::uint32_t coloring_max_colors = 120;     ///< on devices
/// The largest class of a colouring on a device: its table counts the neighbours of a colour in bytes.
inline constexpr std::uint32_t coloring_max_class = 128;
inline constexpr std::uint32_t coloring_overflow = 0xffffffff;     ///< in place of the conflicts: a class became larger
inline constexpr std::uint32_t coloring_begins_anew = 0xffffffff;  ///< in place of a partner: the colouring is random
inline constexpr std::uint32_t coloring_scale_bits = 19;           ///< of a factor of 2 in the weights of colours

/// A generation of a search. A row of the population has a colour for each vertex, a byte each, four in a word, and is padded to whole
/// words for all lanes.
struct ColoringJob {
    std::uint64_t adjacency;  ///< [vertex][lane]: bit 4 j + b says whether 4 (lane + 32 j) + b is a neighbour
    std::uint64_t parents;    ///< the population before
    std::uint64_t children;   ///< the population after: the best colouring of each row
    std::uint64_t partners;   ///< [row]: the other parent, or coloring_begins_anew
    std::uint64_t results;    ///< [row]: a ColoringResult
    std::uint64_t scales;     ///< [row]: the weight of a conflict, see coloring_scale()
    std::uint64_t numbers;    ///< [row]: the number of the colouring in the whole population, of which its random numbers depend
    std::uint32_t vertex_count;
    std::uint32_t color_count;
    std::uint32_t row_words;  ///< of a row of the table of neighbours by colour; odd, so that neither rows nor columns have bank conflicts
    std::uint32_t coloring_words;  ///< shared memory of one colouring
    std::uint32_t steps;
    std::uint32_t seed;
    std::uint32_t generation;
    std::uint32_t rows;
};

/// What became of a colouring in a generation.
struct ColoringResult {
    std::uint32_t conflicts;   ///< the lowest, or coloring_overflow
    std::uint32_t unassigned;  ///< vertices that the crossover gave no class of a parent; all for a new colouring
    std::uint32_t moves;
    std::uint32_t steps;
};

/// A graph as the replica-exchange model's data has it: this, and behind it the adjacency of ColoringJob.
struct alignas(16) ColoringModelData {
    std::uint32_t vertex_count;
    std::uint32_t color_count;
    std::uint32_t row_words;
    std::uint32_t coloring_words;
};

/// The description of a temperature in that model: the probability to accept i + 1 further conflicts, times 2^32.
struct ColoringTemperature {
    std::uint32_t accept[coloring_max_class];
};

/// A proposal of that model: another colour for a vertex.
struct ColoringProposal {
    std::uint32_t vertex;
    std::uint32_t color;
    std::uint32_t random;  ///< accepted if it is below the probability
};
CUPOOL_HOST_DEVICE bool coloring_accepts(const ColoringTemperature& temperature, std::uint32_t before, std::uint32_t after,
                                         std::uint32_t random) {
    return after <= before || random < temperature.accept[after - before - 1];
}

/// Mixes the bits of a word (Wellons, "Prospecting for hash functions", 2018: lowbias32).
CUPOOL_HOST_DEVICE std::uint32_t coloring_mix(std::uint32_t word) {
    word ^= word >> 16;
    word *= 0x7feb352d;
    word ^= word >> 15;
    word *= 0x846ca68b;
    word ^= word >> 16;
    return word;
}

/// The key of a colouring's random numbers in a generation.
CUPOOL_HOST_DEVICE std::uint32_t coloring_key(std::uint32_t seed, std::uint32_t number, std::uint32_t generation) {
    return coloring_mix(coloring_mix(seed * 0x9e3779b9 + number) + generation * 0x85ebca6b);
}

/// A number below `limit` from a random word.
CUPOOL_HOST_DEVICE std::uint32_t coloring_below(std::uint32_t random, std::uint32_t limit) {
    return static_cast<std::uint32_t>(std::uint64_t{random} * limit >> 32);
}

/// Proposal `index` of a sweep.
CUPOOL_HOST_DEVICE ColoringProposal coloring_proposal(std::uint64_t seed, std::uint32_t replica, std::uint64_t sweep, std::uint32_t index,
                                                      std::uint32_t vertices, std::uint32_t colors) {
    const RandomWords random = random_words(seed, RandomStream::sweeps, replica, sweep, index);
    return {coloring_below(random.words[0], vertices), coloring_below(random.words[1], colors), random.words[2]};
}

/// The colour that a vertex gets at random.
CUPOOL_HOST_DEVICE std::uint32_t coloring_random_color(std::uint32_t key, std::uint32_t vertex, std::uint32_t colors) {
    return coloring_below(coloring_mix(key ^ vertex * 0x9e3779b9), colors);
}

/// The order in which classes of equal size are taken by the crossover.
CUPOOL_HOST_DEVICE std::uint32_t coloring_class_rank(std::uint32_t size, std::uint32_t key, std::uint32_t turn, std::uint32_t color) {
    return size << 16 | (coloring_mix(key + turn * 128 + color) & 511) << 7 | color;
}

/// The random words of a lane in a step: the first chooses the vertex, the second begins those of the colours.
struct ColoringDraw {
    std::uint32_t first;
    std::uint32_t second;
};
CUPOOL_HOST_DEVICE std::uint32_t coloring_lane_key(std::uint32_t key, std::uint32_t lane) { return coloring_mix(key + lane * 0xc2b2ae35); }
CUPOOL_HOST_DEVICE ColoringDraw coloring_draw(std::uint32_t lane_key, std::uint32_t step) {
    const std::uint32_t first = coloring_mix(lane_key + step * 0x9e3779b9);
    return {first, first * 0x2c9277b5 + 0x1b873593};
}
CUPOOL_HOST_DEVICE std::uint32_t coloring_first_of_colors(ColoringDraw draw) { return draw.second ^ draw.second >> 15; }
CUPOOL_HOST_DEVICE std::uint32_t coloring_next(std::uint32_t word) { return word * 0x915f77f5 + 0x6a09e667; }

/// The rank of a lane in the choice of a vertex: lanes with several vertices in conflict have two chances. The lowest wins.
CUPOOL_HOST_DEVICE std::uint32_t coloring_vertex_rank(ColoringDraw draw, bool has_several, std::uint32_t vertex) {
    const std::uint32_t least = has_several && draw.second < draw.first ? draw.second : draw.first;
    return (least & ~std::uint32_t{1023}) | vertex;
}

/// The bits of a random word, not 0, as a float rounded towards 0, shifted so that a factor of 2 is 1 << coloring_scale_bits: its logarithm
/// but for the mantissa, which is linear between powers of two.
CUPOOL_HOST_DEVICE std::uint32_t coloring_logarithm(std::uint32_t random) {
    std::uint32_t exponent = 31;
    while ((random >> exponent) == 0) --exponent;
    const std::uint32_t mantissa = exponent >= 23 ? random >> (exponent - 23) : random << (23 - exponent);
    return ((exponent + 127) << 23 | (mantissa & 0x7fffff)) >> (23 - coloring_scale_bits);
}

/// The rank of a colour in the choice of a vertex's new one. The lowest wins.
CUPOOL_HOST_DEVICE std::uint32_t coloring_color_rank(std::uint32_t neighbours, std::uint32_t scale, std::uint32_t logarithm,
                                                     std::uint32_t color) {
    return ((neighbours * scale + logarithm) & ~std::uint32_t{127}) | color;
}

/// The vertex of a bit of a lane's word of conflicts.
CUPOOL_HOST_DEVICE std::uint32_t coloring_vertex_of_bit(std::uint32_t bit, std::uint32_t lane) {
    return 4 * lane + 128 * (7 - (bit & 7)) + (bit >> 3);
}
/// The lane of a vertex, and its bit in the lane's word.
CUPOOL_HOST_DEVICE std::uint32_t coloring_lane_of(std::uint32_t vertex) { return vertex / 4 % 32; }
CUPOOL_HOST_DEVICE std::uint32_t coloring_bit_of(std::uint32_t vertex) { return 8 * (vertex % 4) + 7 - vertex / 128; }

}  // namespace cupool::detail
