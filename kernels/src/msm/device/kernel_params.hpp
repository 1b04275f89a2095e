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
inline constexpr unsigned lane_group_size = 4;         ///< lanes that hold an XYZZ point together: see lane_group_xyzz.cuh
inline constexpr unsigned sum_block_size = 128;        ///< of the kernels in which lane groups sum XYZZ points
inline constexpr unsigned large_sum_block_size = 256;  ///< of those in which a whole block sums to one point

inline constexpr unsigned change_block_size = 128;  ///< a block of the kernels that change each point by itself

/// Blocks that a multiprocessor is to hold at once of the kernels that add pairs or sum points: one more would make them spill.
constexpr unsigned summing_blocks(std::uint64_t coordinate_bytes) { return coordinate_bytes <= 32 ? 4 : coordinate_bytes <= 48 ? 3 : 2; }

/// Blocks that a multiprocessor is to hold at once of reduce_buckets.
constexpr unsigned reducing_blocks(std::uint64_t coordinate_bytes) { return coordinate_bytes <= 48 ? 2 : 1; }

/// A bucket that spans more shares than this is joined by a block.
inline constexpr std::uint32_t large_bucket_intervals = 32;

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

/// The parameter of the MSM kernels: what one device sums at a time, which is a chunk of the terms of one MSM, or several whole MSMs of
/// equal size. Pointers are device pointers; [a][b] is an array of arrays. Sums are XYZZ points in Montgomery form. Fields are grouped by
/// the stage that defines them.
///
/// A row is a window instance: one window of one MSM, number msm * window_count + window. Weight splitting makes two rows of each, and
/// reads carried points alone.
struct MsmKernelParams {
    /// Scalars and points. A scalar makes one term or, if scalars are split, two: first the terms of all points, then those of all images.
    struct Operands {
        const void* scalars;  ///< [msm][scalar]
        const void* points;   ///< affine points in Montgomery form: [table][base]
        void* images;         ///< of the points under the curve's endomorphism: [base]
        std::uint32_t msm_count;
        std::uint32_t scalar_count;         ///< of one MSM
        std::uint32_t term_count;           ///< of one MSM
        std::uint32_t scalars_are_split;    ///< see scalar_split.hpp
        std::uint32_t first_image;          ///< index of the first image among points and images; carried_bit if there are none
        std::uint32_t scalars_are_centred;  ///< r is subtracted from scalars above r / 2; never if scalars are split
        std::uint32_t table_stride;         ///< points of a table
        std::uint32_t bases_stride;         ///< from the first point of one MSM to that of the next; 0 if MSMs share their bases
        std::uint32_t scalar_bits;          ///< every scalar is promised to be below 2^scalar_bits
        std::uint32_t scalars_in_montgomery_form;
        std::uint32_t* first_oversized_scalar;  ///< lowest index of a scalar that breaks its promise; all ones before the sort
    } operands;

    /// What earlier chunks left: sums in the buckets, or bucket remainders, which are also what weight splitting reads.
    struct CarryOver {
        std::uint32_t adds_to_buckets;  ///< the buckets hold the sums of earlier chunks
        std::uint32_t max_points;       ///< capacity of one row
        std::uint32_t low_bits;         ///< not 0: these are the rows of weight splitting, see split_weights
        std::uint32_t has_points;       ///< remainders of an earlier chunk are terms of this one
        void* points;                   ///< [row][max_points]: affine points, bucket by bucket; rows of the chunk that left them
        std::uint32_t* starts;          ///< [row][bucket + 1]: where each bucket begins in `points`; rows likewise
    } carry_over;

    /// The digits of a scalar, and those that are summed here: from `first` on, `count` of them.
    struct Digits {
        std::uint32_t window_count;    ///< of an MSM; digit `first + d` goes into window d % window_count, with table d / window_count
        std::uint32_t width;           ///< bits of a digit
        std::uint32_t first_narrow;    ///< digits from this one on have a bit less, except the last; the digit count if none has
        std::uint32_t first;           ///< first digit that is summed here; 0 with several tables
        std::uint32_t count;           ///< digits that are summed here
        std::uint32_t last;            ///< last digit of a scalar: it takes all remaining bits, and so leaves no carry
        std::uint32_t begin_of_first;  ///< first term of an MSM whose digit `first` is summed here
        std::uint32_t end_of_last;     ///< end of the terms whose digit `first + count - 1` is summed here
        /// Signed-digit recoding: the sum, over all digits but the last, of (2^(w - 1) - 1) 2^p, where a digit has w = digit_width() bits
        /// from bit p = digit_position() on; plus last_offset at the last digit. The bits of a digit in scalar + offset, minus
        /// 2^(w - 1) - 1, are the signed digit, between -2^(w - 1) + 1 and 2^(w - 1), with no carry into the next one. The last digit is
        /// all bits from its position on, minus last_offset.
        std::uint32_t offset[shifted_words];
        std::uint32_t word_count;        ///< of a shifted scalar
        std::uint32_t last_offset;       ///< minus the lowest value of the last digit
        std::uint32_t* shifted_scalars;  ///< [word][msm][term]: scalars, or their parts, plus `offset`
    } digits;

