#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>

#include "catch.hpp"
#include "machine.hpp"
#include "msm_plan.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t term_count = 600;
constexpr int width = 3;

/// A device so small that few terms already make it add points pairwise.
SimulatedDevice small_device() {
    SimulatedDevice device;
    device.multiprocessor_count = 1;
    return device;
}

}  // namespace

TEST_CASE("the small device adds pairwise, and a large one does not for so few terms") {
    detail::MsmProblem problem{.term_count = term_count,
                               .scalars = {254, 0},
                               .width = width,
                               .multiprocessors = 1,
                               .rounds_budget = 1 << 30,
                               .coordinate_bytes = 32};
    CHECK(detail::make_msm_shape(problem).plan.rounds == 3);
    problem.scalars.bits = 96;
    problem.coordinate_bytes = 64;
    CHECK(detail::make_msm_shape(problem).plan.rounds == 2);
    problem.multiprocessors = 132;
    CHECK(detail::make_msm_shape(problem).plan.rounds == 0);
}

TEST_CASE("the blocks of a round fill the device a whole number of times and leave out no pair") {
    constexpr std::uint32_t resident_blocks = 528;
    for (const std::size_t coordinate_bytes : {32U, 48U}) {
        for (const std::uint32_t round : {1U, 2U}) {
            for (const std::uint32_t rows : {1U, 7U, 17U}) {
                for (const std::uint32_t row_pairs : {1U, 1000U, 1U << 19, 8'500'123U}) {
                    const auto pairs_a_thread = detail::choose_pairs_a_thread(round, row_pairs, rows, resident_blocks, coordinate_bytes);
                    const std::uint32_t block_pairs = pairs_a_thread * detail::pair_block_size;
                    const std::uint32_t blocks = (row_pairs + block_pairs - 1) / block_pairs * rows;
                    const std::uint32_t waves = (blocks + resident_blocks - 1) / resident_blocks;
                    CAPTURE(coordinate_bytes, round, rows, row_pairs, pairs_a_thread, blocks);
                    CHECK(pairs_a_thread >= 8);
                    if (waves > 1) CHECK(blocks >= waves * resident_blocks * 95 / 100);
                }
            }
        }
    }
}

TEMPLATE_TEST_CASE_SIG("pairwise rounds are right for distinct, equal, opposite and infinite points", "[msm]", ((Curve C), C), Curve::bn254,
                       Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2) {
    constexpr bool has_short_scalars = base_field_degree<C> == 2;  // two rounds are enough where an addition takes three times as long
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const DevicePool pool = DevicePool::all(machine.driver);
    std::mt19937_64 random(7);
    const auto multiples = generator_multiples<C>(1, term_count);
    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < term_count; ++i) {
        const std::size_t kind = i % 6;
        points.push_back(kind == 0 ? multiples[0] : kind == 1 ? negate(multiples[0]) : kind == 2 ? infinity<C>() : multiples[i]);
        Scalar scalar;
        for (auto& limb : scalar.limbs) limb = random();
        if (i % 5 == 0) scalar = Scalar{{1, 0, 0, 0}};
        if (has_short_scalars) scalar = Scalar{{scalar.limbs[0], scalar.limbs[1] >> 32}};
        scalars.push_back(scalar);
    }
    auto expected = infinity<C>();
    for (std::size_t i = 0; i < term_count; ++i) expected = add(expected, multiply(points[i], scalars[i]));
    MsmConfig config;
    config.c = width;
    config.bitsize = has_short_scalars ? 96 : 0;
    JacobianPoint<C> sum;
    pool.msm<C>(scalars, points, config, sum);
    CHECK(to_affine(sum) == expected);

    // Behind the last of these there is nothing to be read.
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    PrepareConfig prepare;
    prepare.ctx = config.ctx;
    prepare.bitsize = config.bitsize;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(points), prepare);
    msm<C>(std::span<const Scalar>(scalars), bases, config, sum);
    CHECK(to_affine(sum) == expected);
}

TEMPLATE_TEST_CASE_SIG("pairwise rounds tell points with x = 0 from infinity", "[msm]", ((Curve C, unsigned b), C, b),
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
                         : i % 2 == 0 ? of_order_three
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

TEMPLATE_TEST_CASE_SIG("pairwise rounds tell equal points from opposite ones where a part of y is zero", "[msm]", ((Curve C), C),
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
