// The sort by itself, in plans too wide for the simulated driver to sum.
#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <numeric>
#include <random>
#include <tuple>

#include "../endomorphism_eigenvalue.hpp"
#include "catch.hpp"
#include "field/integer.hpp"
#include "machine.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/digits.hpp"
#include "msm/device/kernels.hpp"
#include "msm/device/plan.hpp"
#include "msm/device/workspace_layout.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Scalars at the borders of digits of that width, and a few others. (r - 1) / 2 and (r + 1) / 2 have the largest last digits.
template <Curve C>
std::vector<BigInteger> border_scalars(unsigned width) {
    const BigInteger r(group_order<C>());
    const BigInteger half(detail::halved(group_order<C>()));
    BigInteger largest_digits;  // at every place but the last
    for (unsigned place = 0; place + 2 * width < r.bit_count(); place += width)
        largest_digits = largest_digits + BigInteger::power_of_two(place + width - 1);
    std::vector<BigInteger> scalars = {0, 1, r - 1, half, half + 1, half - 1, half + 2, largest_digits, r - largest_digits};
    std::mt19937_64 random(width);
    while (scalars.size() < 20) {
        Scalar any;
        for (std::uint64_t& limb : any.limbs) limb = random();
        scalars.push_back(BigInteger(any) % r);
    }
    return scalars;
}

/// Sorted terms, read back.
struct Sorted {
    detail::MsmKernelParams params;
    std::vector<std::vector<std::uint32_t>> starts;  ///< of each level of each row: starts_of(level, row)
    std::vector<std::vector<std::uint32_t>> slots;   ///< of each row
    std::vector<std::vector<std::uint32_t>> names;   ///< of each row: of the pairs of all rounds from the second

    const std::vector<std::uint32_t>& starts_of(std::uint32_t level, std::uint32_t row) const {
        return starts[(level - first_level(params)) * params.rows.count + row];
    }

    /// What the terms' digits come to, a scalar each, modulo r. \param lambda  what images count for
    std::vector<BigInteger> sums(const BigInteger& r, const BigInteger& lambda = BigInteger(0)) const {
        std::vector<BigInteger> sums(params.operands.msm_count * params.operands.scalar_count);
        for (std::uint32_t row = 0; row < params.rows.count; ++row) {
            const std::uint32_t level = first_level(params);
            const auto& row_starts = starts_of(level, row);
            for (std::uint32_t bucket = 0; bucket < params.rows.bucket_count; ++bucket) {
                for (std::uint32_t slot = row_starts[bucket] << level; slot < row_starts[bucket + 1] << level; ++slot)
                    add(sums, row, weight(row, bucket), slots[row][slot], r, lambda);
            }
        }
        return sums;
    }

private:
    /// The copies of the last digits' buckets weigh the same.
    std::uint32_t weight(std::uint32_t row, std::uint32_t bucket) const {
        const bool is_last = row % params.digits.window_count + 1 == params.digits.window_count;
        return (is_last && params.rows.last_copies > 1 ? bucket % (1U << params.rows.last_copy_bits) : bucket) + 1;
    }
    void add(std::vector<BigInteger>& sums, std::uint32_t row, std::uint32_t magnitude, std::uint32_t term, const BigInteger& r,
             const BigInteger& lambda) const {
        if (term == detail::no_term || (term & detail::carried_bit) != 0) return;
        const bool is_image = (term & 0x7fffffff) >= params.operands.first_image;
        const std::uint32_t index = (term & 0x7fffffff) - (is_image ? params.operands.first_image : 0);
        const std::uint32_t digit = row % params.digits.window_count + index / params.operands.scalar_count * params.digits.window_count;
        BigInteger& sum = sums[row / params.digits.window_count * params.operands.scalar_count + index % params.operands.scalar_count];
        const BigInteger factor = BigInteger::power_of_two(digit_position(params, digit)) * magnitude % r;
        const BigInteger value = is_image ? factor * lambda % r : factor;
        sum = (term >> 31 == 0 ? sum + value : sum + (r - value)) % r;
    }
};

/// The words at `pointer`.
std::vector<std::uint32_t> read(std::uint32_t* pointer, std::size_t count, StreamView stream) {
    std::vector<std::uint32_t> words(count);
    copy(std::span(words), DeviceSpan<const std::uint32_t>(detail::words_at(pointer, count, stream)), stream);
    return words;
}

