#include "curve/curve_parameters.hpp"
#include "big_element.hpp"
#include "catch.hpp"
#include "field/integer.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

template <Curve C>
BigInteger p() {
    return BigInteger(base_field_modulus<C>());
}

template <Curve C>
BigInteger r() {
    return BigInteger(group_order<C>());
}

template <Curve C>
BigElement coefficient() {
    if constexpr (base_field_degree<C> == 2) {
        return BigElement(to_limbs(Parameters<C>::b), p<C>());
    } else {
        return {Parameters<C>::b, 0, p<C>()};
    }
}

}  // namespace

// The families' polynomials: Barreto and Naehrig, IACR ePrint 2005/133; Barreto, Lynn and Scott, IACR ePrint 2002/088.

TEST_CASE("BN254's moduli are those of its family", "[kernels]") {
    const BigInteger u = Bn254::u;
    CHECK(p<Curve::bn254>() == u * u * u * u * 36 + u * u * u * 36 + u * u * 24 + u * 6 + 1);
    CHECK(r<Curve::bn254>() == u * u * u * u * 36 + u * u * u * 36 + u * u * 18 + u * 6 + 1);
}

TEST_CASE("the moduli of the BLS12 curves are those of their family", "[kernels]") {
    const BigInteger u = Bls12377::u;
    CHECK(r<Curve::bls12_377>() == u * u * u * u - u * u + 1);
    CHECK(p<Curve::bls12_377>() * 3 == (u - 1) * (u - 1) * r<Curve::bls12_377>() + u * 3);
    const BigInteger v = Bls12381::u;  // the parameter is -v
    CHECK(r<Curve::bls12_381>() == v * v * v * v - v * v + 1);
    CHECK(p<Curve::bls12_381>() * 3 + v * 3 == (v + 1) * (v + 1) * r<Curve::bls12_381>());
}

TEST_CASE("the twists of BN254 and BLS12-381 have the coefficients of their standards", "[kernels]") {
    const BigInteger bn254 = p<Curve::bn254_g2>();
    CHECK(coefficient<Curve::bn254_g2>() * BigElement(9, 1, bn254) == BigElement(3, 0, bn254));
    const BigInteger bls12_381 = p<Curve::bls12_381_g2>();
    CHECK(coefficient<Curve::bls12_381_g2>() == BigElement(4, 0, bls12_381) * BigElement(1, 1, bls12_381));
}

TEMPLATE_TEST_CASE_SIG("the generator is on the curve and has order r", CUPOOL_EACH_CURVE) {
    const AffinePoint<C> g = generator<C>();
    const BigElement x(g.x, p<C>());
    const BigElement y(g.y, p<C>());
    CHECK(y * y == x * x * x + coefficient<C>());
    CHECK(is_infinity(multiply(g, group_order<C>())));
    CHECK(BigInteger(group_order<C>()).bit_count() == scalar_bits<C>);
}
