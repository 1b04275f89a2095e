#pragma once

#include "curve/endomorphism.hpp"
#include "curve/host_curve.hpp"
#include "curve/twist_endomorphism.hpp"
#include "support/lazy_constant.hpp"

namespace cupool::detail {

/// Whether a point of the twist is in G2.
///
/// For BLS12-381 by psi(P) = u P (Scott, as below, section 4), for BN254 by (u + 1) P + psi(u P) + psi^2(u P) = psi^3(2 u P) (Dai, Lin,
/// Zhao and Zhou, "Fast subgroup membership testings for G1, G2 and GT on pairing-friendly curves", IACR ePrint 2022/348, section 4).
template <Curve C>
bool is_in_g2(const HostXyzz<C>& point) {
    using G1 = typename Parameters<C>::G1;
    const auto& psi = lazy_constant<TwistEndomorphism<C>>();
    HostXyzz<C> sum = multiply(point, G1::u);
    if constexpr (C == Curve::bls12_381_g2) {
        sum += psi(point);  // the parameter is -u
    } else {
        const HostXyzz<C> once = psi(sum);
        const HostXyzz<C> twice = psi(once);
        sum += point;
        sum += once;
        sum += twice;
        sum += psi(twice).doubled().negated();
    }
    return sum.is_infinity();
}

/// Whether a point of the curve is in the group of order r.
///
/// For G1 of the BLS12 family by phi(P) = -u^2 P (Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly
/// curves", IACR ePrint 2021/1130, section 4). It holds in G1 by the choice of beta. And it is enough: everywhere on the curve 1 + phi +
/// phi^2 = 0, since P, phi(P) and phi^2(P) lie on a line; so phi(P) = -u^2 P gives (u^4 - u^2 + 1) P = 0, and u^4 - u^2 + 1 is r.
template <Curve C>
bool is_in_subgroup(const HostAffine<C>& point) {
    if constexpr (C == Curve::bn254) {
        return true;  // the curve's order is r
    } else if constexpr (base_field_degree<C> == 2) {
        return is_in_g2<C>(HostXyzz<C>::from(point));
    } else {
        if (point.is_infinity()) return true;
        const HostBaseField<C>& beta = endomorphism_factor<C>();
        const HostXyzz<C> multiple = multiply(multiply(HostXyzz<C>::from(point), Parameters<C>::u), Parameters<C>::u);
        return !multiple.is_infinity() && beta * point.x * multiple.zz == multiple.x && point.y.negated() * multiple.zzz == multiple.y;
    }
}

}  // namespace cupool::detail