/// \param numbers  scalars of `msm_count` MSMs \param carried_starts  where the carried points of each row's buckets begin, if there are
/// any \param bitsize  that the numbers are promised to be below; 0 for any below r
template <Curve C>
Sorted sort(const DeviceContext& context, const std::vector<BigInteger>& numbers, std::uint32_t msm_count, detail::DigitChoice choice,
            unsigned tables, unsigned multiprocessors = 132, const std::vector<std::uint32_t>& carried_starts = {}, int bitsize = 0) {
    const std::uint32_t max_carried = carried_starts.empty() ? 0 : *std::max_element(carried_starts.begin(), carried_starts.end());
    const std::uint32_t scalar_count = static_cast<std::uint32_t>(numbers.size()) / msm_count;
    detail::MsmPlan plan = detail::make_msm_plan({.msm_count = msm_count,
                                                  .scalar_count = scalar_count,
                                                  .carried_points = max_carried,
                                                  .scalars = detail::scalar_range<C>(bitsize),
                                                  .choice = choice,
                                                  .base_count = scalar_count,
                                                  .tables = tables,
                                                  .multiprocessors = multiprocessors,
                                                  .rounds_budget = 1 << 30,
                                                  .coordinate_bytes = 32});
    detail::MsmKernelParams& params = plan.params;
    const DeviceBuffer<std::byte> workspace(place_msm_workspace(plan, 32, 0), context);
    place_msm_workspace(plan, 32, workspace.span().pointer());
    std::vector<Scalar> scalars;
    for (const BigInteger& number : numbers) scalars.push_back(number.limbs<4>());
    const DeviceBuffer<Scalar> there(scalars.size(), context);
    copy(there.span(), std::span<const Scalar>(scalars), context.stream());
    params.operands.scalars = reinterpret_cast<const void*>(there.span().pointer());  // NOLINT(performance-no-int-to-ptr): a device address
    params.operands.table_stride = params.operands.scalar_count;
    params.carry_over.max_points = max_carried;
    const DeviceBuffer<std::uint32_t> carried_there(carried_starts.size(), context);
    copy(carried_there.span(), std::span<const std::uint32_t>(carried_starts), context.stream());
    params.carry_over.starts =
        reinterpret_cast<std::uint32_t*>(carried_there.span().pointer());  // NOLINT(performance-no-int-to-ptr): likewise
    const detail::MsmSortKernels kernels(context.context(), detail::msm_code<C>().sort);
    kernels.sort(params, context.stream());
    Sorted sorted{params, {}, {}, {}};
    const std::uint32_t levels = params.rounds.count + 1 - first_level(params);
    for (std::size_t i = 0; i < levels * params.rows.count; ++i)
        sorted.starts.push_back(
            read(params.sort.bucket_starts + i * (params.rows.bucket_count + 1), params.rows.bucket_count + 1, context.stream()));
    for (std::uint32_t row = 0; row < params.rows.count; ++row) {
        const std::uint32_t used = sorted.starts_of(first_level(params), row).back() << first_level(params);
        sorted.slots.push_back(read(params.sort.slots + std::uint64_t{row} * params.sort.slot_count, used, context.stream()));
        const std::uint32_t named = indexed_pair_count(params);
        sorted.names.push_back(read(params.rounds.pair_indices + std::uint64_t{row} * named, named, context.stream()));
    }
    return sorted;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("sorted into buckets, the digits of every width come to their scalars", "[msm]", ((Curve C), C), Curve::bn254,
                       Curve::bls12_381, Curve::bls12_377) {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const BigInteger r(group_order<C>());
    for (unsigned width = 1; width <= detail::widest_digit; ++width) {
        const unsigned tables = width > 12 ? 64 : width % 3 == 0 ? 1 : width % 3 == 1 ? 3 : 64;
        CAPTURE(width, tables);
        const auto scalars = border_scalars<C>(width);
        CHECK(sort<C>(context, scalars, width % 2 + 1, {.width = width}, tables).sums(r) == scalars);
    }
}

TEST_CASE("where scalars keep a promise and have a table for each digit, the digits come to them", "[msm]") {
    constexpr Curve C = Curve::bls12_381;
    constexpr unsigned every = 256;
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const BigInteger r(group_order<C>());
    std::mt19937_64 random(13);
    for (const int bits : {1, 16, 100, 254}) {
        const BigInteger end = BigInteger::power_of_two(static_cast<std::size_t>(bits));
        std::vector<BigInteger> scalars{0, 1, end - 1, BigInteger::power_of_two(static_cast<std::size_t>(bits - 1))};
        while (scalars.size() < 30) scalars.push_back(BigInteger(random()) * random() * random() * random() % end);
        for (const unsigned width : {1U, 2U, 5U, 7U, 8U, 11U, 13U, 18U, 21U}) {
            CAPTURE(bits, width);
            CHECK(sort<C>(context, scalars, 1, {.width = width}, every, 132, {}, bits).sums(r) == scalars);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("split in two, scalars are what the digits of their parts come to", "[msm][long]", ((Curve C), C), Curve::bn254,
                       Curve::bls12_381, Curve::bls12_377) {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const BigInteger r(group_order<C>());
    const BigInteger lambda = endomorphism_eigenvalue<C>();
    REQUIRE((lambda * lambda + lambda + BigInteger(1)) % r == BigInteger(0));
    std::mt19937_64 random(11);
    for (const unsigned width : {1U, 2U, 3U, 5U, 7U, 8U, 9U, 10U, 11U, 12U, 13U, 16U, 18U}) {
        CAPTURE(width);
        auto scalars = border_scalars<C>(width);
        for (const BigInteger& border : {lambda, r - lambda, lambda * lambda % r}) {
            for (const std::uint64_t step : {0, 1, 2}) scalars.push_back((border + r - 1 + step) % r);
        }
        for (int i = 0; i < 100; ++i) scalars.push_back(BigInteger(random()) * random() * random() * random() % r);
        if (scalars.size() % 2 != 0) scalars.emplace_back(3);
        const Sorted sorted = sort<C>(context, scalars, width % 2 + 1, {true, width}, 1);
        CHECK(sorted.sums(r, lambda) == scalars);
        CHECK(sorted.params.digits.window_count <= (detail::scalar_range<C>(0).bits / 2 + width) / width);
    }
}

TEST_CASE("where the last digits have few values, their terms are dealt to copies of as many buckets", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    std::mt19937_64 random(12);
    const BigInteger r(group_order<C>());
    std::vector<BigInteger> scalars;
    for (int i = 0; i < 2000; ++i) scalars.push_back(BigInteger(random()) * random() * random() * random() % r);
    for (const auto& [are_split, width] : {std::pair{true, 9U}, {true, 12U}, {false, 10U}, {false, 13U}}) {
        const Sorted sorted = sort<C>(context, scalars, 1, {are_split, width}, 1);
        const detail::MsmKernelParams& params = sorted.params;
        CAPTURE(are_split, width, params.rows.last_copies, params.rows.last_copy_bits);
        CHECK((params.rows.last_copies > 4) == (width != 9));
        const std::uint32_t copy = params.rows.last_copies == 1 ? params.rows.bucket_count : 1U << params.rows.last_copy_bits;
        CHECK(params.rows.last_copies * copy <= params.rows.bucket_count);
        const auto& starts = sorted.starts_of(0, params.digits.window_count - 1);
        for (std::uint32_t i = 0; i < params.rows.last_copies; ++i)
            CHECK(starts[(i + 1) * copy] - starts[i * copy] <= params.operands.term_count / params.rows.last_copies + 1);
        CHECK(starts[params.rows.bucket_count] == starts[params.rows.last_copies * copy]);
    }
}

TEST_CASE("each round finds the points of a bucket two by two, and the odd one marked", "[msm][long]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const BigInteger r(group_order<Curve::bn254>());
    std::vector<BigInteger> scalars = border_scalars<Curve::bn254>(8);
    std::mt19937_64 random(1);
    while (scalars.size() < 1500) scalars.push_back(scalars.size() < 100 ? BigInteger(1) : BigInteger(random()) * random() % r);
    for (const auto& [width, tables, rounds] : {std::tuple{3U, 64U, 4U}, {8U, 64U, 2U}, {4U, 1U, 3U}}) {
        CAPTURE(width, tables);
        const Sorted sorted = sort<Curve::bn254>(context, scalars, 1, {.width = width}, tables, 1);
        const detail::MsmKernelParams& params = sorted.params;
        REQUIRE(params.rounds.count == rounds);
        CHECK(sorted.sums(r) == scalars);
        for (std::uint32_t row = 0; row < params.rows.count; ++row) {
            for (std::uint32_t bucket = 0; bucket < params.rows.bucket_count; ++bucket) {
                std::uint32_t begin = sorted.starts_of(1, row)[bucket];
                std::uint32_t end = sorted.starts_of(1, row)[bucket + 1];
                const auto is_empty = [](std::uint32_t slot) { return slot == detail::no_term; };
                const auto first_slot = sorted.slots[row].begin() + 2 * begin;
                CHECK(std::count_if(first_slot, first_slot + 2 * (end - begin), is_empty) <= 1);
                for (std::uint32_t round = 2; round <= rounds; ++round) {
                    std::vector<std::uint32_t> expected;
                    for (std::uint32_t left = begin; left < end; left += 2) expected.push_back(left | (left + 1 == end ? 1U << 31 : 0));
                    begin = sorted.starts_of(round, row)[bucket];
                    end = sorted.starts_of(round, row)[bucket + 1];
                    const auto first = sorted.names[row].begin() + first_indexed_pair(params, round) + begin;
                    CHECK(std::vector(first, first + (end - begin)) == expected);
                }
            }
        }
    }
}

TEST_CASE("points that an earlier chunk has left are sorted into their buckets beside the terms", "[msm]") {
    Machine machine(std::vector<SimulatedDevice>(1));
    machine.simulator.set_checks(cupool_sim_check_all);
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const BigInteger r(group_order<Curve::bls12_377>());
    std::mt19937_64 random(9);
    for (const auto& [width, tables] : {std::pair{3U, 1U}, {11U, 3U}, {10U, 64U}, {21U, 64U}}) {
        const auto scalars = border_scalars<Curve::bls12_377>(width);
        const Sorted alone = sort<Curve::bls12_377>(context, scalars, 1, {.width = width}, tables);
        CAPTURE(width, tables, alone.params.sort.bin_count);
        REQUIRE((alone.params.sort.bin_count > detail::place_block_size) == (width == 21));  // bins of which a thread places several
        std::vector<std::uint32_t> starts;
        for (std::uint32_t row = 0; row < alone.params.rows.count; ++row) {
            std::uint32_t start = 0;
            for (std::uint32_t bucket = 0; bucket < alone.params.rows.bucket_count; ++bucket) {
                starts.push_back(start);
                const bool is_full = bucket == 1 + row % 2;
                start += is_full ? 5000U : random() % 64 == 0 ? static_cast<std::uint32_t>(1 + random() % 3) : 0U;
            }
            starts.push_back(start);
        }
        const Sorted sorted = sort<Curve::bls12_377>(context, scalars, 1, {.width = width}, tables, 132, starts);
        REQUIRE(sorted.params.rows.bucket_count == alone.params.rows.bucket_count);
        CHECK(sorted.sums(r) == scalars);
        const std::uint32_t level = first_level(sorted.params);
        std::size_t misplaced = 0;
        for (std::uint32_t row = 0; row < sorted.params.rows.count; ++row) {
            for (std::uint32_t bucket = 0; bucket < sorted.params.rows.bucket_count; ++bucket) {
                std::vector<std::uint32_t> carried;
                const auto& row_starts = sorted.starts_of(level, row);
                for (std::uint32_t slot = row_starts[bucket] << level; slot < row_starts[bucket + 1] << level; ++slot) {
                    const std::uint32_t term = sorted.slots[row][slot];
                    if (term != detail::no_term && (term & detail::carried_bit) != 0) carried.push_back(term & ~detail::carried_bit);
                }
                std::sort(carried.begin(), carried.end());
                const std::uint32_t* const own_starts = starts.data() + row * (sorted.params.rows.bucket_count + 1) + bucket;
                std::vector<std::uint32_t> expected(own_starts[1] - own_starts[0]);
                std::iota(expected.begin(), expected.end(), own_starts[0]);
                misplaced += carried != expected ? 1 : 0;
            }
        }
        CHECK(misplaced == 0);
    }
}

TEST_CASE("each point of the bucket remainders goes into two buckets, one for each part of its bucket's weight", "[msm]") {
    Machine machine(std::vector<SimulatedDevice>(1));
    machine.simulator.set_checks(cupool_sim_check_all);
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const detail::MsmSortKernels kernels(context.context(), detail::msm_code<Curve::bls12_377>().sort);
    std::mt19937_64 random(10);
    for (const auto& [width, tables] : {std::pair{4U, 32U}, {11U, 12U}, {21U, 64U}}) {
        const detail::ScalarRange scalars = detail::scalar_range<Curve::bls12_377>(0);
        const unsigned low_bits = detail::choose_low_bits(detail::msm_digits(scalars, {.width = width}, tables), 2);
        detail::MsmProblem problem{.scalar_count = 3000,
                                   .remainder = detail::BucketRemainder::weight_split,
                                   .scalars = scalars,
                                   .choice = {.width = width},
                                   .tables = tables,
                                   .multiprocessors = 1,
                                   .rounds_budget = 1 << 30,
                                   .coordinate_bytes = 48};
        detail::MsmKernelParams terms = detail::make_msm_plan(problem).params;
        terms.rounds.count = 0;  // of which as many points may be left as there are terms
        // As if the rounds had left these: several of some buckets, among them the first and the last, and none of most.
        std::vector<std::uint32_t> starts;
        std::vector<std::vector<std::uint32_t>> buckets(terms.rows.count);  // of each point of a row
        for (std::uint32_t row = 0; row < terms.rows.count; ++row) {
            for (std::uint32_t bucket = 0; bucket < terms.rows.bucket_count; ++bucket) {
                starts.push_back(static_cast<std::uint32_t>(buckets[row].size()));
                const bool is_border =
                    bucket == 0 || bucket + 1 == terms.rows.bucket_count || bucket + 2 == 1U << low_bits || bucket + 1 == 1U << low_bits;
                const std::size_t points = bucket == 5 && row == 0                         ? 1500
                                           : is_border                                     ? 2
                                           : random() % (terms.rows.bucket_count / 8) == 0 ? 3
                                                                                           : 0;
                buckets[row].insert(buckets[row].end(), points, bucket);
            }
            starts.push_back(static_cast<std::uint32_t>(buckets[row].size()));
            if (row == 1) buckets[row].clear();  // a row without points
        }
        if (terms.rows.count > 1) {
            const auto row = starts.begin() + terms.rows.bucket_count + 1;
            std::fill(row, row + terms.rows.bucket_count + 1, 0);
        }
        const DeviceBuffer<std::uint32_t> starts_there(starts.size(), context);
        copy(starts_there.span(), std::span<const std::uint32_t>(starts), context.stream());
        terms.carry_over.starts = reinterpret_cast<std::uint32_t*>(starts_there.span().pointer());  // NOLINT(performance-no-int-to-ptr)
        problem.multiprocessors = 132;                                                              // no rounds
        detail::MsmPlan plan = detail::make_weight_split_plan(terms, low_bits, problem);
        detail::MsmKernelParams& split = plan.params;
        const DeviceBuffer<std::byte> workspace(place_msm_workspace(plan, 48, 0), context);
        place_msm_workspace(plan, 48, workspace.span().pointer());
        kernels.sort_split_weights(terms, split, context.stream());
        CAPTURE(width, tables, low_bits, terms.rows.bucket_count, split.rows.bucket_count);
        REQUIRE(split.rounds.count == 0);
        for (std::uint32_t row = 0; row < terms.rows.count; ++row) {
            for (std::uint32_t half = 0; half < 2; ++half) {
                const std::uint64_t split_row = 2 * row + half;
                const auto found_starts = read(split.sort.bucket_starts + split_row * (split.rows.bucket_count + 1),
                                               split.rows.bucket_count + 1, context.stream());
                auto slots = read(split.sort.slots + split_row * split.sort.slot_count, found_starts.back(), context.stream());
                std::vector<std::vector<std::uint32_t>> expected(split.rows.bucket_count);
                for (std::uint32_t i = 0; i < buckets[row].size(); ++i) {
                    const std::uint32_t low = (buckets[row][i] + 1) % (1U << low_bits);
                    const std::uint32_t high = (buckets[row][i] + 1) >> low_bits;
                    const std::uint32_t unweighed = 1U << low_bits;
                    const std::uint32_t weight = half == 1 ? high : low != 0 ? low : unweighed;
                    if (weight != 0) expected[weight - 1].push_back(i | detail::carried_bit);
                }
                std::size_t misplaced = 0;
                for (std::uint32_t bucket = 0; bucket < split.rows.bucket_count; ++bucket) {
                    const auto begin = slots.begin() + found_starts[bucket];
                    const auto end = slots.begin() + found_starts[bucket + 1];
                    std::sort(begin, end);
                    misplaced += std::vector(begin, end) != expected[bucket] ? 1 : 0;
                }
                CHECK(misplaced == 0);
            }
        }
    }
}
