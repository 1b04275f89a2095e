#include "curve/endomorphism.hpp"

#include <cupool/kernels/point.hpp>
#include <random>

#include "catch.hpp"
#include "endomorphism_eigenvalue.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

TEMPLATE_TEST_CASE_SIG("the endomorphism multiplies every point of the group by its eigenvalue", CUPOOL_EACH_CURVE) {
    const HostBaseField<C>& beta = endomorphism_factor<C>();
    const BigInteger r(group_order<C>());
    const BigInteger lambda = endomorphism_eigenvalue<C>();
    CHECK((lambda * lambda + lambda + 1) % r == BigInteger(0));
    CHECK_FALSE(beta == HostBaseField<C>::one());
    CHECK(beta * beta * beta == HostBaseField<C>::one());
    for (const auto& point : generator_multiples<C>(1, 3)) {
        const HostAffine<C> own = load<C>(point, false);
        CHECK(store_affine<C>({own.x * beta, own.y}, false) == multiply(point, lambda.limbs<4>()));
    }
}

TEMPLATE_TEST_CASE_SIG("the short vectors span a lattice of determinant r, and no part of a scalar is larger than is promised", "[kernels]",
                       ((Curve C), C), Curve::bn254, Curve::bls12_381, Curve::bls12_377) {
    using Split = ScalarSplit<Parameters<C>>;
    const BigInteger a1 = number(Split::vectors.a1);
    const BigInteger minus_b1 = number(Split::vectors.minus_b1);
    const BigInteger a2 = number(Split::vectors.a2);
    const BigInteger b2 = number(Split::vectors.b2);
    const BigInteger r(group_order<C>());
    const BigInteger lambda = endomorphism_eigenvalue<C>();
    CHECK(a1 * b2 + a2 * minus_b1 == r);
    CHECK(a1 % r == minus_b1 * lambda % r);
    CHECK((a2 + b2 * lambda) % r == BigInteger(0));
    const auto factor = [](const Words<4>& words) { return BigInteger(to_limbs(words)); };
    const auto is_rounded_down = [&](const BigInteger& quotient, const BigInteger& numerator) {
        const BigInteger whole = numerator * BigInteger::power_of_two(quotient_fraction_bits);
        return !(whole < quotient * r) && whole < (quotient + 1) * r;
    };
    CHECK(is_rounded_down(factor(Split::q1_factor), b2));
    CHECK(is_rounded_down(factor(Split::q2_factor), minus_b1));
    const BigInteger largest = number(Split::largest_part);
    CHECK_FALSE(largest * 2 < a1 + a2);
    CHECK_FALSE(largest * 2 < minus_b1 + b2);
    CHECK(largest.bit_count() <= 127);
}
