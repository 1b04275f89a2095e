#pragma once

/// \file
/// What the MSM kernels and their host side agree on: the plan that every kernel takes as its one parameter, and the fixed block sizes.
/// Device code includes this: no standard library here but <cstdint>.

#include <cstdint>

namespace cupool::detail {

inline constexpr unsigned bin_block_size = 512;      ///< of the kernels that sort terms into bins
inline constexpr unsigned bin_tile = 4096;           ///< terms a block of those
inline constexpr unsigned split_tile = 1024;         ///< points a block of split_weights
inline constexpr unsigned scattering_blocks = 3;     ///< that a multiprocessor is to hold at once of those that scatter terms
inline constexpr unsigned largest_bin_table = 8192;  ///< bins of all windows of an MSM
inline constexpr unsigned largest_bin = 2048;        ///< buckets of a bin, and bins of a window
inline constexpr unsigned place_block_size = 256;
inline constexpr unsigned pair_block_size = 128;
inline constexpr unsigned min_pairs_a_thread = 8;
inline constexpr unsigned point_block_size = 128;      ///< of the kernels in which a thread sums points
inline constexpr unsigned quad_size = 4;               ///< lanes that hold an XYZZ point together: see quad_xyzz.cuh
inline constexpr unsigned sum_block_size = 128;        ///< of the kernels in which quads sum XYZZ points
inline constexpr unsigned large_sum_block_size = 256;  ///< of those in which a whole block sums to one point

inline constexpr unsigned change_block_size = 128;  ///< a block of the kernels that change each point by itself

/// Blocks that a multiprocessor is to hold at once of the kernels that add pairs or sum points: one more would make them spill.
constexpr unsigned summing_blocks(std::uint64_t coordinate_bytes) { return coordinate_bytes <= 32 ? 4 : coordinate_bytes <= 48 ? 3 : 2; }

/// Blocks that a multiprocessor is to hold at once of fold_buckets.
constexpr unsigned folding_blocks(std::uint64_t coordinate_bytes) { return coordinate_bytes <= 48 ? 2 : 1; }

/// A bucket that spans more shares than this is joined by a block.
inline constexpr std::uint32_t large_bucket_shares = 32;

/// Bits of a digit, at most.
inline constexpr unsigned widest_digit = 21;

/// Words of a shifted scalar: with what is added to it every scalar stays below 2^256.
inline constexpr unsigned shifted_words = 8;
/// Words of one of the two parts of a scalar that is split, shifted likewise.
inline constexpr unsigned scalar_part_words = 4;

/// A slot without a term.
inline constexpr std::uint32_t no_term = 0xffffffff;

/// In a term: it is no base and no image of one, but one of the points that another plan has left: that of an earlier chunk, or of the
/// buckets to be weighed.
inline constexpr std::uint32_t carried_bit = 1u << 30;

/// What one device sums at a time: a chunk of the terms of one MSM, or several whole MSMs of equal size. Pointers are device pointers;
/// [a][b] is an array of rows. Sums are XYZZ points in Montgomery form.
///
/// A row is one MSM's window: number msm * window_count + window. A plan that weighs buckets by halves has two rows for each of those, and
/// of what tells where the terms come from only the points.
struct MsmKernelParams {
    const void* scalars;  ///< [msm][scalar]
    const void* points;   ///< affine points in Montgomery form: [table][base]
    void* images;         ///< of the points under the curve's endomorphism: [base]
    std::uint32_t msm_count;
    std::uint32_t scalar_count;  ///< of one MSM
    std::uint32_t term_count;    ///< of one MSM: a scalar makes a term or, if split, two, a part each: first all of the points, then all of
                                 ///< the images
    std::uint32_t scalars_are_split;  ///< see scalar_split.hpp
    std::uint32_t first_image;        ///< number of the first image among points and images; carried_bit where there are none
    std::uint32_t counted_tile;       ///< scalars a block of count_bins
    std::uint32_t row_count;          ///< msm_count * window_count, or twice those of the plan whose buckets are weighed
    std::uint32_t row_terms;          ///< the terms that a row may have, with those that are carried points
    std::uint32_t table_stride;       ///< points of a table
    std::uint32_t bases_stride;       ///< from the first point of one MSM to that of the next; 0 where they share their bases
    std::uint32_t scalar_bits;        ///< every scalar is promised to be below 2^scalar_bits
    std::uint32_t scalars_in_montgomery_form;
    std::uint32_t scalars_are_centred;  ///< r is taken off scalars above r / 2, where they are not split
    std::uint32_t adds_to_buckets;      ///< the buckets hold the sums of earlier chunks
    std::uint32_t has_carried_points;   ///< what the rounds of an earlier chunk have left are terms of this one

