#pragma once

/// \file
/// What the MSM kernels and their host side agree on: the plan that every kernel takes as its one parameter, and the fixed block sizes.
/// Device code includes this: no standard library here but <cstdint>.

#include <cstdint>

namespace cupool::detail {

inline constexpr unsigned bin_block_size = 512;      ///< of the kernels that sort terms into bins
inline constexpr unsigned bin_tile = 4096;           ///< terms a block of those
inline constexpr unsigned largest_bin_count = 256;   ///< bins of a window
inline constexpr unsigned largest_bin_table = 8192;  ///< bins of all windows
inline constexpr unsigned largest_bin = 2048;        ///< buckets of a bin
inline constexpr unsigned place_block_size = 1024;
inline constexpr unsigned pair_block_size = 128;
inline constexpr unsigned quad_size = 4;               ///< lanes that hold an XYZZ point together: see quad_xyzz.cuh
inline constexpr unsigned sum_block_size = 128;        ///< of the kernels in which quads sum XYZZ points
inline constexpr unsigned large_sum_block_size = 256;  ///< of those in which a whole block sums to one point

/// A bucket that spans more shares than this is joined by a block instead of by a quad.
inline constexpr std::uint32_t large_bucket_shares = 32;

/// Words of a shifted scalar: the widest windows reach 20 bits past the 256 of a scalar.
inline constexpr unsigned shifted_words = 9;

/// A slot without a term.
inline constexpr std::uint32_t no_term = 0xffffffff;

/// One MSM of up to 2^30 terms on one device. Pointers are device pointers; [a][b] is an array of rows. Sums are XYZZ points in Montgomery
/// form.
struct MsmPlan {
    const void* scalars;  ///< term_count scalars
    const void* points;   ///< term_count affine points in Montgomery form
    std::uint32_t term_count;
    std::uint32_t scalar_bits;  ///< every scalar is promised to be below 2^scalar_bits
    std::uint32_t scalars_in_montgomery_form;

    std::uint32_t width;         ///< bits of a window
    std::uint32_t window_count;  ///< width * window_count > scalar_bits, so that the last digit leaves no carry
    std::uint32_t bucket_count;  ///< of one window: 2^(width - 1)
    std::uint32_t bin_count;     ///< of one window; a bin is a run of 2^bin_shift buckets
    std::uint32_t bin_shift;

    /// sum of (2^(width - 1) - 1) 2^(width w) over the windows w. Window w's bits of a scalar plus this, less 2^(width - 1) - 1, are its
    /// signed digit, between -2^(width - 1) + 1 and 2^(width - 1), with no carry to hand on.
    std::uint32_t digit_offset[shifted_words];

    std::uint32_t rounds;       ///< of pairwise addition; a bucket has a multiple of 2^rounds slots
    std::uint32_t slot_count;   ///< slots of one window
    std::uint32_t share_size;   ///< what is left of a bucket after the rounds is summed by threads that take this many points each
    std::uint32_t share_count;  ///< shares of one window
    std::uint32_t group_size;   ///< buckets a quad of sum_groups; a divisor of bucket_count
    std::uint32_t group_count;  ///< groups of one window

    std::uint32_t first_window;  ///< of the windows that the pairwise and the accumulating kernels work on: grid.y of them

    std::uint32_t* shifted_scalars;  ///< [word][term]: scalars plus digit_offset
    std::uint32_t* bin_cursors;      ///< [window][bin], zeroed before
    std::uint32_t* bin_starts;       ///< [window][bin + 1]
    std::uint32_t* binned_terms;     ///< [window][term]
    std::uint16_t* binned_buckets;   ///< [window][term]: the bucket, counted from its bin's first
    std::uint32_t* cursors;          ///< [window][bucket], zeroed before
    std::uint32_t* starts;           ///< [window][bucket + 1], in slots
    std::uint32_t* slots;            ///< [window][slot]: a term, its sign in the highest bit, or no_term; all no_term before
    void* halves;                  ///< [window of the group][slot / 2]: affine points after the first round, and every second one after it
    void* quarters;                ///< [window of the group][slot / 4]: affine points after every other round
    void* prefixes;                ///< [window of the group][slot / 2]: field elements
    void* buckets;                 ///< [window][bucket]
    void* unfinished;              ///< [window][share]
    void* finished;                ///< [window][share]
    void* groups;                  ///< [window][group]
    void* window_sums;             ///< [window]
    std::uint32_t* large_buckets;  ///< a list of window * bucket_count + bucket
    std::uint32_t* large_bucket_count;      ///< zeroed before
    std::uint32_t* first_oversized_scalar;  ///< all ones before; the lowest index of a scalar that breaks its promise
};

}  // namespace cupool::detail
