#pragma once

/// \file
/// The sort of an MSM's terms by window and bucket, in two steps that keep their counters in shared memory: into bins of neighbouring
/// buckets, then into the buckets of each bin. And the indices of the pairs that batched-affine rounds add.

#include "field/device_field.cuh"
#include "msm/device/kernel_params.hpp"
#include "msm/device/rounds.hpp"
#include "msm/device/stages/stage2_scalar_parts.cuh"
#include "support/device.cuh"

namespace cupool::device {

using detail::bin_block_size;
using detail::bin_tile;
using detail::carried_bit;
using detail::digit_position;
using detail::digit_width;
using detail::first_indexed_pair;
using detail::first_level;
using detail::indexed_pair_count;
using detail::largest_bin;
using detail::MsmKernelParams;
using detail::no_term;
using detail::pair_index_tile;
using detail::place_block_size;
using detail::split_tile;
using detail::word_bits;

inline constexpr std::uint32_t sign_bit = 1u << 31;
inline constexpr std::uint32_t unpaired_bit = 1u << 31;  ///< in the index of a pair: its left point is unpaired

/// The scalar in standard form and below r.
template <class ScalarField>
CUPOOL_DEVICE ScalarField standard_scalar(const MsmKernelParams& params, std::uint32_t index) {
    ScalarField scalar = static_cast<const ScalarField*>(params.operands.scalars)[index];
    while (!scalar.is_reduced()) scalar = scalar.reduced_once();
    return params.operands.scalars_in_montgomery_form ? scalar.from_montgomery_form() : scalar;
}

template <class ScalarField>
CUPOOL_DEVICE bool exceeds_promised_bits(const MsmKernelParams& params, const ScalarField& scalar) {
    std::uint32_t excess = 0;
#pragma unroll
    for (int i = 0; i < ScalarField::limb_count; ++i) {
        const int kept = static_cast<int>(params.operands.scalar_bits) - 32 * i;
        if (kept <= 0) excess |= scalar.limbs[i];
        if (kept > 0 && kept < 32) excess |= scalar.limbs[i] >> kept;
    }
    return excess != 0;
}

/// A signed digit. If it is not zero, its term goes into bucket magnitude - 1, or into a copy of that: see first_bucket().
struct SignedDigit {
    std::uint32_t magnitude;
    std::uint32_t sign;  ///< sign_bit or 0

    /// Digit `d`, of `width` bits. \param bits  the bits of a shifted scalar from the digit's position on
    CUPOOL_DEVICE static SignedDigit from(std::uint32_t bits, const MsmKernelParams& params, std::uint32_t d, std::uint32_t width) {
        const std::uint32_t half = 1u << (width - 1);
        const bool is_last = d == params.digits.last;
        const std::uint32_t own_bits = is_last ? bits : bits & (2 * half - 1);
        const std::int32_t value = static_cast<std::int32_t>(own_bits - (is_last ? params.digits.last_offset : half - 1));
        return value < 0 ? SignedDigit{static_cast<std::uint32_t>(-value), sign_bit} : SignedDigit{static_cast<std::uint32_t>(value), 0};
    }

    CUPOOL_DEVICE bool is_zero() const { return magnitude == 0; }
    CUPOOL_DEVICE std::uint32_t bucket() const { return magnitude - 1; }
};

/// Whether digit first + d of a term is summed here.
CUPOOL_DEVICE bool takes_digit(const MsmKernelParams& params, std::uint32_t d, std::uint32_t term) {
    return (d != 0 || term >= params.digits.begin_of_first) && (d + 1 != params.digits.count || term < params.digits.end_of_last);
}

/// The first bucket of a digit: that of the term's copy, if its window has several.
CUPOOL_DEVICE std::uint32_t first_bucket(const MsmKernelParams& params, std::uint32_t digit, std::uint32_t term) {
    if (digit != params.digits.last || params.rows.last_copies == 1) return 0;
    return term % params.rows.last_copies << params.rows.last_copy_bits;
}

/// A scalar, or a part of one, plus Digits::offset.
template <unsigned word_count>
struct ShiftedScalar {
    std::uint32_t words[word_count];

    CUPOOL_DEVICE ShiftedScalar(const MsmKernelParams& params, const std::uint32_t (&scalar)[word_count]) {
        words[0] = add_cc(scalar[0], params.digits.offset[0]);
#pragma unroll
        for (unsigned i = 1; i < word_count; ++i) words[i] = addc_cc(scalar[i], params.digits.offset[i]);
    }

