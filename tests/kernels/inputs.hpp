// Inputs that the tests of kernels/ share.
#pragma once

#include <cupool/kernels/point.hpp>
#include <random>
#include <vector>

#define CUPOOL_EACH_CURVE                                                                                          \
    "[kernels]", ((cupool::Curve C), C), cupool::Curve::bn254, cupool::Curve::bls12_381, cupool::Curve::bls12_377, \
        cupool::Curve::bn254_g2, cupool::Curve::bls12_381_g2

namespace cupool::test {

/// Any N limbs; the same in every run.
template <std::size_t N>
Limbs<N> random_limbs(std::mt19937_64& bits) {
    Limbs<N> result;
    for (std::uint64_t& limb : result.limbs) limb = bits();
    return result;
}

inline Scalar scalar_of(std::uint64_t value) { return Scalar{{value, 0, 0, 0}}; }

/// The coefficients of a coordinate over the prime field: one, or two in a group G2.
template <std::size_t N>
std::array<Limbs<N>*, 1> coefficients(Limbs<N>& coordinate) {
    return {&coordinate};
}
template <std::size_t N>
std::array<Limbs<N>*, 2> coefficients(QuadraticLimbs<N>& coordinate) {
    return {&coordinate.c0, &coordinate.c1};
}

/// The integer as a coordinate.
template <Curve C>
BaseFieldElement<C> coordinate_of(std::uint64_t value) {
    BaseFieldElement<C> coordinate;
    coefficients(coordinate)[0]->limbs[0] = value;
    return coordinate;
}

/// Points of the curve, few of them in the subgroup where the curve has a cofactor: the first ones by x.
template <Curve C>
std::vector<AffinePoint<C>> points_by_x(std::size_t count) {
    std::vector<AffinePoint<C>> points;
    for (std::uint64_t x = 0; points.size() < count; ++x) {
        if (const auto both = points_with_x<C>(coordinate_of<C>(x))) points.push_back((*both)[x % 2]);
    }
    return points;
}

}  // namespace cupool::test
