#include "msm/device/cost_model.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "msm/device/bucket_reduction.hpp"
#include "msm/device/rounding.hpp"

namespace cupool::detail {

namespace {

constexpr double split_cost = 2;  // of a scalar: its parts, and the image of its point

double split_costs(double scalars, const MsmDigits& digits) { return digits.terms_a_scalar == 1 ? 0 : split_cost * scalars; }

/// The intervals of a bucket are joined, and the bucket is reduced, which runs at a lower occupancy than accumulation. With weight
/// splitting it costs a few affine additions instead, and some ten more kernels start and end.
constexpr double joining_cost = 30;
constexpr double reduction_cost = 60;
double bucket_costs(const MsmDigits& digits, double rows, bool may_split_weights) {
    constexpr double weight_split_bucket_cost = 50;
    constexpr double weight_split_cost = 4.5e6;
    const double buckets = digits.largest * rows;
    const bool splits_weights =
        may_split_weights && buckets >= min_weight_split_buckets && choose_low_bits(digits, min_weight_split_buckets) != 0;
    return splits_weights ? weight_split_bucket_cost * buckets + weight_split_cost : (joining_cost + reduction_cost) * buckets;
}

/// Extra cost of bucket reduction: few buckets take as long as those that fill the device, and many buckets in a row need a second launch.
double reduction_waits(const MsmDigits& digits, double rows) {
    constexpr double min_reduction_cost = 1.5e6;
    constexpr double second_launch_cost = 0.6e6;
    const double shortfall = std::max(min_reduction_cost - reduction_cost * digits.largest * rows, 0.0);
    return shortfall + (digits.largest <= reduction_tile ? 0 : second_launch_cost);
}

/// If buckets, all or those of the last digits, have many points each, the device waits for the blocks that join them.
double crowding_wait(double terms, const MsmDigits& digits) {
    constexpr double crowding_cost = 1.5e6;
    constexpr double many_points = 230;  // of a bucket that blocks join (large_bucket_intervals); small values are more frequent
    const bool is_last_alone = digits.window_count == digits.digit_count;  // then its window has room for copies
    const double last_points = terms / digits.largest_last / (is_last_alone ? last_copies(digits) : 1);
    const double points = terms * digits.digit_count / digits.window_count / digits.half;
    return std::max(last_points, points) > many_points ? crowding_cost : 0;
}

/// The host joins the bit sums, or the device those of many windows.
double joining_wait(const MsmDigits& digits, double rows) {
    constexpr double host_addition_cost = 5e3;
    constexpr double device_cost = 0.6e6;
    if (rows >= min_joined_windows) return device_cost;
    return host_addition_cost * rows * sums_of_bits(static_cast<std::uint32_t>(std::bit_width(digits.largest)));
}

/// The cost of all additions on a full device.
double work_cost(double scalars, const MsmDigits& digits, double rows) {
    return products_a_digit * digits.digit_count * digits.terms_a_scalar * scalars + split_costs(scalars, digits) +
           bucket_costs(digits, rows, true);
}

/// The cost of a digit partition of one MSM. Such MSMs are large, so waits of small ones are left out.
double partition_cost(std::size_t scalar_count, const MsmDigits& digits, unsigned partition_count) {
    // Partitions of more terms take several chunks, each of which leaves points of every bucket: no chunk is cheap (measured on two GPUs).
    constexpr std::size_t max_terms_of_few_chunks = std::size_t{1} << 21;
    const auto scalars = static_cast<double>(scalar_count);
    unsigned max_windows = 0;
    for (unsigned partition = 0; partition < partition_count; ++partition)
        max_windows = std::max(max_windows, windows_of_partition(digits.window_count, partition, partition_count).count);
    // Blocks are distributed evenly over windows, so those of a partial window wait for the others (half of what it lacks, as measured).
    const double scalar_digits = static_cast<double>(digits.terms_a_scalar) * digits.digit_count;
    const double own_digits = (scalar_digits / partition_count + digits.terms_a_scalar * max_windows) / 2;
    return products_a_digit * own_digits * scalars + split_costs(scalars, digits) +
           bucket_costs(digits, max_windows, scalar_count <= max_terms_of_few_chunks);
}

/// The candidate with the least cost. \param cost_of  called as cost_of(digits)
template <class CostFunction>
DigitChoice cheapest_digits(const ScalarRange& scalars, unsigned tables, unsigned width, const CostFunction& cost_of) {
    DigitChoice best;
    double best_cost = std::numeric_limits<double>::infinity();
    for_each_digit_choice(scalars, tables, width, [&](const DigitChoice& choice) {
        const double cost = cost_of(msm_digits(scalars, choice, tables));
        if (cost >= best_cost) return;
        best = choice;
        best_cost = cost;
    });
    return best;
}

}  // namespace

double msm_cost(std::size_t scalar_count, const MsmDigits& digits, CostScope of) {
    if (of.partition_count > 1) return partition_cost(scalar_count, digits, of.partition_count);
    const double scalars = static_cast<double>(scalar_count) * static_cast<double>(of.msm_count);
    const double rows = static_cast<double>(digits.window_count) * static_cast<double>(of.msm_count);
    const double terms_of_one = digits.terms_a_scalar * static_cast<double>(scalar_count);
    return work_cost(scalars, digits, rows) + reduction_waits(digits, rows) + crowding_wait(terms_of_one, digits) +
           joining_wait(digits, rows);
}

DigitChoice choose_digits(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables, unsigned width, CostScope of) {
    return cheapest_digits(scalars, tables, width, [&](const MsmDigits& digits) { return msm_cost(scalar_count, digits, of); });
}

unsigned choose_prepared_width(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables) {
    const unsigned for_one = choose_digits(scalar_count, scalars, tables).width;
    if (msm_digits(scalars, {.width = for_one}, tables).window_count == 1) return for_one;
    // Several windows of wide digits save one MSM up to a sixth, but cost each MSM of a batch up to a third more.
    const auto work = [&](const MsmDigits& digits) { return work_cost(static_cast<double>(scalar_count), digits, digits.window_count); };
    return cheapest_digits(scalars, tables, 0, work).width;
}

unsigned choose_low_bits(const MsmDigits& digits, std::uint64_t min_buckets) {
    constexpr std::uint64_t many_rows = 32;
    return digits.largest < min_buckets / many_rows ? 0 : bits_for(digits.largest) / 2;
}

}  // namespace cupool::detail
