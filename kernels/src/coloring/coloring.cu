// Graph colouring: a warp advances a colouring whose table of neighbours by colour lies in shared memory. CUPOOL_WORDS words of
// four vertices a lane: for graphs of up to 128 * CUPOOL_WORDS vertices.

#include "coloring/coloring_job.hpp"
#include "support/device.cuh"

using namespace cupool::device;
using namespace cupool::detail;

namespace {

constexpr unsigned lane_words = CUPOOL_WORDS;
constexpr std::uint32_t no_color = 127;
// A byte in each of four places.
constexpr std::uint32_t ones = 0x01010101;
constexpr std::uint32_t low_bits = 0x7f7f7f7f;
constexpr std::uint32_t high_bits = 0x80808080;

template <bool IsNarrow>
struct AdjacencyWordOf {
    using Type = std::uint32_t;
};
template <>
struct AdjacencyWordOf<true> {
    using Type = std::uint16_t;
};
using AdjacencyWord = AdjacencyWordOf<(lane_words <= 4)>::Type;

extern CUPOOL_SHARED std::uint32_t shared_memory[];

CUPOOL_DEVICE std::uint32_t lane_index() { return thread_index() % warp_size; }

CUPOOL_DEVICE std::uint32_t warp_min(std::uint32_t value) {
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        const std::uint32_t other = shuffle_butterfly(all_lanes, value, distance);
        value = other < value ? other : value;
    }
    return value;
}
CUPOOL_DEVICE std::uint32_t warp_max(std::uint32_t value) { return ~warp_min(~value); }
CUPOOL_DEVICE std::uint32_t warp_sum(std::uint32_t value) {
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) value += shuffle_butterfly(all_lanes, value, distance);
    return value;
}

/// Four bits as four bytes of 0 or 1.
CUPOOL_DEVICE std::uint32_t bytes_of_bits(std::uint32_t bits) { return ((bits & 15) * 0x00204081) & ones; }
/// 0x80 in each byte that is equal. \pre bytes are below 128
CUPOOL_DEVICE std::uint32_t equal_bytes(std::uint32_t word, std::uint32_t other) { return ~((word ^ other) + low_bits) & high_bits; }

CUPOOL_DEVICE std::uint32_t neighbours_of(const ColoringJob& job, std::uint32_t vertex, std::uint32_t lane) {
    return reinterpret_cast<const AdjacencyWord*>(job.adjacency)[warp_size * vertex + lane];
}

CUPOOL_DEVICE std::uint32_t lowest_bit(std::uint32_t word) { return static_cast<std::uint32_t>(__builtin_ctz(word)); }
CUPOOL_DEVICE std::uint32_t rotate_right(std::uint32_t word, std::uint32_t distance) {
    return static_cast<std::uint32_t>(__builtin_rotateright32(word, distance));
}

/// coloring_logarithm() by the device's conversion.
CUPOOL_DEVICE std::uint32_t logarithm(std::uint32_t random) {
    std::uint32_t bits;
    asm("{\n\t.reg .f32 f;\n\tcvt.rz.f32.u32 f, %1;\n\tmov.b32 %0, f;\n\t}" : "=r"(bits) : "r"(random));
    return bits >> (23 - coloring_scale_bits);
}

/// A colouring that a warp advances: the table in shared memory, and each lane's part of it.
class Colouring {
public:
    CUPOOL_DEVICE Colouring(const ColoringJob& own_job, std::uint32_t* memory)
        : job(own_job),
          lane(lane_index()),
          table(memory),
          counts(reinterpret_cast<std::uint8_t*>(memory)),
          color_of(counts + 4 * own_job.row_words * own_job.color_count),
          class_sizes(memory + own_job.row_words * (own_job.color_count + 1)) {}

