#include "msm/device/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "big_integer.hpp"
#include "catch.hpp"
#include "field/integer.hpp"
#include "inputs.hpp"
#include "msm/device/bucket_reduction.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/launch_heuristics.hpp"
#include "msm/device/workspace_layout.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

/// An H200's.
MsmPlan shape_of(const ScalarRange& scalars, DigitChoice choice, unsigned tables, std::uint32_t scalar_count, std::uint32_t msm_count = 1) {
    return make_msm_plan({.msm_count = msm_count,
                          .scalar_count = scalar_count,
                          .scalars = scalars,
                          .choice = choice,
                          .tables = tables,
                          .multiprocessors = 132,
                          .rounds_budget = std::uint64_t{1} << 34,
                          .coordinate_bytes = 48});
}

BigInteger digit_offset(const MsmKernelParams& params) {
    BigInteger offset;
    for (unsigned i = 0; i < shifted_words; ++i) offset = offset + BigInteger::power_of_two(32 * i) * params.digits.offset[i];
    return offset;
}

}  // namespace

TEST_CASE("there are as many digits as r / 2 has bits for, the last up to twice as large as the others", "[kernels]") {
    const auto of_bls12_377 = [](unsigned width) { return msm_digits(scalar_range<Curve::bls12_377>(0), {.width = width}, 1); };
    CHECK(of_bls12_377(18).digit_count == 14);
    CHECK(of_bls12_377(18).largest == 152'941);  // r / 2^235 = 152,940.67, and a carry
    CHECK(of_bls12_377(21).digit_count == 12);
    CHECK(of_bls12_377(21).largest == 1'223'526);  // r / 2^232 = 1,223,525.37
    CHECK(of_bls12_377(20).digit_count == 13);
    CHECK(of_bls12_377(20).largest == 1 << 19);
    const auto of_bn254 = [](unsigned width) { return msm_digits(scalar_range<Curve::bn254>(0), {.width = width}, 1); };
    CHECK(of_bn254(11).digit_count == 23);
    CHECK(of_bn254(11).largest == 1'549);  // r / 2^243 = 1,548.5, and a carry
    CHECK(of_bn254(16).digit_count == 16);
    CHECK(msm_digits(scalar_range<Curve::bls12_381>(0), {.width = 17}, 1).digit_count == 15);
}

TEST_CASE("scalars that do not span all leave a carry to the last digit", "[kernels]") {
    CHECK(msm_digits(scalar_range<Curve::bls12_377>(252), {.width = 21}, 1).digit_count == 13);
    CHECK(msm_digits(scalar_range<Curve::bls12_377>(251), {.width = 21}, 1).digit_count == 12);
    CHECK(msm_digits(scalar_range<Curve::bls12_377>(251), {.width = 21}, 1).largest == 1 << 20);
    CHECK(msm_digits(scalar_range<Curve::bls12_377>(8), {.width = 21}, 1).digit_count == 1);
    for (unsigned width = 1; width <= widest_digit; ++width) {
        const MsmKernelParams params = shape_of(scalar_range<Curve::bls12_381>(254), {.width = width}, 1, 1000).params;
        CHECK((digit_offset(params) + BigInteger::power_of_two(254)).bit_count() <= 32 * shifted_words);
        CHECK(params.digits.last_offset == 0);
    }
}

TEMPLATE_TEST_CASE_SIG("r / 2 and -r / 2 have digits within the buckets, and what is added to them fits its words", CUPOOL_EACH_CURVE) {
    const BigInteger half(halved(group_order<C>()));
    for (unsigned width = 1; width <= widest_digit; ++width) {
        const MsmKernelParams params = shape_of(scalar_range<C>(0), {.width = width}, 1, 1000).params;
        const BigInteger offset = digit_offset(params);
        CAPTURE(width);
        REQUIRE_FALSE(offset < half);
        const std::size_t last = width * (params.digits.count - 1);
        const auto last_digit = [&](const BigInteger& shifted) {
            std::int64_t bits = 0;
            for (std::size_t bit = shifted.bit_count(); bit-- > last;) bits = bits * 2 + shifted.bit(bit);
            return bits - params.digits.last_offset;
        };
        CHECK((offset + half).bit_count() <= 32 * shifted_words);
        CHECK(last_digit(offset + half) <= params.rows.bucket_count);
        CHECK(last_digit(offset - half) >= -std::int64_t{params.rows.bucket_count});
        CHECK(std::uint32_t{1} << (width - 1) <= params.rows.bucket_count);
    }
}

TEMPLATE_TEST_CASE_SIG("the parts of a scalar have digits within the buckets, and what is added to them fits their words", "[kernels]",
                       ((Curve C), C), Curve::bn254, Curve::bls12_381, Curve::bls12_377) {
    constexpr Uint128 largest = ScalarSplit<Parameters<C>>::largest_part;
    const BigInteger part(to_limbs(to_words(largest)));
    for (unsigned width = 1; width <= widest_digit; ++width) {
        const MsmKernelParams params = shape_of(scalar_range<C>(0), {true, width}, 1, 1000).params;
        const BigInteger offset = digit_offset(params);
        CAPTURE(width);
        REQUIRE_FALSE(offset < part);
        CHECK((offset + part).bit_count() <= 32 * scalar_part_words);
        CHECK(params.digits.word_count == scalar_part_words);
        CHECK(params.operands.term_count == 2000);
        const BigInteger last = BigInteger::power_of_two(width * (params.digits.count - 1));
        CHECK(part < last * params.digits.last_offset);
        CHECK(params.digits.last_offset <= params.rows.bucket_count);
        CHECK(std::uint32_t{1} << (width - 1) <= params.rows.bucket_count);
        CHECK(std::size_t{width} * params.digits.count <= 127 + width);
    }
}

TEST_CASE("scalars are split where that saves more buckets than it costs, and never over several tables or with a promise", "[kernels]") {
    const ScalarRange any = scalar_range<Curve::bls12_381>(0);
    for (const unsigned exponent : {1U, 10U, 16U, 20U, 24U}) CHECK(choose_digits(std::size_t{1} << exponent, any, 1).are_scalars_split);
    CHECK_FALSE(choose_digits(std::size_t{1} << 22, any, 1).are_scalars_split);  // 15 digits of 17 bits, for 16 of 16
    CHECK_FALSE(choose_digits(std::size_t{1} << 16, any, 2).are_scalars_split);
    CHECK_FALSE(choose_digits(std::size_t{1} << 16, scalar_range<Curve::bls12_381>(254), 1).are_scalars_split);
    CHECK(choose_digits(std::size_t{1} << 16, any, 1, 7).width == 7);
}

TEST_CASE("only a window of the last digits alone has copies of its buckets, unless weights are split", "[kernels]") {
    const auto problem = [](unsigned width) {
        return MsmProblem{.scalar_count = 1 << 14,
                          .scalars = scalar_range<Curve::bn254>(0),
                          .choice = {true, width},
                          .base_count = 1 << 14,
                          .multiprocessors = 132,
                          .rounds_budget = std::uint64_t{1} << 34,
                          .coordinate_bytes = 32};
    };
    for (unsigned width = 1; width <= widest_digit; ++width) {
        const MsmKernelParams params = make_msm_plan(problem(width)).params;
        const std::uint32_t values = msm_digits(scalar_range<Curve::bn254>(0), {true, width}, 1).largest_last;
        CAPTURE(width, values, params.rows.bucket_count, params.rows.last_copies, params.rows.last_copy_bits);
        CHECK(params.rows.last_copies >= 1);
        if (params.rows.last_copies == 1) continue;
        CHECK(params.rows.last_copies << params.rows.last_copy_bits <= params.rows.bucket_count);
        CHECK(values < 1U << params.rows.last_copy_bits);  // so that the largest weight of a copy is not one of the next one's
    }
    MsmProblem narrow = problem(12);
    CHECK(make_msm_plan(narrow).params.rows.last_copies > 10);
    narrow.splits_weights = true;
    CHECK(make_msm_plan(narrow).params.rows.last_copies == 1);
    narrow.splits_weights = false;
    narrow.partition_count = 2;
    CHECK(make_msm_plan(narrow).params.rows.last_copies == 1);
    narrow.partition = 1;
    CHECK(make_msm_plan(narrow).params.rows.last_copies > 10);
    narrow = problem(8);
    narrow.scalars = scalar_range<Curve::bn254>(30);  // three digits of 8 bits, and 6 bits with a carry
    narrow.choice.are_scalars_split = false;
    CHECK(msm_digits(narrow.scalars, narrow.choice, 1).largest_last == 64);
    const MsmKernelParams params = make_msm_plan(narrow).params;
    CHECK(params.rows.last_copies == 1);  // of 128 buckets
    narrow.choice.width = 9;              // a last digit of 3 bits and a carry
    CHECK(make_msm_plan(narrow).params.rows.last_copies == 16);
    narrow = problem(12);
    narrow.choice.are_scalars_split = false;
    narrow.tables = 64;
    CHECK(make_msm_plan(narrow).params.rows.last_copies == 1);
}

TEST_CASE("bins are few while they are small, and fewer are never larger than the kernels' tables", "[kernels]") {
    const auto bins = [](DigitChoice choice, unsigned exponent) {
        return shape_of(scalar_range<Curve::bn254>(0), choice, 1, 1U << exponent).params.sort.bin_count;
    };
    CHECK(bins({true, 13}, 18) == 64);
    CHECK(bins({true, 16}, 20) == 64);  // of 512 buckets
    CHECK(bins({false, 17}, 22) == 128);
    CHECK(bins({true, 18}, 24) == 223);  // of 1024
    CHECK(bins({true, 11}, 10) == 1);    // few terms
}

TEST_CASE("a thread sums fewer points where buckets have few, but not so few that the last digits' buckets span very many intervals",
          "[kernels]") {
    const ScalarRange any = scalar_range<Curve::bn254>(0);
    CHECK(shape_of(any, {true, 8}, 1, 1 << 10).params.accumulation.interval_size == 4);  // 16 points a bucket
    CHECK(shape_of(any, {true, 8}, 1, 1 << 11).params.accumulation.interval_size == 5);  // 32
    CHECK(shape_of(any, {true, 8}, 1, 1 << 13).params.accumulation.interval_size == 8);  // 128
    CHECK(shape_of(any, {true, 10}, 1, 1 << 9).params.accumulation.interval_size == 4);  // 2
    CHECK(shape_of(any, {true, 11}, 1, 1 << 18).params.accumulation.interval_size > 8);  // the device is full
    for (unsigned width = 4; width <= 12; ++width) {
        const MsmKernelParams params = shape_of(any, {true, width}, 1, 1 << 10).params;
        if (params.rows.last_copies == 1) continue;
        const std::uint32_t values = params.rows.last_copies << params.rows.last_copy_bits >> 1;
        INFO(width);
        CHECK((params.rows.max_terms / values / params.accumulation.interval_size <= large_bucket_intervals ||
               params.accumulation.interval_size == 8));
    }
}

TEST_CASE("rounds begin with fewer pairs a thread where coordinates are wide", "[kernels]") {
    const auto rounds = [](std::size_t coordinate_bytes, std::uint32_t scalar_count) {
        return make_msm_plan({.scalar_count = scalar_count,
                              .scalars = scalar_range<Curve::bls12_381>(0),
                              .choice = {.width = 15},
                              .tables = 64,
                              .multiprocessors = 132,
                              .rounds_budget = std::uint64_t{1} << 34,
                              .coordinate_bytes = coordinate_bytes})
            .params.rounds.count;
    };
    CHECK(rounds(48, 1 << 16) == 1);  // 11 pairs a thread
    CHECK(rounds(32, 1 << 16) == 0);  // 8
    CHECK(rounds(48, 1 << 15) == 0);  // 5
    CHECK(rounds(32, 1 << 17) == 1);  // 16
}

TEST_CASE("several lane groups join a bucket if most of some window span many intervals, unless the device is full", "[kernels]") {
    const ScalarRange any = scalar_range<Curve::bn254>(0);
    CHECK(shape_of(any, {true, 8}, 1, 1 << 12).params.accumulation.lane_groups_a_bucket == 4);
    CHECK(shape_of(any, {true, 10}, 1, 1 << 14).params.accumulation.lane_groups_a_bucket == 2);
    CHECK(shape_of(any, {true, 11}, 1, 1 << 16).params.accumulation.lane_groups_a_bucket == 1);  // few intervals
    // 64 buckets have four intervals each, but those of the last digits two more.
    CHECK(shape_of(scalar_range<Curve::bls12_381>(0), {true, 7}, 1, 1 << 10).params.accumulation.lane_groups_a_bucket == 4);
}

TEST_CASE("a lane group joins an interval, not a part of a bucket, if intervals are fewer than buckets", "[kernels]") {
    for (unsigned width = 1; width <= widest_digit; ++width) {
        for (std::uint32_t scalar_count = 1; scalar_count <= 1 << 20; scalar_count *= 2) {
            const MsmKernelParams params = shape_of(scalar_range<Curve::bn254>(0), {true, width}, 1, scalar_count).params;
            CAPTURE(width, scalar_count, params.accumulation.interval_count, params.rows.bucket_count);
            CHECK((params.accumulation.interval_count >= params.rows.bucket_count || params.accumulation.lane_groups_a_bucket == 1));
        }
    }
}

TEST_CASE("a params's counters lie together, and nothing else among them", "[kernels]") {
    for (const std::uint32_t scalar_count : {1U, 1U << 12, 1U << 20}) {
        MsmPlan plan = shape_of(scalar_range<Curve::bn254>(0), {true, 10}, 1, scalar_count);
        const MsmKernelParams& params = plan.params;
        constexpr std::uint64_t base = 4096;
        const std::size_t bytes = place_msm_workspace(plan, 48, base);
        const auto address = [](const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); };
        const std::uint64_t begin = address(params.accumulation.large_bucket_count);
        const std::uint64_t end = begin + cleared_words(params) * sizeof(std::uint32_t);
        CAPTURE(scalar_count, params.rounds.count);
        const std::uint64_t rows = params.rows.count;
        CHECK(begin < address(params.sort.bin_cursors));
        CHECK(address(params.sort.bin_cursors + rows * params.sort.bin_count) <= address(params.sort.bucket_cursors));
        CHECK(address(params.sort.bucket_cursors + rows * params.rows.bucket_count) <= address(params.rounds.unpaired_bits));
        CHECK(address(params.rounds.unpaired_bits + rows * (indexed_pair_count(params) / word_bits)) == end);
        for (const void* const other :
             {params.operands.images, static_cast<void*>(params.digits.shifted_scalars), static_cast<void*>(params.sort.bin_sizes),
              static_cast<void*>(params.sort.bin_starts), static_cast<void*>(params.sort.binned_terms),
              static_cast<void*>(params.sort.binned_buckets), static_cast<void*>(params.sort.bucket_starts),
              static_cast<void*>(params.sort.slots), params.rounds.odd_sums, params.rounds.even_sums, params.rounds.prefixes,
              static_cast<void*>(params.accumulation.large_buckets), params.accumulation.unfinished, params.accumulation.finished}) {
            CHECK((address(other) >= end && address(other) <= base + bytes));
        }
    }
}

TEST_CASE("digits are not so wide that the last ones crowd few buckets", "[kernels]") {
    const ScalarRange any = scalar_range<Curve::bn254>(0);
    CHECK(msm_digits(any, {true, 5}, 1).largest_last == 2);
    const auto cost_of_five = [&any](std::size_t scalars) {
        return msm_cost(scalars, msm_digits(any, {true, 5}, 1)) - msm_cost(scalars, msm_digits(any, {true, 6}, 1));
    };
    CHECK(cost_of_five(1 << 10) > 1e6);
    CHECK(cost_of_five(1 << 6) < 1e5);                                                                             // few points
    CHECK(msm_cost(1 << 14, msm_digits(any, {true, 12}, 1)) < msm_cost(1 << 14, msm_digits(any, {true, 13}, 1)));  // many copies
    CHECK(choose_digits(1 << 10, any, 1).width == 8);
}

TEST_CASE("where all digits share a window, some have a bit less, so that the last one fills the buckets", "[kernels]") {
    constexpr unsigned every = 256;
    for (const ScalarRange& scalars : {scalar_range<Curve::bn254>(0), scalar_range<Curve::bls12_381>(0), scalar_range<Curve::bls12_377>(0),
                                       scalar_range<Curve::bls12_381>(100), scalar_range<Curve::bn254>(1)}) {
        for (unsigned width = 1; width <= widest_digit; ++width) {
            const MsmDigits digits = msm_digits(scalars, {.width = width}, every);
            const MsmKernelParams params = shape_of(scalars, {.width = width}, every, 1000).params;
            CAPTURE(scalars.bits, width, digits.digit_count, digits.first_narrow, digits.largest_last);
            REQUIRE(digits.window_count == 1);
            const bool has_narrow = digits.first_narrow < digits.digit_count;
            const unsigned others = digits.digit_count - 1;
            if (has_narrow) CHECK(digits.largest_last <= digits.half);
            if (others > width) CHECK(2 * digits.largest_last >= digits.half);  // with bits enough to take
            if (others > 0) CHECK(digit_width(params, 0) == width);             // so that all buckets can be reached
            if (!has_narrow) CHECK(digit_width(params, others) == width);
            CHECK(digits.digit_count == msm_digits(scalars, {.width = width}, 1).digit_count);
            unsigned doublings = 0;
            for (unsigned table = 0; table + 1 < digits.digit_count; ++table) {
                CHECK(digit_position(params, table) == doublings);
                CHECK(digit_position(params, table + 1) == digit_position(params, table) + digit_width(params, table));
                doublings += doublings_to_next_table(digits, width, table);
            }
            CHECK((digit_offset(params) + BigInteger::power_of_two(scalars.bits)).bit_count() <= 32 * shifted_words);
            for (const unsigned tables : {1U, 2U, digits.digit_count - 1}) {
                if (tables == 0 || tables >= digits.digit_count) continue;
                const MsmDigits shared = msm_digits(scalars, {.width = width}, tables);
                CHECK(shared.first_narrow == shared.digit_count);
                CHECK(doublings_to_next_table(shared, width, 0) == width * shared.window_count);
            }
        }
    }
    CHECK(msm_digits(scalar_range<Curve::bls12_381>(0), {.width = 11}, 64).first_narrow == 14);  // 14 * 11 + 9 * 10 + 10 bits
    CHECK(msm_digits(scalar_range<Curve::bls12_381>(0), {.width = 11}, 64).largest_last == 928);
}

TEST_CASE("digits are as wide as sums that wait for each other make it worth while in small MSMs", "[kernels]") {
    const auto width = [](const ScalarRange& scalars, unsigned exponent, unsigned tables, std::size_t msm_count = 1) {
        return choose_digits(std::size_t{1} << exponent, scalars, tables, 0, {.msm_count = msm_count}).width;
    };
    const ScalarRange bn254 = scalar_range<Curve::bn254>(0);
    const ScalarRange bls12_381 = scalar_range<Curve::bls12_381>(0);
    CHECK(width(bls12_381, 10, 1) == 8);
    CHECK(width(bls12_381, 10, 1, 1024) == 7);  // fuller devices take fewer buckets
    CHECK(width(bn254, 13, 1) == 8);            // reduced by one launch
    CHECK(width(bn254, 14, 1) == 11);
    CHECK(width(bn254, 14, 1, 16) == 10);
    CHECK(width(bls12_381, 16, 1) == 12);
    CHECK(width(bls12_381, 16, 1, 32) == 12);  // too few buckets a row for weight splitting
    CHECK(width(bls12_381, 10, 64) == 10);     // 8 bits would crowd all buckets
    CHECK(width(bls12_381, 12, 64) == 12);
    CHECK(width(bn254, 15, 64) == 15);
    CHECK(width(bn254, 13, 13) != 12);                          // the last digit would have two values
    CHECK(width(scalar_range<Curve::bn254>(64), 12, 6) != 8);   // and here one
    CHECK(choose_prepared_width(1 << 14, bls12_381, 4) == 11);  // not 13 and buckets of five windows, which a batch pays for
    CHECK(choose_prepared_width(1 << 14, bls12_381, 64) == width(bls12_381, 14, 64));
    CHECK(width(bn254, 5, 1) >= 5);  // 32 windows and more are joined on the device
}

TEST_CASE("bins make up a row's buckets, within the kernels' tables", "[kernels]") {
    for (const ScalarRange& scalars : {scalar_range<Curve::bn254>(0), scalar_range<Curve::bls12_377>(0),
                                       scalar_range<Curve::bls12_381>(254), scalar_range<Curve::bn254>(64)}) {
        for (unsigned width = 1; width <= widest_digit; ++width) {
            for (const unsigned tables : {0U, 1U, 3U, 64U}) {
                const bool are_split = tables == 0;
                if (are_split && !scalars.spans_all()) continue;
                for (const std::uint32_t scalar_count : {1U, 5000U, 1U << 18, 1U << 24}) {
                    const MsmKernelParams params = shape_of(scalars, {are_split, width}, are_split ? 1 : tables, scalar_count).params;
                    CAPTURE(scalars.bits, width, tables, scalar_count, params.rows.bucket_count, params.sort.bin_count);
                    CHECK(params.sort.bin_count <= largest_bin);
                    CHECK(params.sort.bin_count * params.digits.window_count <= largest_bin_table);
                    CHECK(1u << params.sort.bin_shift <= largest_bin);
                    CHECK((params.sort.bin_count - 1) << params.sort.bin_shift < params.rows.bucket_count);
                    CHECK(params.rows.bucket_count <= params.sort.bin_count << params.sort.bin_shift);
                }
            }
        }
    }
}

TEST_CASE("parts of weights have buckets for every bucket, in one bin of the kernels' tables", "[kernels]") {
    for (const ScalarRange& scalars : {scalar_range<Curve::bn254>(0), scalar_range<Curve::bls12_377>(0), scalar_range<Curve::bn254>(64)}) {
        for (unsigned width = 3; width <= widest_digit; ++width) {
            for (const unsigned tables : {1U, 64U}) {
                const MsmDigits digits = msm_digits(scalars, {.width = width}, tables);
                const unsigned low_bits = choose_low_bits(digits, 2);
                const MsmProblem problem{.scalar_count = 1 << 22,
                                         .remainder = BucketRemainder::weight_split,
                                         .scalars = scalars,
                                         .choice = {.width = width},
                                         .tables = tables,
                                         .multiprocessors = 132,
                                         .rounds_budget = std::uint64_t{1} << 34,
                                         .coordinate_bytes = 32};
                const MsmKernelParams terms = make_msm_plan(problem).params;
                const MsmKernelParams split = make_weight_split_plan(terms, low_bits, problem).params;
                CAPTURE(scalars.bits, width, tables, low_bits, terms.rows.bucket_count, split.rows.bucket_count);
                REQUIRE(leaves_sums(terms));
                CHECK_FALSE(leaves_sums(split));
                CHECK(low_bits < width);
                CHECK(std::uint32_t{1} << low_bits <= split.rows.bucket_count);
                CHECK(digits.largest >> low_bits <= split.rows.bucket_count);  // the largest high part of a weight
                CHECK(split.rows.bucket_count <= 1u << split.sort.bin_shift);
                CHECK(1u << split.sort.bin_shift <= largest_bin);
                CHECK(split.rows.count == 2 * terms.rows.count);
                CHECK(split.rows.max_terms == max_points(terms, terms.rounds.count));
                CHECK(split.rows.weight_bits == terms.rows.weight_bits);
                CHECK(std::uint64_t{split.accumulation.interval_count} * split.accumulation.interval_size >=
                      max_points(split, split.rounds.count));
            }
        }
    }
    CHECK(choose_low_bits(msm_digits(scalar_range<Curve::bn254>(0), {.width = 13}, 1), min_weight_split_buckets) == 0);
    CHECK(choose_low_bits(msm_digits(scalar_range<Curve::bn254>(0), {.width = 15}, 1), min_weight_split_buckets) == 7);
    CHECK(choose_low_bits(msm_digits(scalar_range<Curve::bls12_377>(0), {.width = 21}, 64), min_weight_split_buckets) == 10);
}

TEST_CASE("partitions of an MSM's digits follow each other, and make up all of them", "[kernels]") {
    std::mt19937_64 random(3);
    const auto up_to = [&random](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    for (int i = 0; i < 300; ++i) {
        MsmProblem problem{.scalar_count = up_to(i % 2 == 0 ? 10 : 1 << 26),
                           .scalars = scalar_range<Curve::bn254>(i % 3 == 0 ? 0 : static_cast<int>(up_to(254))),
                           .choice = {i % 3 == 0, up_to(20)},
                           .base_count = 1,
                           .coordinate_bytes = 32};
        const std::uint32_t digits = msm_digits(problem.scalars, problem.choice, 1).digit_count;
        problem.partition_count = up_to(9);
        CAPTURE(problem.scalar_count, problem.scalars.bits, problem.choice.width, problem.partition_count, digits);
        std::uint64_t end = 0;  // of all digits, those of the first window first
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t most = 0;
        for (problem.partition = 0; problem.partition < problem.partition_count; ++problem.partition) {
            const MsmKernelParams params = make_msm_plan(problem).params;
            CHECK(params.digits.window_count == params.digits.count);
            CHECK(params.digits.last == digits - 1);
            CHECK(params.digits.begin_of_first < params.operands.term_count);
            CHECK(params.digits.end_of_last <= params.operands.term_count);
            CHECK(params.operands.term_count == problem.choice.terms_a_scalar() * problem.scalar_count);
            CHECK(std::uint64_t{params.digits.first} * params.operands.term_count + params.digits.begin_of_first == end);
            const std::uint64_t begin = end;
            end = std::uint64_t{params.digits.first + params.digits.count - 1} * params.operands.term_count + params.digits.end_of_last;
            least = std::min(least, end - begin);
            most = std::max(most, end - begin);
        }
        CHECK(end == std::uint64_t{digits} * problem.choice.terms_a_scalar() * problem.scalar_count);
        CHECK(most - least <= 1);
    }
}

TEST_CASE("the names of pairs fit into the place of the binned terms", "[kernels]") {
    unsigned max_rounds = 0;
    bool are_more_names = false;
    const auto check = [&](const MsmProblem& problem) {
        MsmPlan plan = make_msm_plan(problem);
        place_msm_workspace(plan, problem.coordinate_bytes, 0);
        const MsmKernelParams& params = plan.params;
        CAPTURE(problem.multiprocessors, problem.msm_count, problem.scalar_count, problem.choice.width, params.rounds.count);
        const auto room =
            reinterpret_cast<std::uintptr_t>(params.sort.binned_buckets) - reinterpret_cast<std::uintptr_t>(params.rounds.pair_indices);
        CHECK(std::uint64_t{params.rows.count} * indexed_pair_count(params) * sizeof(std::uint32_t) <= room);
        max_rounds = std::max(max_rounds, params.rounds.count);
        are_more_names |= indexed_pair_count(params) > params.rows.max_terms;
    };
    for (const unsigned multiprocessors : {1U, 46U, 108U, 132U}) {
        MsmProblem problem{.scalars = scalar_range<Curve::bn254>(0),
                           .multiprocessors = multiprocessors,
                           .rounds_budget = std::uint64_t{1} << 34,
                           .coordinate_bytes = 64};
        problem.tables = 64;
        for (problem.choice.width = 1; problem.choice.width <= widest_digit; ++problem.choice.width) {
            for (problem.scalar_count = 1; problem.scalar_count <= 1U << 24; problem.scalar_count *= 8) check(problem);
        }
        problem.tables = problem.choice.width = 1;
        problem.scalars = scalar_range<Curve::bn254>(253);  // one bucket
        for (const std::uint32_t msms : {140U, 258U}) {
            problem.msm_count = msms;
            for (problem.scalar_count = 15; problem.scalar_count <= 64; ++problem.scalar_count) check(problem);
        }
    }
    CHECK(max_rounds == 8);
    CHECK(are_more_names);  // a row's are a multiple of 32 for each round
}

TEST_CASE("chunks of any size agree about the buckets of a row", "[kernels]") {
    for (const unsigned width : {7U, 18U, 21U}) {
        const MsmKernelParams large = shape_of(scalar_range<Curve::bls12_377>(0), {.width = width}, 64, 1 << 22, 2).params;
        const MsmKernelParams small = shape_of(scalar_range<Curve::bls12_377>(0), {.width = width}, 64, 1 << 8, 2).params;
        CHECK(large.rows.bucket_count == small.rows.bucket_count);
        const MsmKernelParams large_part = shape_of(scalar_range<Curve::bn254>(0), {true, width}, 1, 1 << 22).params;
        const MsmKernelParams small_part = shape_of(scalar_range<Curve::bn254>(0), {true, width}, 1, 1 << 8).params;
        CHECK(large_part.rows.last_copies == small_part.rows.last_copies);
        CHECK(large_part.rows.last_copy_bits == small_part.rows.last_copy_bits);
    }
}

TEST_CASE("levels of bucket reduction leave one point of a row's positions, and have a bit for each of them", "[kernels]") {
    for (const std::uint32_t buckets :
         {1U, 2U, 3U, 16U, 127U, 128U, 129U, 1U << 14, (1U << 14) + 1, 3U << 13, (1U << 20) - 1, 1U << 20, 1342177U}) {
        MsmKernelParams params{};
        params.rows.bucket_count = buckets;
        params.rows.count = 3;
        CAPTURE(buckets);
        const std::uint32_t places = reduction_list_size(params, 0);
        CHECK((places == buckets + 1 || (places == buckets && (buckets & (buckets - 1)) == 0)));
        std::uint32_t bits = 0;
        std::uint64_t points = 0;
        for (std::uint32_t level = 0; level < reduction_levels(params); ++level) {
            CHECK(reduction_lists(level) == 1 + 4 * level);
            for (std::uint32_t list = 1; list < reduction_lists(level); ++list) CHECK(reduction_list_bit(list) < bits);
            CHECK(reduction_list_bit(reduction_lists(level)) == bits);
            CHECK(reduction_list_size(params, level + 1) * reduction_tile >= reduction_list_size(params, level));
            if (level > 0) {
                CHECK(reduction_list_offset(params, level) == points);
                points += std::uint64_t{3} * reduction_lists(level) * reduction_list_size(params, level);
            }
            bits += reduction_bits(params, level);
        }
        CHECK(reduction_list_offset(params, reduction_levels(params)) == points);
        CHECK(places <= 1U << bits);
        CHECK((bits == 0 || places > 1U << (bits - 1)));
    }
}
