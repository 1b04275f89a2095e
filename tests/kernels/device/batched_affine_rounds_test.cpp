#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/launch_heuristics.hpp"
#include "msm/device/msm_on_device.hpp"
#include "msm/device/plan.hpp"
#include "terms_of_all_kinds.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t term_count = 600;
constexpr int width = 3;

/// As CTest has them for all tests of the pool, and that no kernel reads what nobody has written.
constexpr unsigned checks = cupool_sim_check_initialisation | cupool_sim_check_ordering | cupool_sim_check_context;

}  // namespace

TEST_CASE("the small device has batched-affine rounds, and a large one does not for so few terms") {
    detail::MsmProblem problem{.scalar_count = term_count,
                               .scalars = {254},
                               .choice = {.width = width},
                               .multiprocessors = 1,
                               .rounds_budget = 1 << 30,
                               .coordinate_bytes = 32};
    CHECK(detail::make_msm_plan(problem).params.rounds.count == 3);
    problem.scalars.bits = 96;
    problem.coordinate_bytes = 64;
    CHECK(detail::make_msm_plan(problem).params.rounds.count == 3);
    problem.multiprocessors = 132;
    CHECK(detail::make_msm_plan(problem).params.rounds.count == 0);
}

TEST_CASE("the blocks of a round fill the device a whole number of times, with so many pairs a thread as are wanted") {
    constexpr std::uint32_t resident_blocks = 528;
    for (const std::size_t coordinate_bytes : {32U, 48U}) {
        for (const std::uint32_t round : {1U, 2U}) {
            for (const std::uint32_t rows : {1U, 7U, 17U}) {
                for (const std::uint32_t row_pairs : {1U, 1000U, 1U << 19, 8'500'123U}) {
                    const auto row_blocks = detail::choose_pair_blocks(round, row_pairs, rows, resident_blocks, coordinate_bytes);
                    const std::uint32_t blocks = row_blocks * rows;
                    const std::uint32_t waves = (blocks + resident_blocks - 1) / resident_blocks;
                    CAPTURE(coordinate_bytes, round, rows, row_pairs, blocks);
                    REQUIRE(row_blocks >= 1);
                    CHECK((row_blocks - 1) * detail::pair_block_size * detail::min_pairs_a_thread < row_pairs);
                    if (row_pairs > 1U << 18) CHECK(blocks >= waves * resident_blocks * 95 / 100);
                    const std::uint64_t most = coordinate_bytes == 32 ? 80 : round == 1 ? 200 : 320;
                    CHECK(std::uint64_t{row_pairs} * rows * 95 / 100 <= blocks * std::uint64_t{detail::pair_block_size} * most);
                }
            }
        }
    }
}

TEMPLATE_TEST_CASE_SIG("batched-affine rounds are right for distinct, equal, opposite and infinite points", "[msm]", ((Curve C), C),
                       Curve::bn254, Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2) {
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const DevicePool pool = DevicePool::all(machine.driver);
    const TermsOfAllKinds<C> terms(term_count);
    MsmConfig config;
    config.c = width;
    config.bitsize = terms.bits;
    JacobianPoint<C> sum;
    pool.msm<C>(terms.scalars, terms.points, config, sum);
    CHECK(to_affine(sum) == terms.sum);

    // Behind the last of these there is nothing to be read.
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    PrepareConfig prepare;
    prepare.ctx = config.ctx;
    prepare.bitsize = config.bitsize;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(terms.points), prepare);
    msm<C>(std::span<const Scalar>(terms.scalars), bases, config, sum);
    CHECK(to_affine(sum) == terms.sum);
}