    template <class ScalarField>
    CUPOOL_DEVICE void subtract_modulus() {
        static_assert(ScalarField::limb_count == word_count);
        words[0] = sub_cc(words[0], ScalarField::modulus_limb(0));
#pragma unroll
        for (int i = 1; i < ScalarField::limb_count; ++i) words[i] = subc_cc(words[i], ScalarField::modulus_limb(i));
    }

    CUPOOL_DEVICE void shift_right(std::uint32_t bits) {
#pragma unroll
        for (unsigned i = 0; i < word_count; ++i) {
            const std::uint64_t above = i + 1 < word_count ? words[i + 1] : 0;
            words[i] = static_cast<std::uint32_t>((above << 32 | words[i]) >> bits);
        }
    }
};

/// Stores the words of a term's shifted scalar that stored_digit() reads.
template <unsigned word_count>
CUPOOL_DEVICE void store_shifted(const MsmKernelParams& params, std::uint32_t index, const ShiftedScalar<word_count>& shifted) {
    const std::uint32_t first_word = digit_position(params, params.digits.first) / 32;
    const std::uint32_t last_word = digit_position(params, params.digits.first + params.digits.count - 1) / 32 + 1;
    const std::uint64_t stride = std::uint64_t{params.operands.msm_count} * params.operands.term_count;
#pragma unroll
    for (unsigned word = 0; word < word_count; ++word) {
        if (word >= first_word && word <= last_word) params.digits.shifted_scalars[word * stride + index] = shifted.words[word];
    }
}

/// Counts the digits of a term by window and bin.
template <unsigned word_count>
CUPOOL_DEVICE void count_digits(const MsmKernelParams& params, std::uint32_t term, ShiftedScalar<word_count> shifted,
                                std::uint32_t* counts) {
#pragma unroll 1
    for (std::uint32_t d = 0; d < params.digits.first; ++d) shifted.shift_right(params.digits.width);  // none of which is narrow
    std::uint32_t window = 0;
    std::uint32_t width = digit_width(params, params.digits.first);
#pragma unroll 1
    for (std::uint32_t d = 0; d < params.digits.count; ++d) {
        if (params.digits.first + d == params.digits.first_narrow) width = params.digits.width - 1;
        const SignedDigit digit = SignedDigit::from(shifted.words[0], params, params.digits.first + d, width);
        if (!digit.is_zero() && takes_digit(params, d, term)) {
            const std::uint32_t bucket = first_bucket(params, params.digits.first + d, term) + digit.bucket();
            atomic_add_shared(&counts[window * params.sort.bin_count + (bucket >> params.sort.bin_shift)], 1);
        }
        shifted.shift_right(width);
        window = window + 1 == params.digits.window_count ? 0 : window + 1;
    }
}

template <unsigned word_count>
CUPOOL_DEVICE void take_term(const MsmKernelParams& params, std::uint32_t msm, std::uint32_t term, const ShiftedScalar<word_count>& shifted,
                             std::uint32_t* counts) {
    store_shifted(params, msm * params.operands.term_count + term, shifted);
    count_digits(params, term, shifted, counts);
}

/// Stores the shifted scalars of one MSM, and adds the sizes of its bins to bin_cursors. One block for each tile of scalars.
template <class Curve>
CUPOOL_DEVICE void count_bins(const MsmKernelParams& params, std::uint32_t msm, std::uint32_t* counts) {
    using ScalarField = DeviceField<typename Curve::ScalarField>;
    const std::uint32_t table = params.digits.window_count * params.sort.bin_count;
    for (std::uint32_t i = thread_index(); i < table; i += bin_block_size) counts[i] = 0;
    block_barrier();
#pragma unroll 1
    for (std::uint32_t i = thread_index(); i < params.sort.counted_tile; i += bin_block_size) {
        const std::uint32_t place = block_index() * params.sort.counted_tile + i;
        if (place >= params.operands.scalar_count) break;
        const std::uint32_t index = msm * params.operands.scalar_count + place;
        ScalarField scalar = standard_scalar<ScalarField>(params, index);
        if (exceeds_promised_bits(params, scalar)) {
            atomic_min(params.operands.first_oversized_scalar, index);
            scalar = ScalarField::zero();  // there are no buckets for it
        }
        if (params.operands.scalars_are_split) {
            const ScalarParts<Curve> parts(scalar);
            take_term(params, msm, place, ShiftedScalar(params, parts.first), counts);
            take_term(params, msm, place + params.operands.scalar_count, ShiftedScalar(params, parts.second), counts);
        } else {
            ShiftedScalar shifted(params, scalar.limbs);
            if (params.operands.scalars_are_centred && scalar.is_above_half()) shifted.template subtract_modulus<ScalarField>();
            take_term(params, msm, place, shifted, counts);
        }
    }
    block_barrier();
    for (std::uint32_t i = thread_index(); i < table; i += bin_block_size) {
        if (counts[i] != 0) atomic_add(&params.sort.bin_cursors[msm * table + i], counts[i]);
    }
}

/// Digit `d` of a stored shifted scalar.
CUPOOL_DEVICE SignedDigit stored_digit(const MsmKernelParams& params, std::uint32_t d, std::uint32_t index) {
    const std::uint32_t position = digit_position(params, d);
    const std::uint64_t stride = std::uint64_t{params.operands.msm_count} * params.operands.term_count;
    const std::uint32_t* word = params.digits.shifted_scalars + position / 32 * stride + index;
    const std::uint64_t low = *word;
    const std::uint64_t high = position / 32 + 1 < params.digits.word_count ? word[stride] : 0;
    return SignedDigit::from(static_cast<std::uint32_t>((high << 32 | low) >> position % 32), params, d, digit_width(params, d));
}

/// The sum of `own` over the lanes of the warp up to this one.
CUPOOL_DEVICE std::uint32_t sum_through_lane(std::uint32_t own) {
    const unsigned lane = thread_index() % warp_size;
    std::uint32_t sum = own;
#pragma unroll
    for (unsigned distance = 1; distance < warp_size; distance *= 2) {
        const std::uint32_t before = shuffle_within(all_lanes, sum, lane - distance, warp_size);
        if (lane >= distance) sum += before;
    }
    return sum;
}

/// A prefix sum over the threads of a block: the sum before this thread, and that of all.
struct BlockScan {
    std::uint32_t before;
    std::uint32_t total;