    /// Every vertex gets a random colour.
    CUPOOL_DEVICE void color_randomly(std::uint32_t key) {
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            colors[j] = no_color * ones;
            for (std::uint32_t b = 0; b < 4; ++b) {
                const std::uint32_t vertex = 4 * (lane + 32 * j) + b;
                if (vertex < job.vertex_count) set(j, b, coloring_random_color(key, vertex, job.color_count));
            }
        }
    }

    /// Greedy partition crossover: the classes of the child are the largest of the parents in turn, without the vertices that it has.
    /// Vertices that are left get random colours. \return how many are left
    CUPOOL_DEVICE std::uint32_t cross(const std::uint32_t* first, const std::uint32_t* second, std::uint32_t key) {
        std::uint32_t* const sizes = table;  // of the classes of both parents, 128 each: the table is not made yet
        std::uint32_t parents[2][lane_words];
        for (std::uint32_t i = lane; i < 256; i += warp_size) sizes[i] = 0;
        warp_barrier();
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            parents[0][j] = first[lane + 32 * j];
            parents[1][j] = second[lane + 32 * j];
            colors[j] = no_color * ones;
            for (unsigned parent = 0; parent < 2; ++parent) {
                for (unsigned b = 0; b < 4; ++b) atomic_add_shared(&sizes[128 * parent + (parents[parent][j] >> (8 * b) & 127)], 1);
            }
        }
        warp_barrier();
        for (std::uint32_t color = 0; color < job.color_count; ++color) {
            const std::uint32_t parent = color & 1;
            std::uint32_t best = 0;
            for (std::uint32_t i = lane; i < job.color_count; i += warp_size) {
                const std::uint32_t rank = coloring_class_rank(sizes[128 * parent + i], key, color, i);
                best = rank > best ? rank : best;
            }
            best = warp_max(best);
            if (best >> 16 == 0) continue;
            warp_barrier();
            take_class(parents, parent, best & 127, color, sizes);
            warp_barrier();
        }
        return warp_sum(color_the_rest(key));
    }

    /// Counts the neighbours of each vertex by colour, and the conflicts.
    CUPOOL_DEVICE void make_table() {
        warp_barrier();
        for (std::uint32_t i = lane; i < job.row_words * job.color_count; i += warp_size) table[i] = 0;
        for (std::uint32_t i = lane; i < job.color_count; i += warp_size) class_sizes[i] = 0;
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            if (has_word(j)) reinterpret_cast<std::uint32_t*>(color_of)[lane + 32 * j] = colors[j];
        }
        warp_barrier();
        for (std::uint32_t vertex = 0; vertex < job.vertex_count; ++vertex) {
            std::uint32_t* const row = table + color_of[vertex] * job.row_words;
            if (lane == 0) ++class_sizes[color_of[vertex]];
            const std::uint32_t neighbours = neighbours_of(job, vertex, lane);
#pragma unroll
            for (unsigned j = 0; j < lane_words; ++j) {
                if (has_word(j)) row[lane + 32 * j] += bytes_of_bits(neighbours >> (4 * j));
            }
        }
        warp_barrier();
        bool is_large = false;
        for (std::uint32_t i = lane; i < job.color_count; i += warp_size) is_large |= class_sizes[i] > coloring_max_class;
        has_overflown = any_lane(is_large);
        count_conflicts();
    }

    /// The neighbours of a vertex that have a colour.
    CUPOOL_DEVICE std::uint32_t count(std::uint32_t color, std::uint32_t vertex) const {
        return counts[4 * color * job.row_words + vertex];
    }

    /// Gives a vertex another colour. All lanes call it alike. \param neighbours  neighbours_of() the vertex
    CUPOOL_DEVICE void recolor(std::uint32_t vertex, std::uint32_t from, std::uint32_t to, std::uint32_t neighbours) {
        std::uint32_t* const row_from = table + from * job.row_words;
        std::uint32_t* const row_to = table + to * job.row_words;
        const bool is_own = coloring_lane_of(vertex) == lane;
        conflicts += count(to, vertex);
        conflicts -= count(from, vertex);
        const std::uint32_t class_size = class_sizes[to] + 1;
        has_overflown = class_size > coloring_max_class;
        warp_barrier();
        if (lane == 0) {
            class_sizes[to] = class_size;
            --class_sizes[from];
        }
        if (is_own) color_of[vertex] = static_cast<std::uint8_t>(to);
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            if (is_own && vertex / 128 == j) colors[j] ^= (from ^ to) << vertex % 4 * 8;
            if (!has_word(j)) continue;
            const std::uint32_t changed = bytes_of_bits(neighbours >> (4 * j));
            const std::uint32_t now_from = row_from[lane + 32 * j] - changed;
            const std::uint32_t now_to = row_to[lane + 32 * j] + changed;
            row_from[lane + 32 * j] = now_from;
            row_to[lane + 32 * j] = now_to;
            const std::uint32_t is_from = equal_bytes(colors[j], from * ones);
            const std::uint32_t is_to = equal_bytes(colors[j], to * ones);
            // Counts are up to coloring_max_class, so that one above 0 sets the high bit of its byte, and no other.
            const std::uint32_t in_conflict = (is_from & (now_from + low_bits)) | (is_to & (now_to + low_bits));
            conflict_bits = (conflict_bits & ~((is_from | is_to) >> j)) | in_conflict >> j;
        }
        warp_barrier();
    }

    CUPOOL_DEVICE void store(std::uint32_t* row) const {
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) row[lane + 32 * j] = colors[j];
    }
    CUPOOL_DEVICE void load(const std::uint32_t* row) {
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) colors[j] = row[lane + 32 * j];
    }

    const ColoringJob& job;
    std::uint32_t lane;
    std::uint32_t* table;              ///< [colour][vertex]: bytes, four vertices a word
    std::uint8_t* counts;              ///< the same
    std::uint8_t* color_of;            ///< of each vertex
    std::uint32_t* class_sizes;        ///< of each colour
    std::uint32_t colors[lane_words];  ///< of the lane's vertices
    std::uint32_t conflict_bits = 0;   ///< which of them are in conflict: see coloring_vertex_of_bit()
    std::uint32_t conflicts = 0;       ///< of all vertices
    bool has_overflown = false;        ///< a class has more than coloring_max_class vertices, so counts may be wrong

