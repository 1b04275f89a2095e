#pragma once

#include "curve/host_curve.hpp"
#include "curve/scalar_split.hpp"
#include "support/lazy_constant.hpp"

namespace cupool::detail {

/// A primitive cube root of unity; it lies in the prime field.
template <Curve C>
HostBaseField<C> cube_root_of_unity() {
    using Prime = HostPrimeField<C>;
    const auto third_of_order = divided(Prime::modulus, 3);  // (p - 1) / 3, as p = 1 mod 3
    Prime base = Prime::one();
    Prime root = Prime::one();
    while (root == Prime::one()) {
        base = base + Prime::one();
        root = base.power(third_of_order);
    }
    if constexpr (base_field_degree<C> == 2) {
        return {root, Prime::zero()};
    } else {
        return root;
    }
}

/// Of the two primitive cube roots of unity the one for which phi(x, y) = (beta x, y) is multiplication by the lambda of ScalarSplit: so
/// that a short vector takes the group to infinity. For the curves of the BLS12 family lambda is -u^2.
template <Curve C>
HostBaseField<C> find_endomorphism_factor() {
    constexpr ShortVectors vectors = ScalarSplit<G1Parameters<C>>::vectors;
    const HostAffine<C> generator = {load<C>(to_limbs(Parameters<C>::generator_x), false),
                                     load<C>(to_limbs(Parameters<C>::generator_y), false)};
    const auto multiple = [](const HostAffine<C>& point, Uint128 factor) {
        return multiply(HostXyzz<C>::from(point), to_limbs(to_words(factor)));
    };
    const HostBaseField<C> beta = cube_root_of_unity<C>();
    HostXyzz<C> sum = multiple(generator, vectors.a2);
    sum += multiple({generator.x * beta, generator.y}, vectors.b2);
    return sum.is_infinity() ? beta : beta.square();
}

template <Curve C>
struct EndomorphismFactor {
    HostBaseField<C> beta = find_endomorphism_factor<C>();
};

/// The same, found by the first call. Safe from any thread.
template <Curve C>
const HostBaseField<C>& endomorphism_factor() {
    return lazy_constant<EndomorphismFactor<C>>().beta;
}

}  // namespace cupool::detail