    /// All threads of the block call it together. `sums` has one word a warp and is still read after the only barrier.
    template <unsigned BlockSize>
    CUPOOL_DEVICE static BlockScan of(std::uint32_t own, std::uint32_t* sums) {
        constexpr unsigned warps = BlockSize / warp_size;
        const unsigned lane = thread_index() % warp_size;
        const std::uint32_t in_warp = sum_through_lane(own);
        if (lane == warp_size - 1) sums[warp_index()] = in_warp;
        block_barrier();
        const std::uint32_t of_warp = lane < warps ? sums[lane] : 0;
        const std::uint32_t through_warp = sum_through_lane(of_warp);
        const std::uint32_t before_warp = shuffle_within(all_lanes, through_warp - of_warp, warp_index(), warp_size);
        return {before_warp + in_warp - own, shuffle_within(all_lanes, through_warp, warps - 1, warp_size)};
    }
};

/// The shared memory of the scattering kernels. Terms are ordered there first, so that they are written to global memory in runs.
struct ScatterMemory {
    std::uint32_t counts[largest_bin];
    std::uint32_t bases[largest_bin];
    std::uint32_t terms[bin_tile];
    std::uint32_t tags[bin_tile];
};

inline constexpr int terms_a_thread = bin_tile / bin_block_size;
inline constexpr std::uint32_t no_tag = 0xffffffff;

/// Replaces counts by their exclusive prefix sums. All threads of the block call it together. \return the sum of all
CUPOOL_DEVICE std::uint32_t scan_counts(std::uint32_t* counts, std::uint32_t count, std::uint32_t* sums) {
    const std::uint32_t range = (count + bin_block_size - 1) / bin_block_size;
    const std::uint32_t first = thread_index() * range < count ? thread_index() * range : count;
    const std::uint32_t last = first + range < count ? first + range : count;
    std::uint32_t own = 0;
    for (std::uint32_t i = first; i < last; ++i) own += counts[i];
    const auto scan = BlockScan::of<bin_block_size>(own, sums);
    std::uint32_t before = scan.before;
    for (std::uint32_t i = first; i < last; ++i) {
        const std::uint32_t size = counts[i];
        counts[i] = before;
        before += size;
    }
    block_barrier();
    return scan.total;
}

/// Scatters up to bin_tile terms, each to the next position of its key. All threads of the block call it together; it ends without a
/// barrier. The key of a term is tag >> key_shift; no_tag marks terms to leave out. \param term_of  called as term_of(i), a thread's term
/// number i \param cursors  the next position of each of key_count keys \param write  called as write(position, term, tag)
template <class TermOf, class Write>
CUPOOL_DEVICE void scatter_by_key(const TermOf& term_of, const std::uint32_t (&tags)[terms_a_thread], std::uint32_t key_shift,
                                  std::uint32_t key_count, std::uint32_t* cursors, ScatterMemory& shared, const Write& write) {
    for (std::uint32_t i = thread_index(); i < key_count; i += bin_block_size) shared.counts[i] = 0;
    block_barrier();
    std::uint32_t ranks[terms_a_thread];
#pragma unroll
    for (int i = 0; i < terms_a_thread; ++i) {
        if (tags[i] != no_tag) ranks[i] = atomic_add_shared(&shared.counts[tags[i] >> key_shift], 1);
    }
    block_barrier();
    for (std::uint32_t i = thread_index(); i < key_count; i += bin_block_size) {
        if (shared.counts[i] != 0) shared.bases[i] = atomic_add(&cursors[i], shared.counts[i]);
    }
    const std::uint32_t total = scan_counts(shared.counts, key_count, shared.terms);
#pragma unroll
    for (int i = 0; i < terms_a_thread; ++i) {
        if (tags[i] == no_tag) continue;
        const std::uint32_t place = shared.counts[tags[i] >> key_shift] + ranks[i];
        shared.terms[place] = term_of(i);
        shared.tags[place] = tags[i];
    }
    block_barrier();
    for (std::uint32_t i = thread_index(); i < total; i += bin_block_size) {
        const std::uint32_t key = shared.tags[i] >> key_shift;
        write(shared.bases[key] + (i - shared.counts[key]), shared.terms[i], shared.tags[i]);
    }
}

/// Writes the terms of digit first + d, for a tile of an MSM's scalars or of one part of them, into their bins, in no particular order
/// within a bin. Tiles of the first parts come first.
CUPOOL_DEVICE void scatter_to_bins(const MsmKernelParams& params, std::uint32_t msm, std::uint32_t d, std::uint32_t tile,
                                   ScatterMemory& shared) {
    std::uint32_t tags[terms_a_thread];  // twice the bucket, and 1 where the digit is negative
    const std::uint32_t scalar_tiles = (params.operands.scalar_count + bin_tile - 1) / bin_tile;
    const bool is_of_images = tile >= scalar_tiles;
    const std::uint32_t first = (is_of_images ? tile - scalar_tiles : tile) * bin_tile + thread_index();
    const std::uint32_t first_term = is_of_images ? params.operands.scalar_count : 0;
#pragma unroll
    for (int i = 0; i < terms_a_thread; ++i) {
        const std::uint32_t place = first + i * bin_block_size;
        const std::uint32_t term = first_term + place;
        const bool is_taken = place < params.operands.scalar_count && takes_digit(params, d, term);
        const SignedDigit digit =
            is_taken ? stored_digit(params, params.digits.first + d, msm * params.operands.term_count + term) : SignedDigit{0, 0};
        const std::uint32_t bucket = first_bucket(params, params.digits.first + d, term) + digit.bucket();
        tags[i] = digit.is_zero() ? no_tag : 2 * bucket + (digit.sign != 0 ? 1 : 0);
    }
    const std::uint32_t first_base =
        (is_of_images ? params.operands.first_image : d / params.digits.window_count * params.operands.table_stride) +
        msm * params.operands.bases_stride + first;
    const auto term_of = [&tags, first_base](int i) { return (first_base + i * bin_block_size) | tags[i] << 31; };
    const std::uint32_t row = msm * params.digits.window_count + d % params.digits.window_count;
    const std::uint64_t first_place = std::uint64_t{row} * params.rows.max_terms;
    const std::uint32_t in_bin = (1u << params.sort.bin_shift) - 1;
    scatter_by_key(term_of, tags, params.sort.bin_shift + 1, params.sort.bin_count, params.sort.bin_cursors + row * params.sort.bin_count,
                   shared, [&params, first_place, in_bin](std::uint32_t place, std::uint32_t term, std::uint32_t tag) {
                       params.sort.binned_terms[first_place + place] = term;
                       params.sort.binned_buckets[first_place + place] = static_cast<std::uint16_t>(tag / 2 & in_bin);
                   });
}

/// Up to largest_bin counts, distributed over a block of place_block_size threads: each has neighbouring counts.
class CountRange {
    static constexpr std::uint32_t most = largest_bin / place_block_size;

public:
    CUPOOL_DEVICE static CountRange of(const std::uint32_t* counts, std::uint32_t count) {
        return by([counts](std::uint32_t i) { return counts[i]; }, count);
    }