private:
    CUPOOL_DEVICE bool has_word(unsigned j) const { return 4 * (lane + 32 * j) < job.vertex_count; }
    /// \pre the colour is no_color
    CUPOOL_DEVICE void set(unsigned j, std::uint32_t b, std::uint32_t color) { colors[j] ^= (no_color ^ color) << (8 * b); }

    CUPOOL_DEVICE void take_class(std::uint32_t (&parents)[2][lane_words], std::uint32_t parent, std::uint32_t taken_class,
                                  std::uint32_t color, std::uint32_t* sizes) {
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            const std::uint32_t taken = equal_bytes(parent != 0 ? parents[1][j] : parents[0][j], taken_class * ones);
            if (taken == 0) continue;
            for (unsigned b = 0; b < 4; ++b) {
                if ((taken >> (8 * b) & 128) == 0) continue;
                atomic_add_shared(&sizes[parents[0][j] >> (8 * b) & 127], 0xffffffff);
                atomic_add_shared(&sizes[128 + (parents[1][j] >> (8 * b) & 127)], 0xffffffff);
            }
            const std::uint32_t mask = (taken >> 7) * 127;
            colors[j] = (colors[j] & ~mask) | (color * ones & mask);
            parents[0][j] |= mask;
            parents[1][j] |= mask;
        }
    }
    CUPOOL_DEVICE std::uint32_t color_the_rest(std::uint32_t key) {
        std::uint32_t left = 0;
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            for (std::uint32_t b = 0; b < 4; ++b) {
                const std::uint32_t vertex = 4 * (lane + 32 * j) + b;
                if (vertex >= job.vertex_count || (colors[j] >> (8 * b) & 127) != no_color) continue;
                ++left;
                set(j, b, coloring_random_color(key, vertex, job.color_count));
            }
        }
        return left;
    }
    CUPOOL_DEVICE void count_conflicts() {
        conflict_bits = 0;
        std::uint32_t twice = 0;
#pragma unroll
        for (unsigned j = 0; j < lane_words; ++j) {
            for (std::uint32_t b = 0; b < 4; ++b) {
                const std::uint32_t vertex = 4 * (lane + 32 * j) + b;
                if (vertex >= job.vertex_count) continue;
                const std::uint32_t own = count(colors[j] >> (8 * b) & 127, vertex);
                twice += own;
                if (own != 0) conflict_bits |= 1u << coloring_bit_of(vertex);
            }
        }
        conflicts = warp_sum(twice) / 2;
    }
};