TEMPLATE_TEST_CASE_SIG("what the rounds of one chunk leave to the next one is right", "[msm]", ((Curve C), C), Curve::bn254,
                       Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2) {
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    const TermsOfAllKinds<C> terms(term_count);
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.c = width;
    config.bitsize = terms.bits;
    // The last one has 140 terms, or 10, too few for rounds but for what it is left.
    const std::size_t chunk_terms = GENERATE(230, 295);
    detail::MsmProblem problem{.scalar_count = static_cast<std::uint32_t>(chunk_terms),
                               .remainder = detail::BucketRemainder::carried_over,
                               .scalars = detail::scalar_range<C>(terms.bits),
                               .choice = detail::choose_digits(term_count, detail::scalar_range<C>(terms.bits), 1, width),
                               .base_count = static_cast<std::uint32_t>(chunk_terms),
                               .multiprocessors = 1,
                               .rounds_budget = 1 << 30,
                               .coordinate_bytes = sizeof(AffinePoint<C>) / 2};
    REQUIRE(detail::make_msm_plan(problem).params.rounds.count >= 1);
    problem.scalar_count = 10;
    REQUIRE(detail::make_msm_plan(problem).params.rounds.count == 0);
    const detail::DeviceMsmJob<C> job{.scalars = std::span<const Scalar>(terms.scalars),
                                      .bases = std::span<const AffinePoint<C>>(terms.points),
                                      .term_count = term_count,
                                      .width = width};
    for (const std::size_t min_pipelined_bytes : {std::size_t{1}, std::size_t{1} << 20}) {
        JacobianPoint<C> sum;
        const detail::DeviceMsmLimits limits{.min_pipelined_bytes = min_pipelined_bytes, .max_chunk_terms = chunk_terms};
        detail::msm_on_device<C>(job, config, std::span(&sum, 1), limits);
        CHECK(to_affine(sum) == terms.sum);
    }
}

TEST_CASE("over tables, what the rounds of one chunk leave to the next one is right", "[msm][long]") {
    constexpr auto C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    const TermsOfAllKinds<C> terms(3 * term_count);
    PrepareConfig prepare;
    prepare.ctx = DeviceContext::for_device(machine.driver, 0);
    prepare.precompute_factor = 4;
    prepare.c = width;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(terms.points), prepare);
    MsmConfig config;
    config.ctx = prepare.ctx;
    JacobianPoint<C> sum;
    const RunReport report = msm<C>(std::span<const Scalar>(terms.scalars), bases, config, sum);
    CHECK(to_affine(sum) == terms.sum);
    config.memory_budget = report.device_bytes * 3 / 4;
    CHECK(msm<C>(std::span<const Scalar>(terms.scalars), bases, config, sum).device_bytes < report.device_bytes);
    CHECK(to_affine(sum) == terms.sum);
}

TEMPLATE_TEST_CASE_SIG("batched-affine rounds tell points with x = 0 from infinity", "[msm]", ((Curve C, unsigned b), C, b),
                       (Curve::bls12_381, 4), (Curve::bls12_377, 1)) {
    const AffinePoint<C> of_order_three{{}, {{b == 4 ? 2U : 1U}}};  // y^2 = b
    const auto multiples = generator_multiples<C>(1, term_count);
    std::vector<AffinePoint<C>> points;
    auto expected = infinity<C>();
    for (std::size_t i = 0; i < term_count; ++i) {
        const auto opposite = negate(multiples[i / 3]);
        // Any two neighbours of the first two kinds may sum to a point with x = 0.
        points.push_back(i % 3 == 0   ? multiples[0]
                         : i % 3 == 1 ? add(of_order_three, negate(multiples[0]))
                         : i % 4 < 2  ? of_order_three  // on either side of a pair
                                      : opposite);
        expected = add(expected, points.back());
    }
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const DevicePool pool = DevicePool::all(machine.driver);
    MsmConfig config;
    config.c = width;
    const std::vector<Scalar> ones(term_count, Scalar{{1}});
    JacobianPoint<C> sum;
    pool.msm<C>(ones, points, config, sum);
    CHECK(to_affine(sum) == expected);
}