    /// \param count_of  called as count_of(number)
    template <class CountOf>
    CUPOOL_DEVICE static CountRange by(const CountOf& count_of, std::uint32_t count) {
        CountRange range;
        const std::uint32_t size = (count + place_block_size - 1) / place_block_size;
        range.begin_ = thread_index() * size < count ? thread_index() * size : count;
        range.size_ = range.begin_ + size < count ? size : count - range.begin_;
#pragma unroll
        for (std::uint32_t i = 0; i < most; ++i) range.counts_[i] = i < range.size_ ? count_of(range.begin_ + i) : 0;
        return range;
    }

    /// The number of points at a level.
    CUPOOL_DEVICE std::uint32_t sum(std::uint32_t level) const {
        std::uint32_t sum = 0;
#pragma unroll
        for (const std::uint32_t count : counts_) sum += left(count, level);
        return sum;
    }

    /// Calls visit(index, start, count) for each count, where `start` is its first point at the level. \param first  the start of the first
    /// one \return the end of the last one
    template <class Visit>
    CUPOOL_DEVICE std::uint32_t for_each_start(std::uint32_t level, std::uint32_t first, const Visit& visit) const {
        std::uint32_t start = first;
#pragma unroll
        for (std::uint32_t i = 0; i < most; ++i) {
            if (i < size_) visit(begin_ + i, start, counts_[i]);
            start += left(counts_[i], level);
        }
        return start;
    }