    /// Window instances and their buckets.
    struct Rows {
        std::uint32_t count;      ///< msm_count * window_count; twice that for weight splitting
        std::uint32_t max_terms;  ///< of one row, carried points included
        std::uint32_t first;      ///< first row that batched-affine rounds and accumulation work on; grid.y rows in all
        /// If a window has only last digits, and these have few values, then few buckets would have many points each. So that window has
        /// last_copies copies of its buckets, 2^last_copy_bits buckets each, and terms take turns. Chunks of one MSM agree on both.
        std::uint32_t last_copies;
        std::uint32_t last_copy_bits;
        std::uint32_t weight_bits;   ///< of the weights of buckets, and so sums of a window
        std::uint32_t bucket_count;  ///< of one row: at least the largest magnitude of a digit or of a part of a weight
    } rows;

    /// Terms are sorted into bins, then into buckets. A bin is 2^bin_shift neighbouring buckets; the last one may have fewer.
    struct Sort {
        std::uint32_t counted_tile;  ///< scalars a block of count_bins
        std::uint32_t slot_count;    ///< of one row; with rounds, every bucket has an even number of slots
        std::uint32_t bin_count;     ///< of one row
        std::uint32_t bin_shift;
        std::uint32_t* bin_cursors;     ///< [row][bin], zero before the sort
        std::uint32_t* bin_sizes;       ///< [level][row][bin], in points
        std::uint32_t* bin_starts;      ///< [row][bin + 1]
        std::uint32_t* binned_terms;    ///< [row][term]
        std::uint16_t* binned_buckets;  ///< [row][term]: the bucket, counted from the first of its bin
        std::uint32_t* bucket_cursors;  ///< [row][bucket], zero before the sort
        std::uint32_t* bucket_starts;   ///< [level][row][bucket + 1], in points
        std::uint32_t* slots;           ///< [row][slot]: a term, its sign in the highest bit and carried_bit below, or no_term
    } sort;

    /// Batched-affine rounds. Level L is what L rounds leave: ceil(n / 2^L) points of a bucket with n terms. The sums and prefixes have the
    /// rows that rounds work on at a time.
    struct Rounds {
        std::uint32_t count;
        std::uint32_t* unpaired_bits;  ///< [row][indexed pair], zero before the sort: a bit each, set if a point is unpaired
        std::uint32_t* pair_indices;   ///< [row][indexed pair], of the rounds from the second: see index_pairs
        void* odd_sums;                ///< [row][max_row_points(1)]: affine points, written by odd rounds
        void* even_sums;               ///< [row][max_row_points(2)]: affine points, written by even rounds
        void* prefixes;                ///< [row][pair of the first round]: field elements
    } rounds;

    /// After the rounds a thread sums an interval of interval_size neighbouring points of a row. Buckets that span several intervals are
    /// joined.
    struct Accumulation {
        std::uint32_t interval_size;
        std::uint32_t interval_count;        ///< of one row; 0 if bucket remainders are not accumulated here
        std::uint32_t lane_groups_a_bucket;  ///< that join its intervals
        void* buckets;                       ///< [row][bucket]
        void* unfinished;                    ///< [row][interval]: the sum of a bucket that continues behind the interval
        void* finished;                      ///< [row][interval]: the sum of a bucket that began earlier and ends in the interval
        std::uint32_t* large_buckets;        ///< a list of row * bucket_count + bucket
        std::uint32_t* large_bucket_count;   ///< zero before the sort
    } accumulation;

    /// Bucket reduction: see msm_reduce_buckets.
    struct Reduction {
        void* lists;     ///< [level, between two launches][row][list][position]
        void* bit_sums;  ///< [msm][window][bit]: the sum of the buckets whose weights have that bit. Bits come in pairs: the lower
                         ///< one has its sum plus twice that of the upper one, which is infinity
    } reduction;
};

/// Bits of a digit, which is not the last one.
constexpr std::uint32_t digit_width(const MsmKernelParams& params, std::uint32_t digit) {
    return params.digits.width - (digit >= params.digits.first_narrow ? 1 : 0);
}
/// The bit of a shifted scalar at which a digit begins.
constexpr std::uint32_t digit_position(const MsmKernelParams& params, std::uint32_t digit) {
    return digit * params.digits.width - (digit > params.digits.first_narrow ? digit - params.digits.first_narrow : 0);
}

/// Points that a block of reduce_buckets folds to one, and how many bits tell them apart.
inline constexpr std::uint32_t reduction_tile_bits = 7;
inline constexpr std::uint32_t reduction_tile = 1u << reduction_tile_bits;

/// Places of a row's points at a level of folding. At the first, they are the weights of buckets, from 0 on, but for the largest where it
/// is a power of two: it would be alone with its bit, and may take a level more.
constexpr std::uint32_t reduction_list_size(const MsmKernelParams& params, std::uint32_t level) {
    const bool is_power_of_two = (params.rows.bucket_count & (params.rows.bucket_count - 1)) == 0;
    std::uint32_t places = params.rows.bucket_count + (is_power_of_two ? 0 : 1);
    for (; level > 0; --level) places = (places + reduction_tile - 1) / reduction_tile;
    return places;
}

