#include "msm/device/launch_heuristics.hpp"

#include <algorithm>
#include <cmath>

#include "msm/device/rounding.hpp"

namespace cupool::detail {

namespace {

/// Buckets of a row that hold the points of most digits.
std::uint32_t digit_buckets(const MsmKernelParams& params) {
    return params.digits.width == 0 ? params.rows.bucket_count : std::min(params.rows.bucket_count, 1u << (params.digits.width - 1));
}
/// The same for the last digits, which may have fewer.
std::uint32_t last_digit_buckets(const MsmKernelParams& params) {
    if (params.rows.last_copies == 1) return digit_buckets(params);
    // Values fill half of a copy or more.
    return std::min(digit_buckets(params), params.rows.last_copies << params.rows.last_copy_bits >> 1);
}

/// The least points a thread. A bucket of n points takes as long as adding the points of an interval, and then its n / size intervals, one
/// after the other; about sqrt(n) of them are fastest (between 4 and 8). But the buckets of the last digits should not have so many
/// intervals that blocks join them.
std::uint32_t choose_min_interval_size(const MsmKernelParams& params, std::uint64_t row_points) {
    constexpr double max_intervals = 0.75 * large_bucket_intervals;
    const auto points = static_cast<double>(row_points);
    const double fastest = std::max(std::sqrt(points / digit_buckets(params)), points / last_digit_buckets(params) / max_intervals);
    return static_cast<std::uint32_t>(std::clamp(fastest, 4.0, 8.0));
}

/// Device memory that one row of the rounds takes.
std::uint64_t row_bytes_of_rounds(const MsmKernelParams& params, std::size_t coordinate_bytes) {
    const std::uint64_t odd_sums_and_prefixes = std::uint64_t{max_points(params, 1)} * (affine_coordinates + 1);
    const std::uint64_t even_sums = std::uint64_t{max_points(params, 2)} * affine_coordinates;
    return (odd_sums_and_prefixes + even_sums) * coordinate_bytes;
}

}  // namespace

std::uint32_t choose_counted_tile(std::uint64_t scalars, unsigned multiprocessors) {
    const auto even = static_cast<std::uint32_t>(std::min<std::uint64_t>(scalars / (2 * multiprocessors) + 1, bin_tile));
    return rounded_up(even, bin_block_size);
}

std::uint32_t choose_bin_shift(std::uint32_t max_terms, std::uint32_t bucket_count) {
    // As few bins as leave about half a tile of terms in each, but so few that a tile's terms of one bin are written together, which
    // matters more than how long the runs of one bucket are then, unless bins have more than 512 buckets. No bin exceeds the tables of the
    // sorting kernels.
    constexpr std::uint32_t max_bins = 256;
    constexpr std::uint32_t max_small_bins = 64;
    constexpr unsigned small_shift = 8;
    const auto bins = [bucket_count](std::uint32_t shift) { return divided_up(bucket_count, 1u << shift); };
    std::uint32_t shift = bits_for(bucket_count);
    const auto are_too_large = [&] {
        if (1u << shift > largest_bin) return true;
        return max_terms / bins(shift) > bin_tile / 2 && bins(shift - 1) <= (shift - 1 <= small_shift ? max_small_bins : max_bins);
    };
    while (shift > 0 && are_too_large()) --shift;
    return shift;
}

std::uint32_t choose_rounds(const MsmKernelParams& params, BucketRemainder remainder, std::uint64_t resident_threads,
                            std::size_t coordinate_bytes) {
    // Rounds pay while every thread shares its inversion among many pairs, and while the odd points of a bucket (half of one a round, on
    // average) are few beside the others. Remainders that are carried over are sorted and read once more, those of weight splitting twice,
    // so that rounds pay there until fewer are left.
    constexpr std::uint32_t max_rounds = 8;
    const bool splits_weights = remainder == BucketRemainder::weight_split || params.carry_over.low_bits != 0;
    const std::uint64_t min_pairs_of_thread = splits_weights ? 6 : coordinate_bytes <= 32 ? 12 : 8;
    const std::uint64_t min_bucket_points = remainder == BucketRemainder::accumulated    ? 5
                                            : remainder == BucketRemainder::carried_over ? 2
                                                                                         : 1;
    const auto pays = [&](std::uint32_t rounds) {
        return std::uint64_t{params.rows.max_terms} * params.rows.count >> rounds >= resident_threads * min_pairs_of_thread &&
               params.rows.max_terms >= (std::uint64_t{params.rows.bucket_count} << rounds) * min_bucket_points;
    };
    std::uint32_t rounds = 0;
    while (rounds < max_rounds && pays(rounds + 1)) ++rounds;
    return rounds;
}

std::uint32_t choose_interval_size(const MsmKernelParams& params, std::uint64_t resident_blocks) {
    // So many points that threads fill the device a whole number of times, up to three if they have many, but no fewer than the minimum
    // and at most 128. Odd points count as they are on average, and a little more.
    constexpr std::uint64_t many = 20;
    const std::uint64_t fewest = params.rows.max_terms >> params.rounds.count;
    const std::uint64_t row_points = (fewest + max_points(params, params.rounds.count)) / 2;
    const std::uint64_t points = row_points * params.rows.count;
    const std::uint64_t waves = std::clamp<std::uint64_t>(points / (resident_blocks * point_block_size * many), 1, 3);
    const std::uint64_t row_threads = std::max<std::uint64_t>(waves * resident_blocks / params.rows.count, 1) * point_block_size;
    const std::uint64_t even = (row_points + row_points / 64) / row_threads + 1;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(even, choose_min_interval_size(params, row_points), 128));
}