    /// The points at a level of a bucket that has `count` at level 0.
    CUPOOL_DEVICE static std::uint32_t left(std::uint32_t count, std::uint32_t level) { return (count + (1u << level) - 1) >> level; }

private:
    std::uint32_t begin_;
    std::uint32_t size_;
    std::uint32_t counts_[most];
};

/// Shared memory for two scans in turn: one may be written while the other is still read.
using TwoScans = std::uint32_t[2][place_block_size / warp_size];

CUPOOL_DEVICE std::uint32_t* bin_sizes_of(const MsmKernelParams& params, std::uint32_t level, std::uint64_t row) {
    return params.sort.bin_sizes + ((level - first_level(params)) * std::uint64_t{params.rows.count} + row) * params.sort.bin_count;
}
CUPOOL_DEVICE std::uint32_t* starts_of(const MsmKernelParams& params, std::uint32_t level, std::uint64_t row) {
    return params.sort.bucket_starts +
           ((level - first_level(params)) * std::uint64_t{params.rows.count} + row) * (params.rows.bucket_count + 1);
}
/// The bits of the pairs of a round from the second.
CUPOOL_DEVICE std::uint32_t* unpaired_bits_of(const MsmKernelParams& params, std::uint32_t round, std::uint64_t row) {
    return params.rounds.unpaired_bits + (row * indexed_pair_count(params) + first_indexed_pair(params, round)) / word_bits;
}
CUPOOL_DEVICE std::uint32_t* carried_starts_of(const MsmKernelParams& params, std::uint64_t row) {
    return params.carry_over.starts + row * (params.rows.bucket_count + 1);
}
CUPOOL_DEVICE std::uint32_t* pair_indices_of(const MsmKernelParams& params, std::uint32_t round, std::uint64_t row) {
    return params.rounds.pair_indices + row * indexed_pair_count(params) + first_indexed_pair(params, round);
}

/// The buckets of a bin.
struct BinBuckets {
    std::uint32_t first;
    std::uint32_t count;

