#include "msm_plan.hpp"

#include <algorithm>
#include <limits>

namespace cupool::detail {

namespace {

/// Resident threads of a multiprocessor that the summing kernels' registers allow.
constexpr unsigned threads_per_multiprocessor = 512;
/// An affine point has two coordinates, an XYZZ point four.
constexpr std::size_t affine_coordinates = 2;
constexpr std::size_t xyzz_coordinates = 4;
unsigned windows_of(unsigned scalar_bits, unsigned width) { return scalar_bits / width + 1; }

std::uint32_t divided_up(std::uint32_t value, std::uint32_t divisor) { return value / divisor + (value % divisor != 0); }

/// As few bins as leave about half a tile of terms in each, within what the sorting kernels' tables hold.
std::uint32_t choose_bin_count(std::uint32_t term_count, std::uint32_t bucket_count) {
    std::uint32_t count = 1;
    while (count < largest_bin_count && count < bucket_count && (term_count / count > bin_tile / 2 || bucket_count / count > largest_bin))
        count *= 2;
    return count;
}

/// Pairwise rounds pay where there are enough pairs for every thread to share its inversion among many, and where the slots that pad
/// the buckets (half of 2^rounds each, on average) stay few beside the terms.
std::uint32_t choose_rounds(std::uint64_t window_terms, std::uint32_t bucket_count, std::uint32_t window_count,
                            std::uint64_t resident_threads) {
    constexpr std::uint64_t least_pairs_a_thread = 12;
    std::uint32_t rounds = 0;
    while (rounds < 6 && window_terms * window_count >> (rounds + 1) >= resident_threads * least_pairs_a_thread &&
           window_terms >= (std::uint64_t{bucket_count} << (rounds + 1)) * 16) {
        ++rounds;
    }
    return rounds;
}

/// Terms a thread: enough threads for four waves of the device, between 8 (below, joining costs more than it saves) and 128.
std::uint32_t choose_share_size(std::uint64_t points, std::uint64_t resident_threads) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(points / (4 * resident_threads), 8, 128));
}

/// Buckets a quad: a power of two that leaves no more groups than the device has quads resident, from 4 (below, weighing the group costs
/// more than its sum) to 32.
std::uint32_t choose_group_size(std::uint32_t bucket_count, std::uint64_t all_buckets, std::uint64_t resident_threads) {
    std::uint32_t size = 4;
    while (size < 32 && all_buckets / size > resident_threads / quad_size) size *= 2;
    return std::min(size, bucket_count);
}

/// How many windows the rounds work on at a time: what the budget allows, and about equally many each time.
std::uint32_t choose_windows_at_once(const MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t rounds_budget) {
    if (plan.rounds == 0) return plan.window_count;
    // Half the slots' points and prefixes, and a quarter's points.
    const std::uint64_t window_bytes = plan.slot_count / 4 * (affine_coordinates * 3 + 2) * coordinate_bytes;
    const auto most = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(rounds_budget / std::max<std::uint64_t>(window_bytes, 1), 1, plan.window_count));
    return divided_up(plan.window_count, divided_up(plan.window_count, most));
}

void set_digit_offset(MsmPlan& plan) {
    const std::uint64_t summand = (std::uint64_t{1} << (plan.width - 1)) - 1;
    for (std::uint32_t window = 0; window < plan.window_count; ++window) {
        const std::uint32_t position = window * plan.width;
        const std::uint64_t bits = summand << position % 32;  // the windows' summands do not overlap
        plan.digit_offset[position / 32] |= static_cast<std::uint32_t>(bits);
        if (position / 32 + 1 < shifted_words) plan.digit_offset[position / 32 + 1] |= static_cast<std::uint32_t>(bits >> 32);
    }
}

/// What follows from the number of terms, the rest of the plan being settled.
void set_term_count(MsmPlan& plan, std::uint32_t term_count) {
    const std::uint32_t multiple = 1u << plan.rounds;
    const std::uint64_t padded_buckets = std::min(plan.bucket_count, term_count);
    plan.term_count = term_count;
    plan.slot_count = divided_up(static_cast<std::uint32_t>(term_count + padded_buckets * (multiple - 1)), multiple) * multiple;
    plan.share_count = divided_up(plan.slot_count >> plan.rounds, plan.share_size);
}

}  // namespace

unsigned choose_window_width(std::uint32_t term_count, unsigned scalar_bits) {
    // In field products: a term costs one addition, mostly affine. A bucket costs two full additions and its share of a group's scaling;
    // those run at a lower occupancy, which the factor holds (measured on an H200).
    constexpr double term_cost = 8;
    constexpr double bucket_cost = 110;
    unsigned best = 1;
    double best_cost = std::numeric_limits<double>::infinity();
    for (unsigned width = 4; width <= 20; ++width) {
        const double cost =
            windows_of(scalar_bits, width) * (term_cost * term_count + bucket_cost * static_cast<double>(1u << (width - 1)));
        if (cost < best_cost) {
            best = width;
            best_cost = cost;
        }
    }
    return best;
}