/// A vertex in conflict, chosen at random: all lanes draw, and the one with the lowest rank wins. \pre some vertex is in conflict
CUPOOL_DEVICE std::uint32_t choose_vertex(const Colouring& colouring, ColoringDraw draw) {
    const std::uint32_t bits = colouring.conflict_bits;
    const std::uint32_t turn = draw.first & 31;
    std::uint32_t rank = 0xffffffff;
    if (bits != 0) {
        const std::uint32_t bit = (lowest_bit(rotate_right(bits, turn)) + turn) & 31;
        rank = coloring_vertex_rank(draw, (bits & (bits - 1)) != 0, coloring_vertex_of_bit(bit, colouring.lane));
    }
    return warp_min(rank) & 1023;
}

/// The new colour of a vertex, which may be the old one: each lane weighs some colours.
template <unsigned ColorWords>
CUPOOL_DEVICE std::uint32_t choose_color(const Colouring& colouring, ColoringDraw draw, std::uint32_t vertex, std::uint32_t scale) {
    std::uint32_t random = coloring_first_of_colors(draw);
    std::uint32_t least = 0xffffffff;
#pragma unroll
    for (unsigned s = 0; s < ColorWords; ++s) {
        const std::uint32_t color = colouring.lane + 32 * s;
        random = coloring_next(random);
        if (s + 1 < ColorWords || color < colouring.job.color_count) {
            const std::uint32_t rank = coloring_color_rank(colouring.count(color, vertex), scale, logarithm(random | 1), color);
            least = rank < least ? rank : least;
        }
    }
    return warp_min(least) & 127;
}

/// A generation: each row begins as a child of two parents, or at random, and keeps the best colouring that the heat bath finds.
/// \tparam ColorWords  colours / 32, rounded up
template <unsigned ColorWords>
CUPOOL_DEVICE void search(const ColoringJob& job) {
    const std::uint32_t row = block_index() * (block_size() / warp_size) + warp_index();
    if (row >= job.rows) return;
    constexpr std::uint32_t words = warp_size * lane_words;  // of a row of the population
    const auto* const parents = reinterpret_cast<const std::uint32_t*>(job.parents);
    auto* const child = reinterpret_cast<std::uint32_t*>(job.children) + std::uint64_t{row} * words;
    const std::uint32_t scale = reinterpret_cast<const std::uint32_t*>(job.scales)[row];
    const std::uint32_t key = coloring_key(job.seed, reinterpret_cast<const std::uint32_t*>(job.numbers)[row], job.generation);
    const std::uint32_t partner = reinterpret_cast<const std::uint32_t*>(job.partners)[row];

    Colouring colouring(job, shared_memory + warp_index() * job.coloring_words);
    std::uint32_t unassigned = job.vertex_count;
    if (partner == coloring_begins_anew) {
        colouring.color_randomly(key);
    } else {
        unassigned = colouring.cross(parents + std::uint64_t{row} * words, parents + std::uint64_t{partner} * words, key);
    }
    colouring.make_table();
    colouring.store(child);
    std::uint32_t best = colouring.conflicts;
    std::uint32_t moves = 0;
    std::uint32_t step = 0;
    const std::uint32_t lane_key = coloring_lane_key(key, colouring.lane);
    while (step < job.steps && colouring.conflicts != 0 && !colouring.has_overflown) {
        // Two steps are drawn at once, since most leave the vertex its colour: the second is made if the first does.
        const ColoringDraw draws[2] = {coloring_draw(lane_key, step), coloring_draw(lane_key, step + 1)};
        const std::uint32_t vertices[2] = {choose_vertex(colouring, draws[0]), choose_vertex(colouring, draws[1])};
        const std::uint32_t neighbours[2] = {neighbours_of(job, vertices[0], colouring.lane),
                                             neighbours_of(job, vertices[1], colouring.lane)};
        const std::uint32_t from[2] = {colouring.color_of[vertices[0]], colouring.color_of[vertices[1]]};
        const std::uint32_t to[2] = {choose_color<ColorWords>(colouring, draws[0], vertices[0], scale),
                                     choose_color<ColorWords>(colouring, draws[1], vertices[1], scale)};
        const bool is_first = from[0] != to[0];
        step += is_first ? 1 : 2;
        if (!is_first && (from[1] == to[1] || step > job.steps)) continue;
        colouring.recolor(is_first ? vertices[0] : vertices[1], is_first ? from[0] : from[1], is_first ? to[0] : to[1],
                          is_first ? neighbours[0] : neighbours[1]);
        ++moves;
        if (colouring.conflicts >= best) continue;
        best = colouring.conflicts;
        colouring.store(child);
    }
    if (colouring.has_overflown) best = coloring_overflow;
    if (colouring.lane == 0)
        reinterpret_cast<ColoringResult*>(job.results)[row] = {best, unassigned, moves, step < job.steps ? step : job.steps};
}