    std::uint32_t width;                 ///< bits of a digit
    std::uint32_t first_narrow_digit;    ///< digits from this one on have a bit less, but for the last one; behind all where none has
    std::uint32_t first_digit;           ///< of those that are summed here; 0 where there are several tables
    std::uint32_t digit_count;           ///< of those that are summed here
    std::uint32_t last_digit;            ///< of a scalar: it takes what the others leave, and leaves no carry
    std::uint32_t begin_of_first_digit;  ///< the first of an MSM's terms whose digit first_digit is summed here
    std::uint32_t end_of_last_digit;     ///< behind the last of those whose digit first_digit + digit_count - 1 is
    std::uint32_t window_count;          ///< of an MSM. Digit first_digit + d goes into window d % window_count, by table d / window_count
    std::uint32_t bucket_count;          ///< of one row: at least as many as the largest magnitude of a digit, or half of a weight
    std::uint32_t bin_count;             ///< of one row; a bin is a run of 2^bin_shift buckets, the last one's perhaps fewer
    std::uint32_t bin_shift;

    /// sum of (2^(w - 1) - 1) 2^p over a scalar's digits but the last, which has last_digit_offset for 2^(w - 1) - 1, where a digit has
    /// w = digit_width() bits from bit p = digit_position() up. Those of a scalar plus this, less 2^(w - 1) - 1, are its signed digit,
    /// between -2^(w - 1) + 1 and 2^(w - 1), with no carry to hand on; all bits from the last digit's place up, less last_digit_offset, are
    /// the last one.
    std::uint32_t digit_offset[shifted_words];
    std::uint32_t word_count;         ///< of a shifted scalar
    std::uint32_t last_digit_offset;  ///< how far below 0 the last digit may be

    std::uint32_t rounds;          ///< of pairwise addition: level L is what L of them leave, ceil(n / 2^L) points of a bucket with n terms
    std::uint32_t slot_count;      ///< slots of one row; where there are rounds, every bucket has an even number of them
    std::uint32_t share_size;      ///< what is left of a bucket after the rounds is summed by threads that take this many points each
    std::uint32_t share_count;     ///< shares of one row; 0 where what the rounds leave is left to another plan
    std::uint32_t quads_a_bucket;  ///< that join its shares together
    /// Where a window has the last digits alone, and these have few values, few buckets would have many points each. So that window has
    /// several copies of them, of 2^last_copy_bits buckets each, more than there are values, and terms are dealt to them by turns. Chunks
    /// of one MSM agree about them.
    std::uint32_t last_copies;
    std::uint32_t last_copy_bits;
    std::uint32_t weight_bits;  ///< of the buckets' weights, and so sums of a window: see fold_buckets

    std::uint32_t max_carried;  ///< carried points that there is room for in a row
    std::uint32_t low_bits;     ///< not 0: this plan weighs the buckets of another one by halves of their weights, see split_weights

    std::uint32_t first_row;  ///< of the rows that the pairwise and the accumulating kernels work on: grid.y of them