MsmShape make_msm_shape(const MsmProblem& problem) {
    MsmShape shape{};
    MsmPlan& plan = shape.plan;
    const std::uint64_t resident_threads = std::uint64_t{problem.multiprocessors} * threads_per_multiprocessor;
    plan.scalar_bits = problem.scalar_bits;
    plan.width = problem.width != 0 ? problem.width : choose_window_width(problem.term_count, problem.scalar_bits);
    plan.window_count = windows_of(problem.scalar_bits, plan.width);
    plan.bucket_count = 1u << (plan.width - 1);
    plan.bin_count = choose_bin_count(problem.term_count, plan.bucket_count);
    while (plan.bucket_count >> plan.bin_shift > plan.bin_count) ++plan.bin_shift;
    const std::uint64_t all_terms = std::uint64_t{problem.term_count} * plan.window_count;
    plan.rounds = choose_rounds(problem.term_count, plan.bucket_count, plan.window_count, resident_threads);
    plan.share_size = choose_share_size(all_terms >> plan.rounds, resident_threads);
    plan.group_size = choose_group_size(plan.bucket_count, std::uint64_t{plan.bucket_count} * plan.window_count, resident_threads);
    plan.group_count = plan.bucket_count / plan.group_size;
    set_term_count(plan, problem.term_count);
    set_digit_offset(plan);
    shape.windows_at_once = choose_windows_at_once(plan, problem.coordinate_bytes, problem.rounds_budget);
    return shape;
}

std::uint32_t choose_pairs_a_thread(std::uint32_t row_pairs, std::uint32_t rows, std::uint32_t resident_blocks) {
    // Few enough that blocks do not fall out of step for want of others, many enough that an inversion is a small part of the work.
    constexpr std::uint64_t most = 80;
    constexpr std::uint64_t least = 8;
    const std::uint64_t pairs_a_wave = std::uint64_t{resident_blocks} * pair_block_size * most;
    const std::uint64_t waves = (std::uint64_t{row_pairs} * rows + pairs_a_wave - 1) / pairs_a_wave;
    const std::uint64_t blocks_a_row = std::max<std::uint64_t>(waves * resident_blocks / rows, 1);
    const std::uint64_t threads_a_row = blocks_a_row * pair_block_size;
    return static_cast<std::uint32_t>(std::max((row_pairs + threads_a_row - 1) / threads_a_row, least));
}

MsmShape shortened(MsmShape shape, std::uint32_t term_count) {
    set_term_count(shape.plan, term_count);
    return shape;
}

std::size_t place_msm_workspace(MsmShape& shape, std::size_t coordinate_bytes, std::uint64_t base) {
    MsmPlan& plan = shape.plan;
    constexpr std::uint64_t alignment = 256;
    std::uint64_t end = base;
    const auto place = [&]<class T>(T*& pointer, std::uint64_t count, std::size_t element_bytes) {
        pointer = reinterpret_cast<T*>(end);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
        end += (count * element_bytes + alignment - 1) / alignment * alignment;
    };
    const std::uint64_t windows = plan.window_count;
    const std::uint64_t slots_at_once = plan.rounds == 0 ? 0 : std::uint64_t{plan.slot_count} * shape.windows_at_once;
    const std::uint64_t shares = windows * plan.share_count;
    constexpr std::size_t word = sizeof(std::uint32_t);
    const std::size_t affine_bytes = affine_coordinates * coordinate_bytes;
    const std::size_t xyzz_bytes = xyzz_coordinates * coordinate_bytes;
    place(plan.large_bucket_count, 1, word);
    place(plan.first_oversized_scalar, 1, word);
    place(plan.shifted_scalars, std::uint64_t{shifted_words} * plan.term_count, word);
    place(plan.bin_cursors, windows * plan.bin_count, word);
    place(plan.bin_starts, windows * (plan.bin_count + 1), word);
    place(plan.binned_terms, windows * plan.term_count, word);
    place(plan.binned_buckets, windows * plan.term_count, sizeof(std::uint16_t));
    place(plan.cursors, windows * plan.bucket_count, word);
    place(plan.starts, windows * (plan.bucket_count + 1), word);
    place(plan.slots, windows * plan.slot_count, word);
    place(plan.halves, slots_at_once / 2, affine_bytes);
    place(plan.quarters, slots_at_once / 4, affine_bytes);
    place(plan.prefixes, slots_at_once / 2, coordinate_bytes);
    place(plan.large_buckets, shares / large_bucket_shares + 1, word);
    place(plan.buckets, windows * plan.bucket_count, xyzz_bytes);
    place(plan.unfinished, shares, xyzz_bytes);
    place(plan.finished, shares, xyzz_bytes);
    place(plan.groups, windows * plan.group_count, xyzz_bytes);
    place(plan.window_sums, windows, xyzz_bytes);
    return end - base;
}

}  // namespace cupool::detail