/// Sweeps of Metropolis' rule over all vertices, as many proposals each as the graph has vertices. Lanes evaluate the next proposals at
/// once; the first that changes a colour is made, and those behind it are evaluated again.
CUPOOL_DEVICE void metropolis(Colouring& colouring, const ColoringTemperature& temperature, std::uint64_t seed, std::uint32_t replica,
                              std::uint64_t sweep) {
    const std::uint32_t vertices = colouring.job.vertex_count;
    for (std::uint32_t next = 0; next < vertices && !colouring.has_overflown;) {
        const std::uint32_t index = next + colouring.lane;
        const ColoringProposal own = coloring_proposal(seed, replica, sweep, index, vertices, colouring.job.color_count);
        const std::uint32_t from = colouring.color_of[own.vertex];
        const bool is_made =
            index < vertices && own.color != from &&
            coloring_accepts(temperature, colouring.count(from, own.vertex), colouring.count(own.color, own.vertex), own.random);
        const std::uint32_t made = ballot(is_made);
        if (made == 0) {
            next += warp_size;
            continue;
        }
        const std::uint32_t first = lowest_bit(made);
        const std::uint32_t vertex = shuffle_within(all_lanes, own.vertex, first, warp_size);
        colouring.recolor(vertex, shuffle_within(all_lanes, from, first, warp_size), shuffle_within(all_lanes, own.color, first, warp_size),
                          neighbours_of(colouring.job, vertex, colouring.lane));
        next += first + 1;
    }
}

}  // namespace

/// The kernel of the replica-exchange model: a warp for each replica.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(1024) void coloring_metropolis(std::uint32_t* states, double* energies, const std::uint32_t* replicas,
                                                               const std::uint32_t* temperature_indices,
                                                               const ColoringTemperature* temperatures, const ColoringModelData* data,
                                                               std::uint32_t count, std::uint32_t sweeps, std::uint64_t seed,
                                                               std::uint64_t first_sweep) {
    const std::uint32_t row = block_index() * (block_size() / warp_size) + warp_index();
    if (row >= count) return;
    ColoringJob job{};
    job.adjacency = reinterpret_cast<std::uint64_t>(data + 1);
    job.vertex_count = data->vertex_count;
    job.color_count = data->color_count;
    job.row_words = data->row_words;
    Colouring colouring(job, shared_memory + warp_index() * data->coloring_words);
    std::uint32_t* const state = states + std::uint64_t{row} * warp_size * lane_words;
    colouring.load(state);
    colouring.make_table();
    for (std::uint64_t sweep = first_sweep; sweep < first_sweep + sweeps; ++sweep) {
        metropolis(colouring, temperatures[temperature_indices[row]], seed, replicas[row], sweep);
    }
    colouring.store(state);
    if (colouring.lane == 0) energies[row] = colouring.has_overflown ? __builtin_nan("") : colouring.conflicts;
}

CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(1024) void coloring_search_32(const ColoringJob job) { search<1>(job); }
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(1024) void coloring_search_64(const ColoringJob job) { search<2>(job); }
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(1024) void coloring_search_96(const ColoringJob job) { search<3>(job); }
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(1024) void coloring_search_128(const ColoringJob job) { search<4>(job); }
