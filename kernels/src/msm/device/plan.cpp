#include "msm/device/plan.hpp"

#include <algorithm>
#include <bit>

#include "msm/device/launch_heuristics.hpp"
#include "msm/device/rounding.hpp"

namespace cupool::detail {

namespace {

void set_operands(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    const bool are_split = problem.choice.are_scalars_split;
    params.operands.msm_count = problem.msm_count;
    params.operands.scalar_count = problem.scalar_count;
    params.operands.term_count = digits.terms_a_scalar * problem.scalar_count;
    params.operands.scalars_are_split = are_split ? 1 : 0;
    params.operands.first_image = are_split ? problem.base_count : carried_bit;
    params.operands.scalar_bits = problem.scalars.bits;
    params.operands.scalars_are_centred = problem.scalars.spans_all() ? 1 : 0;
}

/// The digits of the partition: all digits of all terms in order, those of the first term's first digit first, are divided equally.
void set_partition(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    const WindowRange windows = windows_of_partition(digits.window_count, problem.partition, problem.partition_count);
    const std::uint64_t terms = params.operands.term_count;
    const std::uint64_t all = digits.digit_count * terms;
    const auto begin_of = [&](unsigned partition) { return static_cast<std::uint64_t>(all * partition / problem.partition_count); };
    params.digits.first = windows.first;
    params.digits.window_count = windows.count;
    params.digits.count = problem.partition_count == 1 ? digits.digit_count : windows.count;
    const std::uint64_t last = params.digits.first + params.digits.count - 1;
    params.digits.begin_of_first = static_cast<std::uint32_t>(begin_of(problem.partition) - params.digits.first * terms);
    params.digits.end_of_last = static_cast<std::uint32_t>(begin_of(problem.partition + 1) - last * terms);
}

void set_digit_offset(MsmKernelParams& params) {
    for (std::uint32_t digit = 0; digit <= params.digits.last; ++digit) {
        const std::uint64_t summand =
            digit == params.digits.last ? params.digits.last_offset : (1u << (digit_width(params, digit) - 1)) - 1;
        const std::uint32_t position = digit_position(params, digit);
        const std::uint64_t bits = summand << position % 32;  // the summands of digits do not overlap
        params.digits.offset[position / 32] |= static_cast<std::uint32_t>(bits);
        if (position / 32 + 1 < shifted_words) params.digits.offset[position / 32 + 1] |= static_cast<std::uint32_t>(bits >> 32);
    }
}

void set_digits(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    params.digits.width = problem.choice.width;
    params.digits.first_narrow = digits.first_narrow;
    params.digits.last = digits.digit_count - 1;
    params.digits.last_offset = digits.lowest_last;
    params.digits.word_count = problem.choice.are_scalars_split ? scalar_part_words : shifted_words;
    set_partition(params, problem, digits);
    set_digit_offset(params);
}

/// With weight splitting a window has one copy of its buckets: rounds leave few points of those that have many.
void set_copies(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    const bool has_last = params.digits.first + params.digits.count - 1 == params.digits.last;
    const bool may_have_copies = has_last && problem.tables == 1 && !problem.splits_weights;
    params.rows.last_copy_bits = last_copy_bits(digits);
    params.rows.last_copies = may_have_copies ? last_copies(digits) : 1;
}

void set_rows(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    const std::uint32_t digits_a_window = divided_up(params.digits.count, params.digits.window_count);
    params.rows.count = params.operands.msm_count * params.digits.window_count;
    params.rows.max_terms = params.operands.term_count * digits_a_window + problem.carried_points;
    params.rows.bucket_count = digits.largest;
    params.rows.weight_bits = static_cast<std::uint32_t>(std::bit_width(digits.largest));
    set_copies(params, problem, digits);
}

/// The sort's bins, from the number of terms and buckets of a row.
void set_bins(MsmKernelParams& params, std::uint32_t bin_shift) {
    params.sort.bin_shift = bin_shift;
    params.sort.bin_count = divided_up(params.rows.bucket_count, 1u << bin_shift);
}

/// Decides what follows the sort, from the terms and buckets of rows.
void set_steps(MsmPlan& plan, const MsmProblem& problem) {
    MsmKernelParams& params = plan.params;
    const std::uint64_t blocks = std::uint64_t{problem.multiprocessors} * summing_blocks(problem.coordinate_bytes);
    params.rounds.count = choose_rounds(params, problem.remainder, blocks * point_block_size, problem.coordinate_bytes);
    params.sort.slot_count = max_points(params, first_level(params)) << first_level(params);
    params.accumulation.interval_size = choose_interval_size(params, blocks);
    const bool accumulates = params.rounds.count == 0 || problem.remainder == BucketRemainder::accumulated;
    params.accumulation.interval_count =
        accumulates ? divided_up(max_points(params, params.rounds.count), params.accumulation.interval_size) : 0;
    params.accumulation.lane_groups_a_bucket = choose_lane_groups_a_bucket(params, problem.multiprocessors);
    plan.rows_at_once = choose_rows_at_once(params, problem.coordinate_bytes, problem.rounds_budget);
}

}  // namespace

MsmPlan make_msm_plan(const MsmProblem& problem) {
    MsmPlan plan{};
    MsmKernelParams& params = plan.params;
    const MsmDigits digits = msm_digits(problem.scalars, problem.choice, problem.tables);
    set_operands(params, problem, digits);
    set_digits(params, problem, digits);
    set_rows(params, problem, digits);
    params.carry_over.has_points = problem.carried_points != 0 ? 1 : 0;
    params.sort.counted_tile = choose_counted_tile(std::uint64_t{problem.msm_count} * problem.scalar_count, problem.multiprocessors);
    set_bins(params, choose_bin_shift(params.rows.max_terms, params.rows.bucket_count));
    set_steps(plan, problem);
    return plan;
}

MsmPlan make_weight_split_plan(const MsmKernelParams& terms, unsigned low_bits, MsmProblem problem) {
    problem.remainder = BucketRemainder::accumulated;
    MsmPlan plan{};
    MsmKernelParams& params = plan.params;
    params.operands.first_image = carried_bit;
    params.carry_over.low_bits = low_bits;
    params.rows.count = 2 * terms.rows.count;
    params.rows.max_terms = max_points(terms, terms.rounds.count);
    params.rows.bucket_count = std::max(1u << low_bits, terms.rows.bucket_count >> low_bits);
    params.rows.weight_bits = terms.rows.weight_bits;
    params.rows.last_copies = 1;
    set_bins(params, bits_for(params.rows.bucket_count));
    set_steps(plan, problem);
    return plan;
}

}  // namespace cupool::detail