    CUPOOL_DEVICE static BinBuckets of(const MsmKernelParams& params, std::uint32_t bin) {
        const std::uint32_t first = bin << params.sort.bin_shift;
        const std::uint32_t most = 1u << params.sort.bin_shift;
        return {first, params.rows.bucket_count - first < most ? params.rows.bucket_count - first : most};
    }
};

CUPOOL_DEVICE std::uint32_t carried_in_bin(const MsmKernelParams& params, std::uint32_t row, std::uint32_t bin) {
    if (!params.carry_over.has_points) return 0;
    const std::uint32_t* const starts = carried_starts_of(params, row);
    const BinBuckets buckets = BinBuckets::of(params, bin);
    return starts[buckets.first + buckets.count] - starts[buckets.first];
}

/// Where the bins of a row begin and, behind the carried points of each, its other terms. One block for each row.
CUPOOL_DEVICE void place_bins(const MsmKernelParams& params, std::uint32_t row, std::uint32_t* sums) {
    std::uint32_t* const cursors = params.sort.bin_cursors + row * params.sort.bin_count;
    std::uint32_t* const starts = params.sort.bin_starts + row * (params.sort.bin_count + 1);
    const auto size_of = [&](std::uint32_t bin) { return cursors[bin] + carried_in_bin(params, row, bin); };
    const auto counts = CountRange::by(size_of, params.sort.bin_count);
    const std::uint32_t before = BlockScan::of<place_block_size>(counts.sum(0), sums).before;
    const std::uint32_t end = counts.for_each_start(0, before, [&](std::uint32_t bin, std::uint32_t start, std::uint32_t) {
        starts[bin] = start;
        cursors[bin] = start + carried_in_bin(params, row, bin);
    });
    if (thread_index() == place_block_size - 1) starts[params.sort.bin_count] = end;
}

/// The last index whose start is not above `position`.
CUPOOL_DEVICE std::uint32_t last_not_above(const std::uint32_t* starts, std::uint32_t count, std::uint32_t position) {
    std::uint32_t low = 0;
    std::uint32_t high = count;
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        if (starts[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Writes the carried points of a row into their bins, before the other terms. One block for each tile of points.
CUPOOL_DEVICE void bin_carried_points(const MsmKernelParams& params, std::uint32_t row, std::uint32_t tile) {
    const std::uint32_t* const starts = carried_starts_of(params, row);
    const std::uint32_t point_count = starts[params.rows.bucket_count];
    const std::uint32_t begin = tile * bin_tile;
    if (begin >= point_count) return;
    const std::uint32_t end = point_count - begin < bin_tile ? point_count : begin + bin_tile;
    const std::uint32_t first_bucket = last_not_above(starts, params.rows.bucket_count, begin);
    const std::uint32_t bucket_count = last_not_above(starts, params.rows.bucket_count, end - 1) + 1 - first_bucket;
    const std::uint32_t* const bin_starts = params.sort.bin_starts + row * (params.sort.bin_count + 1);
    const std::uint64_t first_place = std::uint64_t{row} * params.rows.max_terms;
#pragma unroll 1
    for (std::uint32_t i = begin + thread_index(); i < end; i += bin_block_size) {
        const std::uint32_t bucket = first_bucket + last_not_above(starts + first_bucket, bucket_count, i);
        const std::uint32_t bin = bucket >> params.sort.bin_shift;
        const std::uint32_t first_of_bin = bin << params.sort.bin_shift;
        const std::uint64_t place = first_place + bin_starts[bin] + (i - starts[first_of_bin]);
        params.sort.binned_terms[place] = i | carried_bit;
        params.sort.binned_buckets[place] = static_cast<std::uint16_t>(bucket - first_of_bin);
    }
}

/// Weight splitting: makes the bucket remainders of a row terms of two rows of `split`. Bucket b has the weight b + 1 = 2^low_bits * high +
/// low. Its points go into bucket low - 1 of the first row or, if low is 0, into the bucket behind all those, which has no weight; and,
/// unless high is 0, into bucket high - 1 of the second row. Each row has one bin. One block for each tile of points.
CUPOOL_DEVICE void split_weights(const MsmKernelParams& params, const MsmKernelParams& split, std::uint32_t row, std::uint32_t tile) {
    const std::uint32_t* const starts = carried_starts_of(params, row);
    const std::uint32_t point_count = starts[params.rows.bucket_count];
    const std::uint32_t lows = 1u << split.carry_over.low_bits;
    const std::uint32_t first_high = starts[lows - 1 < params.rows.bucket_count ? lows - 1 : params.rows.bucket_count];
    if (tile == 0 && thread_index() == 0) {
        std::uint32_t* const bin_starts = split.sort.bin_starts + row * 4;
        bin_starts[0] = 0;
        bin_starts[1] = point_count;
        bin_starts[2] = 0;
        bin_starts[3] = point_count - first_high;
    }
    const std::uint32_t begin = tile * split_tile;
    if (begin >= point_count) return;
    const std::uint32_t end = point_count - begin < split_tile ? point_count : begin + split_tile;
    const std::uint32_t first_bucket = last_not_above(starts, params.rows.bucket_count, begin);
    const std::uint32_t bucket_count = last_not_above(starts, params.rows.bucket_count, end - 1) + 1 - first_bucket;
    const std::uint64_t low_row = std::uint64_t{row} * 2 * split.rows.max_terms;
    const std::uint64_t high_row = low_row + split.rows.max_terms;
#pragma unroll 1
    for (std::uint32_t i = begin + thread_index(); i < end; i += bin_block_size) {
        const std::uint32_t bucket = first_bucket + last_not_above(starts + first_bucket, bucket_count, i);
        split.sort.binned_terms[low_row + i] = i | carried_bit;
        split.sort.binned_buckets[low_row + i] = static_cast<std::uint16_t>(bucket & (lows - 1));
        if (bucket + 1 < lows) continue;
        split.sort.binned_terms[high_row + (i - first_high)] = i | carried_bit;
        split.sort.binned_buckets[high_row + (i - first_high)] =
            static_cast<std::uint16_t>(((bucket + 1) >> split.carry_over.low_bits) - 1);
    }
}

/// A tile of the binned terms of a row. It may span several bins.
class BinnedTile {
public:
    CUPOOL_DEVICE BinnedTile(const MsmKernelParams& params, std::uint32_t row, std::uint32_t tile)
        : starts_(params.sort.bin_starts + row * (params.sort.bin_count + 1)),
          bin_count_(params.sort.bin_count),
          terms_(params.sort.binned_terms + std::uint64_t{row} * params.rows.max_terms),
          buckets_(params.sort.binned_buckets + std::uint64_t{row} * params.rows.max_terms) {
        const std::uint32_t row_terms = starts_[params.sort.bin_count];
        begin_ = tile * bin_tile < row_terms ? tile * bin_tile : row_terms;
        end_ = begin_ + bin_tile < row_terms ? begin_ + bin_tile : row_terms;
    }

    /// Calls visit(bin, begin, end) for the part of the tile in each bin. All threads of the block call it together.
    template <class Visit>
    CUPOOL_DEVICE void for_each_bin(const Visit& visit) const {
        if (begin_ == end_) return;
        std::uint32_t bin = last_not_above(starts_, bin_count_, begin_);
#pragma unroll 1
        for (std::uint32_t position = begin_; position < end_; ++bin) {
            const std::uint32_t bin_end = starts_[bin + 1] < end_ ? starts_[bin + 1] : end_;
            if (bin_end > position) visit(bin, position, bin_end);
            position = bin_end;
        }
    }

    CUPOOL_DEVICE std::uint32_t term(std::uint32_t position) const { return terms_[position]; }
    /// The bucket, counted from the first of its bin.
    CUPOOL_DEVICE std::uint32_t bucket_in_bin(std::uint32_t position) const { return buckets_[position]; }

private:
    const std::uint32_t* starts_;
    std::uint32_t bin_count_;
    const std::uint32_t* terms_;
    const std::uint16_t* buckets_;
    std::uint32_t begin_;
    std::uint32_t end_;
};

/// Counts the terms of buckets, into bucket_cursors. One block for each tile of binned terms.
CUPOOL_DEVICE void count_buckets(const MsmKernelParams& params, std::uint32_t row, std::uint32_t* counts) {
    const BinnedTile tile(params, row, block_index());
    const std::uint32_t bin_size = 1u << params.sort.bin_shift;
    std::uint32_t* cursors = params.sort.bucket_cursors + std::uint64_t{row} * params.rows.bucket_count;
    tile.for_each_bin([&](std::uint32_t bin, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = thread_index(); i < bin_size; i += bin_block_size) counts[i] = 0;
        block_barrier();
        for (std::uint32_t i = begin + thread_index(); i < end; i += bin_block_size) atomic_add_shared(&counts[tile.bucket_in_bin(i)], 1);
        block_barrier();
        for (std::uint32_t i = thread_index(); i < bin_size; i += bin_block_size) {
            if (counts[i] != 0) atomic_add(&cursors[(bin << params.sort.bin_shift) + i], counts[i]);
        }
    });
}

/// The points of each bin, at each level. One block for each bin.
CUPOOL_DEVICE void size_bins(const MsmKernelParams& params, std::uint32_t row, std::uint32_t bin, TwoScans& scans) {
    const BinBuckets buckets = BinBuckets::of(params, bin);
    const auto counts =
        CountRange::of(params.sort.bucket_cursors + std::uint64_t{row} * params.rows.bucket_count + buckets.first, buckets.count);
#pragma unroll 1
    for (std::uint32_t level = first_level(params); level <= params.rounds.count; ++level) {
        const std::uint32_t size = BlockScan::of<place_block_size>(counts.sum(level), scans[level % 2]).total;
        if (thread_index() == 0) bin_sizes_of(params, level, row)[bin] = size;
    }
}

/// Where the buckets of a bin begin at each level; in slots, that goes into bucket_cursors. Marks pairs with an unpaired point. One block
/// for each bin.
CUPOOL_DEVICE void place_buckets(const MsmKernelParams& params, std::uint32_t row, std::uint32_t bin, TwoScans& scans) {
    const BinBuckets buckets = BinBuckets::of(params, bin);
    std::uint32_t* const cursors = params.sort.bucket_cursors + std::uint64_t{row} * params.rows.bucket_count + buckets.first;
    std::uint32_t* const slots = params.sort.slots + std::uint64_t{row} * params.sort.slot_count;
    const auto counts = CountRange::of(cursors, buckets.count);
#pragma unroll 1
    for (std::uint32_t level = first_level(params); level <= params.rounds.count; ++level) {
        const auto sizes = CountRange::of(bin_sizes_of(params, level, row), bin);
        const std::uint32_t first = BlockScan::of<place_block_size>(sizes.sum(0), scans[0]).total;
        const std::uint32_t before = BlockScan::of<place_block_size>(counts.sum(level), scans[1]).before;
        std::uint32_t* const starts = starts_of(params, level, row);
        std::uint32_t* const unpaired_bits = unpaired_bits_of(params, level, row);
        const std::uint32_t end =
            counts.for_each_start(level, first + before, [&](std::uint32_t i, std::uint32_t start, std::uint32_t count) {
                starts[buckets.first + i] = start;
                if (level < 2) cursors[i] = start << level;
                if (level == 0 || CountRange::left(count, level - 1) % 2 == 0) return;
                if (level == 1) {
                    slots[2 * start + count] = no_term;
                } else {
                    const std::uint32_t last = start + CountRange::left(count, level) - 1;
                    atomic_add(&unpaired_bits[last / word_bits], 1u << last % word_bits);  // a bit is set once
                }
            });
        if (bin == params.sort.bin_count - 1 && thread_index() == place_block_size - 1) starts[params.rows.bucket_count] = end;
    }
}

/// Writes the terms into the slots of their buckets. One block for each tile of binned terms.
CUPOOL_DEVICE void scatter_to_buckets(const MsmKernelParams& params, std::uint32_t row, ScatterMemory& shared) {
    const BinnedTile tile(params, row, block_index());
    std::uint32_t* cursors = params.sort.bucket_cursors + std::uint64_t{row} * params.rows.bucket_count;
    std::uint32_t* slots = params.sort.slots + std::uint64_t{row} * params.sort.slot_count;
    tile.for_each_bin([&](std::uint32_t bin, std::uint32_t begin, std::uint32_t end) __attribute__((always_inline)) {
        std::uint32_t terms[terms_a_thread];
        std::uint32_t buckets[terms_a_thread];
#pragma unroll
        for (int i = 0; i < terms_a_thread; ++i) {
            const std::uint32_t position = begin + i * bin_block_size + thread_index();
            terms[i] = position < end ? tile.term(position) : 0;
            buckets[i] = position < end ? tile.bucket_in_bin(position) : no_tag;
        }
        const auto term_of = [&terms](int i) { return terms[i]; };
        scatter_by_key(term_of, buckets, 0, 1u << params.sort.bin_shift, cursors + (bin << params.sort.bin_shift), shared,
                       [slots](std::uint32_t place, std::uint32_t term, std::uint32_t) { slots[place] = term; });
        block_barrier();
    });
}

/// Indexes the pairs of a round; a thread takes a word of unpaired_bits. The index of a pair is that of its left point at the level before,
/// with unpaired_bit if it has no right one. Points are contiguous, so the left point of pair i is point 2 i, minus the number of unpaired
/// points before it.
CUPOOL_DEVICE void index_pairs(const MsmKernelParams& params, std::uint32_t row, std::uint32_t round, std::uint32_t tile,
                               std::uint32_t* sums) {
    const std::uint32_t* const starts = starts_of(params, round, row);
    const std::uint32_t pair_count = starts[params.rows.bucket_count];
    const std::uint32_t first = tile * pair_index_tile;
    if (first >= pair_count) return;
    const std::uint32_t bucket = last_not_above(starts, params.rows.bucket_count, first);
    const std::uint32_t unpaired_before = 2 * starts[bucket] - starts_of(params, round - 1, row)[bucket];
    const std::uint32_t word = first / word_bits + thread_index();
    const std::uint32_t own_bits = word_bits * word < pair_count ? unpaired_bits_of(params, round, row)[word] : 0;
    const std::uint32_t own_before = unpaired_before + BlockScan::of<place_block_size>(count_bits(own_bits), sums).before;
    const unsigned lane = thread_index() % warp_size;
    std::uint32_t* const indices = pair_indices_of(params, round, row);
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t bits = shuffle_within(all_lanes, own_bits, i, warp_size);
        const std::uint32_t before = shuffle_within(all_lanes, own_before, i, warp_size) + count_bits(bits & ((1u << lane) - 1));
        const std::uint32_t pair = (word - lane + i) * word_bits + lane;
        if (pair < pair_count) indices[pair] = (2 * pair - before) | (bits >> lane) << 31;
    }
}

}  // namespace cupool::device
