#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/device/kernel_params.hpp"
#include "msm/scalar_range.hpp"

namespace cupool::detail {

/// Where goes what the rounds of a plan leave of the buckets: nowhere, it is summed; or it is left to the plan of the next chunk, or to
/// one that weighs the buckets by halves of their weights.
enum class BucketRemainder { nobody, chunk, halves };

/// How scalars are cut into digits.
struct DigitChoice {
    bool are_scalars_split = false;  ///< each makes two terms of half its bits, by its point and the image of that: see scalar_split.hpp
    unsigned width = 0;              ///< bits of a digit

    unsigned terms_a_scalar() const { return are_scalars_split ? 2 : 1; }
    bool operator==(const DigitChoice&) const = default;
};

/// What decides the plan of a chunk.
struct MsmProblem {
    std::uint32_t msm_count = 1;
    std::uint32_t scalar_count = 0;    ///< of one MSM: at least 1; at most 2^30 with all tables, or 2^29 where they are split
    std::uint32_t carried_points = 0;  ///< that an earlier chunk may have left in a row
    BucketRemainder remainder = BucketRemainder::accumulated;  ///< what its rounds leave
    ScalarRange scalars;
    DigitChoice choice{};
    std::uint32_t base_count = 0;  ///< of a table; needed where scalars are split
    unsigned tables = 1;           ///< of prepared multiples of the points
    bool splits_weights = false;   ///< its buckets, if rounds leave them to another plan, are weighed by halves; alike in all chunks
    /// Where others sum the rest of one MSM in one table: which of so many equal shares of its terms' digits is summed here.
    unsigned partition = 0;
    unsigned partition_count = 1;
    unsigned multiprocessors = 1;
    std::uint64_t rounds_budget =
        0;  ///< bytes that the pairwise rounds may take of the workspace before they go over the rows in several turns
    std::size_t coordinate_bytes = 0;  ///< of one coordinate of a point

    bool operator==(const MsmProblem&) const = default;
};

/// A plan without pointers, and what only the host needs of it.
struct MsmPlan {
    MsmKernelParams params;
    std::uint32_t rows_at_once = 1;  ///< how many rows the pairwise rounds work on at a time
};

/// The digits of a scalar, or of each of its parts. Where scalars may be any below r, those above r / 2 count as what they are less r;
/// parts are centred about 0, too. So there are as many digits as magnitudes have bits for, and the last one, which takes the carry, may be
/// up to twice as large as the others.
struct MsmDigits {
    unsigned digit_count;
    unsigned first_narrow;       ///< digits from this one on have a bit less, but for the last one; digit_count where none has
    unsigned terms_a_scalar;     ///< each of so many digits
    unsigned window_count;       ///< which they share where there are several tables
    std::uint32_t half;          ///< the largest magnitude of any but the last digit
    std::uint32_t lowest_last;   ///< how far below 0 the last digit may be
    std::uint32_t largest_last;  ///< magnitude of the last digit
    std::uint32_t largest;       ///< magnitude of any
};
/// \pre choice.are_scalars_split only where scalars.spans_all()
MsmDigits msm_digits(const ScalarRange& scalars, DigitChoice choice, unsigned tables);

/// How often a table's points are doubled to make the next one, for digits of `width` bits. \param table  counted from 0
unsigned doublings_to_next_table(const MsmDigits& digits, unsigned width, unsigned table);

/// Windows that a share of all terms' digits has something of, where the digits are in order of windows first.
struct WindowRange {
    unsigned first;
    unsigned count;
};
WindowRange windows_of_partition(unsigned window_count, unsigned share, unsigned partition_count);

/// Buckets of all rows from which on it pays to weigh them by halves (measured on an H200).
inline constexpr std::uint64_t min_weight_split_buckets = std::uint64_t{1} << 18;

/// Windows of all MSMs of a job from so many on are weighed on the device: the host's additions would take longer (measured on an H200).
inline constexpr std::size_t min_joined_windows = 32;

/// Of whose work a cost is told: of so many MSMs together; or of a share of one MSM's digits, of which there are several only with one
/// table.
struct CostScope {
    unsigned partition_count = 1;
    std::size_t msm_count = 1;
};

/// Field products that a digit of a term is estimated to cost: one addition, mostly affine.
inline constexpr double products_a_digit = 8;

/// What MSMs of so many scalars are estimated to cost, in field products.
double msm_cost(std::size_t scalar_count, const MsmDigits& digits, CostScope of = {});

/// Calls visit(choice) for each way to cut scalars into digits. Scalars are split only over one table.
/// \param width  the bits that digits have; 0 for any
template <class Visit>
void for_each_digit_choice(const ScalarRange& scalars, unsigned tables, unsigned width, const Visit& visit) {
    const unsigned narrowest = width != 0 ? width : 4;
    const unsigned widest = width != 0 ? width : widest_digit;
    for (const bool are_split : {false, true}) {
        if (are_split && (!scalars.spans_all() || tables > 1)) continue;
        for (unsigned any_width = narrowest; any_width <= widest; ++any_width) visit(DigitChoice{are_split, any_width});
    }
}

/// The digits with the least estimated cost. Scalars are split only over one table. \param width  that they have; 0 for any
DigitChoice choose_digits(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables, unsigned width = 0, CostScope of = {});

/// The width of the digits that bases are prepared for in several tables, whether they are used in one MSM at a time or in several.
unsigned choose_prepared_width(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables);

/// How many blocks share a row's pairs in round number `round` (from 1) over `rows` windows of up to `row_pairs` pairs: so many that all
/// fill the device a whole number of times. \param resident_blocks  how many blocks of the pairwise kernels the device holds at once
/// \param coordinate_bytes  of one coordinate of a point
std::uint32_t choose_pair_blocks(std::uint32_t round, std::uint32_t row_pairs, std::uint32_t rows, std::uint32_t resident_blocks,
                                 std::size_t coordinate_bytes);

MsmPlan make_msm_plan(const MsmProblem& problem);

/// How many bits the low halves of the buckets' weights have where those are weighed by halves; 0 where rows have so few buckets that it
/// never is done. \param min_buckets  that all rows must have for it
unsigned choose_low_bits(const MsmDigits& digits, std::uint64_t min_buckets);

/// The plan that takes over what the rounds of `terms` leave of the buckets, and weighs them by halves: two rows for each of `terms`, one
/// of what the weights' low_bits low bits make buckets of, one of the others. \param problem  that `terms` was made for
MsmPlan make_weight_split_plan(const MsmKernelParams& terms, unsigned low_bits, MsmProblem problem);

/// Points the plan into memory that outlasts chunks, at `base` (a multiple of 256): plans of as many MSMs and of equal width agree about
/// it. \return how many bytes it takes
std::size_t place_msm_sums(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base);

/// Points the plan into a workspace at `base` (a multiple of 256), whose contents matter to no other chunk. \return how many bytes it
/// takes
std::size_t place_msm_workspace(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base);

}  // namespace cupool::detail