std::uint32_t choose_lane_groups_a_bucket(const MsmKernelParams& params, unsigned multiprocessors) {
    // Several if most buckets, or those of the last digits, have many intervals, unless fewer lane groups fill the device.
    constexpr std::uint32_t many_intervals = 4;
    constexpr std::uint64_t resident_groups = 512 / lane_group_size;  // of a multiprocessor, as registers allow
    const std::uint32_t intervals = params.accumulation.interval_count;
    if (params.rows.bucket_count > intervals) return 1;  // lane groups join intervals then: see joining_lane_groups()
    if (intervals / last_digit_buckets(params) < many_intervals) return 1;
    std::uint32_t groups = 4;
    const std::uint64_t all_buckets = std::uint64_t{params.rows.bucket_count} * params.rows.count;
    while (groups > 1 && all_buckets * groups > resident_groups * multiprocessors) groups /= 2;
    return groups;
}

std::uint32_t choose_rows_at_once(const MsmKernelParams& params, std::size_t coordinate_bytes, std::uint64_t rounds_budget) {
    if (params.rounds.count == 0) return params.rows.count;
    const std::uint64_t row_bytes = std::max<std::uint64_t>(row_bytes_of_rounds(params, coordinate_bytes), 1);
    const auto max_rows = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rounds_budget / row_bytes, 1, params.rows.count));
    return divided_up(params.rows.count, divided_up(params.rows.count, max_rows));
}

std::uint32_t choose_pair_blocks(std::uint32_t round, std::uint32_t row_pairs, std::uint32_t rows, std::uint32_t resident_blocks,
                                 std::size_t coordinate_bytes) {
    // So few pairs a thread that blocks do not fall out of step for want of others, which costs most in the first round, but so many that
    // an inversion is a small part of the work.
    const std::uint64_t max_pairs_of_thread = coordinate_bytes <= 32 ? 80 : round == 1 ? 200 : 320;
    const std::uint64_t pairs_a_wave = std::uint64_t{resident_blocks} * pair_block_size * max_pairs_of_thread;
    const std::uint64_t waves = (std::uint64_t{row_pairs} * rows + pairs_a_wave - 1) / pairs_a_wave;
    const auto blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(waves * resident_blocks / rows, 1));
    return std::min(blocks, divided_up(row_pairs, pair_block_size * min_pairs_a_thread));
}

}  // namespace cupool::detail
