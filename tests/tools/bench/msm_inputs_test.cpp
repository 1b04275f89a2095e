#include "bench/msm_inputs.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::tools;

namespace {

template <Curve C>
void check_closed_forms() {
    std::mt19937_64 random(11);
    for (const auto& name : msm_input_names()) {
        INFO(name);
        const auto inputs = msm_inputs(name);
        const auto scalars = bench_scalars<C>(inputs, 40, random);
        const auto points = bench_points<C>(inputs, 40);
        CHECK(std::all_of(scalars.begin(), scalars.end(), is_reduced_scalar<C>));
        CHECK(bench_sum<C>(inputs, scalars) == test::sum_term_by_term<C>(points, scalars));
    }
}

std::vector<Scalar> many(const std::string& name) {
    std::mt19937_64 random(12);
    return bench_scalars<Curve::bn254>(msm_inputs(name), 10000, random);
}

/// How often a scalar is among ten.
double tenths(const std::vector<Scalar>& scalars, const Scalar& value) {
    return 10 * static_cast<double>(std::count(scalars.begin(), scalars.end(), value)) / static_cast<double>(scalars.size());
}

}  // namespace

TEST_CASE("the sum of a benchmark's terms is its closed form, however they are distributed") {
    check_closed_forms<Curve::bn254>();
    check_closed_forms<Curve::bls12_381>();
    check_closed_forms<Curve::bls12_377>();
    check_closed_forms<Curve::bn254_g2>();
    check_closed_forms<Curve::bls12_381_g2>();
}

TEST_CASE("a benchmark's terms are distributed as their name says") {
    CHECK(std::abs(tenths(many("zeros"), Scalar{}) - 9) < 0.2);
    CHECK(std::abs(tenths(many("ones"), Scalar{{1}}) - 9) < 0.2);
    const auto equal = many("equal");
    CHECK(tenths(equal, equal[0]) == 10);
    CHECK(equal[0].limbs[3] != 0);

    const auto small = many("small");
    CHECK(std::all_of(small.begin(), small.end(), [](const Scalar& scalar) { return scalar == Scalar{{scalar.limbs[0]}}; }));
    const auto largest =
        std::max_element(small.begin(), small.end(), [](auto& left, auto& right) { return left.limbs[0] < right.limbs[0]; });
    CHECK(largest->limbs[0] >> 31 == 1);

    for (const auto* const name : {"uniform", "same-point"}) {
        auto scalars = many(name);
        std::sort(scalars.begin(), scalars.end(), [](const Scalar& left, const Scalar& right) { return left.limbs < right.limbs; });
        CHECK(std::adjacent_find(scalars.begin(), scalars.end()) == scalars.end());
    }
    const auto points = bench_points<Curve::bn254>(MsmInputs::same_point, 9);
    CHECK(points == std::vector<AffinePoint<Curve::bn254>>(9, generator<Curve::bn254>()));
}
