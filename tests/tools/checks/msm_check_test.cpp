#include "checks/msm_check.hpp"

#include "catch.hpp"
#include "checks/closed_form.hpp"
#include "engines.hpp"
#include "program/outcome.hpp"

using namespace cupool;
using namespace cupool::tools;

namespace {

template <Curve C>
void check_second_ways(std::size_t count) {
    std::mt19937_64 random(6);
    const auto points = generator_multiples<C>(1, count);
    const auto scalars = test::random_scalars(count, random);
    const auto pool = DevicePool::host();
    const auto result = test::msm_on<C>(pool, points, scalars);
    CHECK_FALSE(check_msm<C>(points, scalars, result, pool.engine(), {}).empty());
    CHECK_THROWS_AS(check_msm<C>(points, scalars, negate(result), pool.engine(), {}), CheckFailed);
}

}  // namespace

TEST_CASE("the second computation of an MSM agrees with the first, and tells a wrong result") {
    check_second_ways<Curve::bn254>(33);
    check_second_ways<Curve::bn254>(5000);
    check_second_ways<Curve::bls12_381>(5000);
    check_second_ways<Curve::bls12_377>(5000);
    check_second_ways<Curve::bn254_g2>(33);
    check_second_ways<Curve::bls12_381_g2>(33);
}

TEST_CASE("numbers are reduced modulo r") {
    constexpr Curve bn = Curve::bn254;
    auto order = group_order<bn>();
    CHECK(modulo_order<bn>(order) == Scalar{});
    --order.limbs[0];
    CHECK(modulo_order<bn>(order) == order);
    order.limbs[0] += 2;
    CHECK(modulo_order<bn>(order) == Scalar{{1}});
    // 2^256 mod r
    CHECK(modulo_order<bn>(Limbs<6>{{0, 0, 0, 0, 1}}) ==
          Scalar{{0xac96341c4ffffffb, 0x36fc76959f60cd29, 0x666ea36f7879462e, 0x0e0a77c19a07df2f}});
}

TEST_CASE("the weighted sum of scalars is that of the points (i + 1) * G") {
    std::mt19937_64 random(7);
    const auto scalars = test::random_scalars(200, random);
    const auto points = generator_multiples<Curve::bls12_381>(1, scalars.size());
    const auto expected = test::sum_term_by_term<Curve::bls12_381>(points, scalars);
    CHECK(multiply(generator<Curve::bls12_381>(), weighted_sum<Curve::bls12_381>(scalars)) == expected);
    CHECK(weighted_sum<Curve::bls12_381>({}) == Scalar{});
}