    std::uint32_t* shifted_scalars;     ///< [word][msm][term]: scalars, or their parts, plus digit_offset
    std::uint32_t* bin_cursors;         ///< [row][bin], zeroed before
    std::uint32_t* bin_sizes;           ///< [level][row][bin], in points
    std::uint32_t* bin_starts;          ///< [row][bin + 1]
    std::uint32_t* binned_terms;        ///< [row][term]
    std::uint16_t* binned_buckets;      ///< [row][term]: the bucket, counted from its bin's first
    std::uint32_t* cursors;             ///< [row][bucket], zeroed before
    std::uint32_t* starts;              ///< [level][row][bucket + 1], in points
    std::uint32_t* slots;               ///< [row][slot]: a term, its sign in the highest bit and carried_bit below, or no_term
    std::uint32_t* unpaired_bits;       ///< [row][named pair], zeroed before: a bit each, set where a point is alone
    std::uint32_t* pair_names;          ///< [row][pair of the rounds from the second]: what it adds, see index_pairs
    void* odd_sums;                     ///< [row of the turn][max_row_points(1)]: affine points, which every odd round writes
    void* even_sums;                    ///< [row of the turn][max_row_points(2)]: affine points, which every even round writes
    void* prefixes;                     ///< [row of the turn][pair of the first round]: field elements
    void* carried_points;               ///< [row][max_carried]: affine points, bucket by bucket; rows of the plan that left them
    std::uint32_t* carried_starts;      ///< [row][bucket + 1]: where each bucket's begin, likewise
    void* buckets;                      ///< [row][bucket]
    void* unfinished;                   ///< [row][share]
    void* finished;                     ///< [row][share]
    void* folded;                       ///< [level of folding between two][row][list][place]
    void* bit_sums;                     ///< [msm][window][bit]: of the buckets whose weights have that bit; of a pair of bits, the lower
                                        ///< one has its sum and twice the upper one's, which is infinity
    std::uint32_t* large_buckets;       ///< a list of row * bucket_count + bucket
    std::uint32_t* large_bucket_count;  ///< zeroed before
    std::uint32_t* first_oversized_scalar;  ///< all ones before; the lowest index of a scalar of these that breaks its promise
};

/// Bits of a digit, which is not the last one.
constexpr std::uint32_t digit_width(const MsmKernelParams& params, std::uint32_t digit) {
    return params.width - (digit >= params.first_narrow_digit ? 1 : 0);
}
/// The bit of a shifted scalar at which a digit begins.
constexpr std::uint32_t digit_position(const MsmKernelParams& params, std::uint32_t digit) {
    return digit * params.width - (digit > params.first_narrow_digit ? digit - params.first_narrow_digit : 0);
}

/// Points that a block of fold_buckets folds to one, and how many bits tell them apart.
inline constexpr std::uint32_t fold_size_bits = 7;
inline constexpr std::uint32_t fold_size = 1u << fold_size_bits;

/// Places of a row's points at a level of folding. At the first, they are the weights of buckets, from 0 on, but for the largest where it
/// is a power of two: it would be alone with its bit, and may take a level more.
constexpr std::uint32_t fold_places(const MsmKernelParams& params, std::uint32_t level) {
    const bool is_power_of_two = (params.bucket_count & (params.bucket_count - 1)) == 0;
    std::uint32_t places = params.bucket_count + (is_power_of_two ? 0 : 1);
    for (; level > 0; --level) places = (places + fold_size - 1) / fold_size;
    return places;
}

/// By how many bits of its places a level folds its first list.
constexpr std::uint32_t fold_bits(const MsmKernelParams& params, std::uint32_t level) {
    std::uint32_t bits = 0;
    while (bits < fold_size_bits && 1u << bits < fold_places(params, level)) ++bits;
    return bits;
}

/// Threads of a block: a quad for two points, and a warp at least.
constexpr std::uint32_t fold_block_size(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t threads = (1u << fold_bits(params, level)) / 2 * quad_size;
    return threads < 32 ? 32 : threads;
}

/// Bits share a sum two by two, weighed against each other, so that fewer are joined: of a level's bits the last one, if odd, is alone.
constexpr std::uint32_t sums_of_bits(std::uint32_t bits) { return (bits + 1) / 2; }

/// Lists of points of a row that a level takes: those to be folded, and those to be summed for the bits that the levels before it had.
constexpr std::uint32_t fold_lists(std::uint32_t level) { return 1 + level * sums_of_bits(fold_size_bits); }
/// The (lower) bit that a list from 1 is summed for.
constexpr std::uint32_t fold_list_bit(std::uint32_t list) {
    constexpr std::uint32_t lists_a_level = sums_of_bits(fold_size_bits);
    return (list - 1) / lists_a_level * fold_size_bits + (list - 1) % lists_a_level * 2;
}

/// Where the points that a level from 1 takes begin in plan.folded; the last level leaves none there.
constexpr std::uint64_t folded_before(const MsmKernelParams& params, std::uint32_t level) {
    std::uint64_t points = 0;
    for (std::uint32_t earlier = 1; earlier < level; ++earlier)
        points += std::uint64_t{params.row_count} * fold_lists(earlier) * fold_places(params, earlier);
    return points;
}

/// How many levels fold a row's buckets.
constexpr std::uint32_t fold_levels(const MsmKernelParams& params) {
    std::uint32_t levels = 1;
    while (fold_places(params, levels) > 1) ++levels;
    return levels;
}

/// The lowest level that a plan has starts of.
constexpr std::uint32_t first_level(const MsmKernelParams& params) { return params.rounds == 0 ? 0 : 1; }

/// Points that a row may have at a level, which for `level` from 1 are the pairs of round number `level`.
constexpr std::uint32_t max_points(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t filled_buckets = params.bucket_count < params.row_terms ? params.bucket_count : params.row_terms;
    return (params.row_terms + filled_buckets * ((1u << level) - 1)) >> level;
}

/// What a row of points takes that round number `round` writes: behind the last one lies infinity, for where that is alone.
constexpr std::uint32_t max_row_points(const MsmKernelParams& params, std::uint32_t round) { return max_points(params, round) + 1; }

/// Whether what the rounds leave of the buckets is not summed, but left to another plan as carried points.
constexpr bool leaves_sums(const MsmKernelParams& params) { return params.share_count == 0; }

/// Quads that join a row's buckets: some for each of those or, where shares are fewer, one for each share.
constexpr std::uint32_t joining_quads(const MsmKernelParams& params) {
    return params.bucket_count <= params.share_count ? params.bucket_count * params.quads_a_bucket : params.share_count;
}

/// Bits of a word, and so pairs that share one of unpaired_bits.
inline constexpr std::uint32_t word_bits = 32;

/// Where the pairs of round number `round` begin among those of the rounds from the second: at a whole word of unpaired_bits.
constexpr std::uint32_t first_named_pair(const MsmKernelParams& params, std::uint32_t round) {
    std::uint32_t pairs = 0;
    for (std::uint32_t earlier = 2; earlier < round; ++earlier)
        pairs += (max_points(params, earlier) + word_bits - 1) / word_bits * word_bits;
    return pairs;
}
constexpr std::uint32_t named_pair_count(const MsmKernelParams& params) { return first_named_pair(params, params.rounds + 1); }

/// Words that are to be zero before a plan's sort, from large_bucket_count on: its counters lie behind each other.
constexpr std::uint64_t cleared_words(const MsmKernelParams& params) {
    const std::uint64_t unpaired_words = std::uint64_t{params.row_count} * (named_pair_count(params) / word_bits);
    return static_cast<std::uint64_t>(params.unpaired_bits - params.large_bucket_count) + unpaired_words;
}

/// Pairs that a block of index_pairs names, a word of unpaired_bits a thread.
inline constexpr std::uint32_t naming_tile = place_block_size * word_bits;

/// Blocks of index_pairs for the pairs of a round.
constexpr std::uint32_t naming_blocks(const MsmKernelParams& params, std::uint32_t round) {
    return (max_points(params, round) + naming_tile - 1) / naming_tile;
}

}  // namespace cupool::detail
