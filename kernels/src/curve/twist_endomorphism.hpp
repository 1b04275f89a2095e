#pragma once

#include "curve/host_curve.hpp"

namespace cupool::detail {

/// The endomorphism psi of a sextic twist, multiplication by p in G2: (x, y) goes to the curve over the field of degree 12 as
/// (w^2 x, w^3 y), where w^6 is b of the curve by b of the twist, there to the p-th powers, and back (Galbraith and Scott, "Exponentiation
/// in pairing-friendly groups using homomorphisms", Pairing 2008, section 3).
template <Curve C>
class TwistEndomorphism {
public:
    HostXyzz<C> operator()(const HostXyzz<C>& point) const {
        return {conjugate(point.x) * x_factor_, conjugate(point.y) * y_factor_, conjugate(point.zz), conjugate(point.zzz)};
    }

private:
    using Field = HostBaseField<C>;
    using Prime = HostPrimeField<C>;

    /// The p-th power.
    static Field conjugate(const Field& value) { return {value.c0, value.c1.negated()}; }

    static Field power(const Field& base, const typename Prime::Integer& exponent) {
        Field result = Field::one();
        for (std::size_t i = bit_length(exponent); i-- > 0;) {
            result = result.square();
            if (bit(exponent, i)) result = result * base;
        }
        return result;
    }

    static Field twist() {
        const Field curve{Prime::from_standard(Parameters<C>::G1::b), Prime::zero()};
        return curve * curve_coefficient<C>().inverse();
    }

    Field x_factor_ = power(twist(), divided(Prime::modulus, 3));  // (p - 1) / 3, as p = 1 mod 3
    Field y_factor_ = power(twist(), divided(Prime::modulus, 2));
};

}  // namespace cupool::detail