namespace {

/// On the twist, with y in the prime field: found by cube roots of y^2 - b for y = 1, 2, ...
template <Curve C>
AffinePoint<C> point_of_plain_y();
template <>
AffinePoint<Curve::bn254_g2> point_of_plain_y() {
    return {{{{0x331b58675f396376, 0xb88a42c976cafdef, 0xc69640d9df58e150, 0x2546ace32139a7a3}},
             {{0xdc5ce02d0eb9cf1e, 0xa04df0465b26971a, 0xb5cceb1ac5215cae, 0x2994b43083ae5696}}},
            {{{4}}, {}}};
}
template <>
AffinePoint<Curve::bls12_381_g2> point_of_plain_y() {
    return {{{{0xbba24c6b4e932032, 0xb7fdd6105d99e027, 0x3e182a4f887fa0f0, 0xcb5be667df6ef107, 0x808b4b98f3ce959f, 0x9f1477ff0430ca4}},
             {{0xaad762206d086ced, 0xab1519d0cd9eef39, 0xe902923c7fa2518e, 0x4474f62dd4726f98, 0x48e4f7905c0943b1, 0xc2b2b8487f8e8d6}}},
            {{{3}}, {}}};
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("batched-affine rounds tell equal points from opposite ones where a part of y is zero", "[msm]", ((Curve C), C),
                       Curve::bn254_g2, Curve::bls12_381_g2) {
    const AffinePoint<C> point = point_of_plain_y<C>();
    REQUIRE_FALSE(find_faulty_point<C>(std::span(&point, 1), false));
    const AffinePoint<C> opposite = negate(point);
    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    auto expected = infinity<C>();
    for (std::size_t i = 0; i < term_count; ++i) {
        // Scalar 7 has the digits -1 and 1 of three bits, so that the opposite lies negated in the point's bucket.
        points.push_back(i % 3 == 0 ? opposite : point);
        scalars.push_back(Scalar{{i % 3 == 0 ? 7U : 1U}});
        expected = add(expected, multiply(points.back(), scalars.back()));
    }
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const DevicePool pool = DevicePool::all(machine.driver);
    MsmConfig config;
    config.c = width;
    config.bitsize = 96;
    JacobianPoint<C> sum;
    pool.msm<C>(scalars, points, config, sum);
    CHECK(to_affine(sum) == expected);
}

TEST_CASE("batched-affine rounds are right in many short rows, and in rows that take turns", "[msm][long]") {
    constexpr auto C = Curve::bn254;
    struct Case {
        std::size_t msms;
        std::size_t terms;
        int bits;
        std::uint64_t memory_bytes;
    };
    std::mt19937_64 random(8);
    for (const Case& one : {Case{140, 40, 8, SimulatedDevice{}.memory_bytes}, Case{2, 2500, 20, 50'000'000}}) {
        CAPTURE(one.msms, one.terms);
        SimulatedDevice device = small_device();
        device.memory_bytes = one.memory_bytes;
        const Machine machine(std::vector<SimulatedDevice>{device});
        const auto points = generator_multiples<C>(1, one.terms);
        std::vector<Scalar> scalars;
        for (std::size_t i = 0; i < one.msms * one.terms; ++i) scalars.push_back({{random() >> (64 - one.bits)}});
        MsmConfig config;
        config.c = 1;
        config.bitsize = one.bits;
        config.batch_size = static_cast<int>(one.msms);
        const auto plan = detail::make_msm_plan({.msm_count = static_cast<std::uint32_t>(one.msms),
                                                 .scalar_count = static_cast<std::uint32_t>(one.terms),
                                                 .scalars = detail::scalar_range<C>(one.bits),
                                                 .choice = {.width = 1},
                                                 .multiprocessors = 1,
                                                 .rounds_budget = one.memory_bytes / 8,
                                                 .coordinate_bytes = 32});
        REQUIRE(plan.params.rounds.count >= 2);
        CHECK((plan.rows_at_once < plan.params.rows.count) == (one.msms == 2));
        std::vector<JacobianPoint<C>> sums(one.msms);
        std::vector<JacobianPoint<C>> expected(one.msms);
        config.ctx = DeviceContext::host();
        msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, std::span(expected));
        config.ctx = DeviceContext::for_device(machine.driver, 0);
        msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, std::span(sums));
        for (std::size_t i = 0; i < one.msms; ++i) CHECK(to_affine(sums[i]) == to_affine(expected[i]));
    }
}
