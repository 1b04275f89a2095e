#pragma once

/// \file
/// Elements of the quadratic extension of a prime field by u, u^2 = -1, which is a field where -1 has no square root. Host and device share
/// these formulas and bring prime fields of their own, as in xyzz.hpp.
///
/// No standard library here: device code includes this.

#include "support/host_device.hpp"

namespace cupool::detail {

template <class Field>
struct QuadraticElement;

/// Three products of the prime field in place of four (Karatsuba and Ofman, "Multiplication of many-digital numbers by automatic
/// computers", Soviet Physics Doklady 7, 1963). The device has its own: see device_quadratic.cuh.
template <class Field>
CUPOOL_HOST_DEVICE QuadraticElement<Field> product(const QuadraticElement<Field>& left, const QuadraticElement<Field>& right) {
    const Field low = left.c0 * right.c0;
    const Field high = left.c1 * right.c1;
    const Field cross = (left.c0 + left.c1) * (right.c0 + right.c1);
    return {low - high, cross - low - high};
}

/// c0 + c1 u. What only the device's or only the host's prime field has, only its elements have.
template <class Field>
struct QuadraticElement {
    Field c0;
    Field c1;

    CUPOOL_HOST_DEVICE static QuadraticElement zero() { return {Field::zero(), Field::zero()}; }
    CUPOOL_HOST_DEVICE static QuadraticElement one() { return {Field::one(), Field::zero()}; }

    CUPOOL_HOST_DEVICE bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    friend bool operator==(const QuadraticElement&, const QuadraticElement&) = default;

    CUPOOL_HOST_DEVICE friend QuadraticElement operator+(const QuadraticElement& left, const QuadraticElement& right) {
        return {left.c0 + right.c0, left.c1 + right.c1};
    }
    CUPOOL_HOST_DEVICE friend QuadraticElement operator-(const QuadraticElement& left, const QuadraticElement& right) {
        return {left.c0 - right.c0, left.c1 - right.c1};
    }
    CUPOOL_HOST_DEVICE QuadraticElement doubled() const { return {c0.doubled(), c1.doubled()}; }
    CUPOOL_HOST_DEVICE QuadraticElement half() const { return {c0.half(), c1.half()}; }
    CUPOOL_HOST_DEVICE QuadraticElement negated() const { return {c0.negated(), c1.negated()}; }

    CUPOOL_HOST_DEVICE friend QuadraticElement operator*(const QuadraticElement& left, const QuadraticElement& right) {
        return product(left, right);
    }

    /// Two products: (c0 + c1) (c0 - c1) + 2 c0 c1 u.
    CUPOOL_HOST_DEVICE QuadraticElement square() const { return {(c0 + c1) * (c0 - c1), (c0 * c1).doubled()}; }

    CUPOOL_HOST_DEVICE auto lowest_limb() const { return c0.lowest_limb(); }
    /// On the twists that ship no point has x = 0.
    CUPOOL_HOST_DEVICE static QuadraticElement zero_as_modulus() { return {Field::zero_as_modulus(), Field::zero()}; }
    CUPOOL_HOST_DEVICE bool is_plain_zero() const { return c0.is_plain_zero() && c1.is_plain_zero(); }
    CUPOOL_HOST_DEVICE static QuadraticElement rough_difference(const QuadraticElement& left, const QuadraticElement& right) {
        return left - right;
    }
    CUPOOL_HOST_DEVICE bool may_be_rough_zero() const { return may_be_zero(); }
    CUPOOL_HOST_DEVICE bool may_be_zero() const { return c0.may_be_zero(); }
    CUPOOL_HOST_DEVICE QuadraticElement negated_if(bool condition) const { return {c0.negated_if(condition), c1.negated_if(condition)}; }
    CUPOOL_HOST_DEVICE QuadraticElement negated_to_bound_if(bool condition) const {
        return {c0.negated_to_bound_if(condition), c1.negated_to_bound_if(condition)};
    }
    CUPOOL_HOST_DEVICE QuadraticElement below_bound() const { return {c0.below_bound(), c1.below_bound()}; }
    CUPOOL_HOST_DEVICE QuadraticElement reduced_once() const { return {c0.reduced_once(), c1.reduced_once()}; }
    CUPOOL_HOST_DEVICE QuadraticElement to_montgomery_form() const { return {c0.to_montgomery_form(), c1.to_montgomery_form()}; }
    CUPOOL_HOST_DEVICE QuadraticElement from_montgomery_form() const { return {c0.from_montgomery_form(), c1.from_montgomery_form()}; }

    template <class Function>
    CUPOOL_HOST_DEVICE QuadraticElement with_each_limb(const Function& function) const {
        return {c0.with_each_limb(function), c1.with_each_limb(function)};
    }

    CUPOOL_HOST_DEVICE static constexpr int vec4_count() { return 2 * Field::vec4_count(); }
    CUPOOL_HOST_DEVICE auto vec4(int i) const { return i < Field::vec4_count() ? c0.vec4(i) : c1.vec4(i - Field::vec4_count()); }
    template <class Vec4>
    CUPOOL_HOST_DEVICE void set_vec4(int i, Vec4 vec4) {
        i < Field::vec4_count() ? c0.set_vec4(i, vec4) : c1.set_vec4(i - Field::vec4_count(), vec4);
    }

    /// c0^2 + c1^2, the product with the conjugate c0 - c1 u.
    CUPOOL_HOST_DEVICE Field norm() const { return c0.square() + c1.square(); }
    /// The conjugate over the norm, given the norm's inverse.
    CUPOOL_HOST_DEVICE QuadraticElement inverse(const Field& norm_inverse) const {
        return {c0 * norm_inverse, (c1 * norm_inverse).negated()};
    }
    /// The inverse, where the prime field has one; zero for zero.
    CUPOOL_HOST_DEVICE QuadraticElement inverse() const { return inverse(norm().inverse()); }
};

}  // namespace cupool::detail