/// By how many bits of its places a level folds its first list.
constexpr std::uint32_t reduction_bits(const MsmKernelParams& params, std::uint32_t level) {
    std::uint32_t bits = 0;
    while (bits < reduction_tile_bits && 1u << bits < reduction_list_size(params, level)) ++bits;
    return bits;
}

/// Threads of a block: a quad for two points, and a warp at least.
constexpr std::uint32_t reduction_block_size(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t threads = (1u << reduction_bits(params, level)) / 2 * lane_group_size;
    return threads < 32 ? 32 : threads;
}

/// Bits share a sum two by two, weighed against each other, so that fewer are joined: of a level's bits the last one, if odd, is alone.
constexpr std::uint32_t sums_of_bits(std::uint32_t bits) { return (bits + 1) / 2; }

/// Lists of points of a row that a level takes: those to be folded, and those to be summed for the bits that the levels before it had.
constexpr std::uint32_t reduction_lists(std::uint32_t level) { return 1 + level * sums_of_bits(reduction_tile_bits); }
/// The (lower) bit that a list from 1 is summed for.
constexpr std::uint32_t reduction_list_bit(std::uint32_t list) {
    constexpr std::uint32_t lists_a_level = sums_of_bits(reduction_tile_bits);
    return (list - 1) / lists_a_level * reduction_tile_bits + (list - 1) % lists_a_level * 2;
}

/// Where the points that a level from 1 takes begin in plan.folded; the last level leaves none there.
constexpr std::uint64_t reduction_list_offset(const MsmKernelParams& params, std::uint32_t level) {
    std::uint64_t points = 0;
    for (std::uint32_t earlier = 1; earlier < level; ++earlier)
        points += std::uint64_t{params.rows.count} * reduction_lists(earlier) * reduction_list_size(params, earlier);
    return points;
}

/// How many levels fold a row's buckets.
constexpr std::uint32_t reduction_levels(const MsmKernelParams& params) {
    std::uint32_t levels = 1;
    while (reduction_list_size(params, levels) > 1) ++levels;
    return levels;
}

/// The lowest level that a plan has starts of.
constexpr std::uint32_t first_level(const MsmKernelParams& params) { return params.rounds.count == 0 ? 0 : 1; }

/// Points that a row may have at a level, which for `level` from 1 are the pairs of round number `level`.
constexpr std::uint32_t max_points(const MsmKernelParams& params, std::uint32_t level) {
    const std::uint32_t filled_buckets =
        params.rows.bucket_count < params.rows.max_terms ? params.rows.bucket_count : params.rows.max_terms;
    return (params.rows.max_terms + filled_buckets * ((1u << level) - 1)) >> level;
}

/// What a row of points takes that round number `round` writes: behind the last one lies infinity, for where that is alone.
constexpr std::uint32_t max_row_points(const MsmKernelParams& params, std::uint32_t round) { return max_points(params, round) + 1; }

/// Whether what the rounds leave of the buckets is not summed, but left to another plan as carried points.
constexpr bool leaves_sums(const MsmKernelParams& params) { return params.accumulation.interval_count == 0; }

/// Quads that join a row's buckets: some for each of those or, where shares are fewer, one for each share.
constexpr std::uint32_t joining_lane_groups(const MsmKernelParams& params) {
    return params.rows.bucket_count <= params.accumulation.interval_count
               ? params.rows.bucket_count * params.accumulation.lane_groups_a_bucket
               : params.accumulation.interval_count;
}

/// Bits of a word, and so pairs that share one of unpaired_bits.
inline constexpr std::uint32_t word_bits = 32;

/// Where the pairs of round number `round` begin among those of the rounds from the second: at a whole word of unpaired_bits.
constexpr std::uint32_t first_indexed_pair(const MsmKernelParams& params, std::uint32_t round) {
    std::uint32_t pairs = 0;
    for (std::uint32_t earlier = 2; earlier < round; ++earlier)
        pairs += (max_points(params, earlier) + word_bits - 1) / word_bits * word_bits;
    return pairs;
}
constexpr std::uint32_t indexed_pair_count(const MsmKernelParams& params) { return first_indexed_pair(params, params.rounds.count + 1); }

/// Words that are to be zero before a plan's sort, from large_bucket_count on: its counters lie behind each other.
constexpr std::uint64_t cleared_words(const MsmKernelParams& params) {
    const std::uint64_t unpaired_words = std::uint64_t{params.rows.count} * (indexed_pair_count(params) / word_bits);
    return static_cast<std::uint64_t>(params.rounds.unpaired_bits - params.accumulation.large_bucket_count) + unpaired_words;
}

/// Pairs that a block of index_pairs names, a word of unpaired_bits a thread.
inline constexpr std::uint32_t pair_index_tile = place_block_size * word_bits;

/// Blocks of index_pairs for the pairs of a round.
constexpr std::uint32_t indexing_blocks(const MsmKernelParams& params, std::uint32_t round) {
    return (max_points(params, round) + pair_index_tile - 1) / pair_index_tile;
}

}  // namespace cupool::detail
