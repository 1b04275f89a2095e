#include "bench/msm_bound.hpp"

#include <cmath>

#include "catch.hpp"

using namespace cupool;
using namespace cupool::test;
using namespace cupool::tools;

namespace {

/// On an H200: 132 multiprocessors of 64 slots a clock, at 1.98 GHz.
double h200_milliseconds(Curve curve, unsigned exponent) { return msm_multiply_slots(curve, std::exp2(exponent)) / (132 * 64 * 1.98e6); }

}  // namespace

TEST_CASE("the bound of an MSM is the one reckoned by hand for an H200") {
    // 16 windows of 2^15 buckets
    CHECK(msm_multiply_slots(Curve::bls12_381, 1 << 20) == 16 * (1048576.0 * (5 * 588 + 456) + 32768.0 * 2 * (12 * 588 + 2 * 456)));
    CHECK(h200_milliseconds(Curve::bn254, 20) == Approx(1.75).epsilon(0.01));
    CHECK(h200_milliseconds(Curve::bn254, 24) == Approx(22.8).epsilon(0.01));
    CHECK(h200_milliseconds(Curve::bls12_381, 24) == Approx(50.8).epsilon(0.01));
    CHECK(msm_multiply_slots(Curve::bls12_381_g2, 1 << 20) == 16 * (1048576.0 * (5 * 1464 + 1176) + 32768.0 * 2 * (12 * 1464 + 2 * 1176)));
    CHECK(h200_milliseconds(Curve::bn254_g2, 24) == Approx(57.3).epsilon(0.01));
    CHECK(h200_milliseconds(Curve::bls12_377, 24) == Approx(h200_milliseconds(Curve::bls12_381, 24)).epsilon(0.01));
}

TEST_CASE("the host has no such bound") { CHECK_FALSE(msm_bound_milliseconds(Curve::bn254, 1 << 20, DevicePool::host())); }
