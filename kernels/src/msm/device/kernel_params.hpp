#pragma once

/// \file
/// What the MSM kernels and their host side agree on: the parameter of all kernels, and fixed block sizes. bucket_reduction.hpp and
/// rounds.hpp derive sizes from it. Device code includes this: no standard library here but <cstdint>.

#include <cstdint>

namespace cupool::detail {

inline constexpr unsigned bin_block_size = 512;      ///< of the kernels that sort terms into bins
inline constexpr unsigned bin_tile = 4096;           ///< terms a block of those
inline constexpr unsigned split_tile = 1024;         ///< points a block of split_weights
inline constexpr unsigned scattering_blocks = 3;     ///< of the kernels that scatter terms, that a multiprocessor should hold at once
inline constexpr unsigned largest_bin_table = 8192;  ///< bins of all windows of an MSM
inline constexpr unsigned largest_bin = 2048;        ///< buckets of a bin, and bins of a window
inline constexpr unsigned place_block_size = 256;
inline constexpr unsigned pair_block_size = 128;
inline constexpr unsigned min_pairs_a_thread = 8;
inline constexpr unsigned point_block_size = 128;      ///< of the kernels in which a thread sums points
inline constexpr unsigned lane_group_size = 4;         ///< lanes that hold an XYZZ point together: see lane_group_xyzz.cuh
inline constexpr unsigned sum_block_size = 128;        ///< of the kernels in which lane groups sum XYZZ points
inline constexpr unsigned large_sum_block_size = 256;  ///< of the kernels in which a whole block sums to one point
inline constexpr unsigned change_block_size = 128;     ///< of the kernels that change each point by itself

inline constexpr unsigned affine_coordinates = 2;
inline constexpr unsigned xyzz_coordinates = 4;

/// Blocks that a multiprocessor should hold at once of the kernels that add pairs or sum points: with one more, registers would spill.
constexpr unsigned summing_blocks(std::uint64_t coordinate_bytes) { return coordinate_bytes <= 32 ? 4 : coordinate_bytes <= 48 ? 3 : 2; }

/// A block joins a bucket that spans more intervals than this.
inline constexpr std::uint32_t large_bucket_intervals = 32;

/// The most bits of a digit.
inline constexpr unsigned widest_digit = 21;

/// Words of a shifted scalar: every scalar plus Digits::offset is below 2^256.
inline constexpr unsigned shifted_words = 8;
/// Words of a shifted part of a scalar.
inline constexpr unsigned scalar_part_words = 4;

/// A slot without a term.
inline constexpr std::uint32_t no_term = 0xffffffff;

/// In a term: its point is no base and no image, but a carried point: a bucket remainder.
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

/// Bits of a digit other than the last.
constexpr std::uint32_t digit_width(const MsmKernelParams& params, std::uint32_t digit) {
    return params.digits.width - (digit >= params.digits.first_narrow ? 1 : 0);
}
/// The bit at which a digit begins.
constexpr std::uint32_t digit_position(const MsmKernelParams& params, std::uint32_t digit) {
    return digit * params.digits.width - (digit > params.digits.first_narrow ? digit - params.digits.first_narrow : 0);
}

}  // namespace cupool::detail
