#pragma once

/// \file
/// The host's fields and points of each curve, and their passage to and from the public forms.

#include <cupool/kernels/curve.hpp>

#include "curve/curve_parameters.hpp"
#include "curve/xyzz.hpp"
#include "field/host_field.hpp"
#include "field/quadratic_element.hpp"

namespace cupool::detail {

/// The elements of a field of field_parameters.hpp.
template <class Parameters>
struct HostFieldOf {
    using Prime = HostField<Parameters>;
    using Element = Prime;
};
template <class PrimeField>
struct HostFieldOf<QuadraticExtension<PrimeField>> {
    using Prime = HostField<PrimeField>;
    using Element = QuadraticElement<Prime>;
};

template <Curve C>
using HostBaseField = typename HostFieldOf<typename Parameters<C>::BaseField>::Element;
template <Curve C>
using HostPrimeField = typename HostFieldOf<typename Parameters<C>::BaseField>::Prime;
template <Curve C>
using HostScalarField = HostField<typename Parameters<C>::ScalarField>;

template <Curve C>
using HostAffine = Affine<HostBaseField<C>>;
/// Its bytes are those of an XYZZ point in a device's memory.
template <Curve C>
using HostXyzz = Xyzz<HostBaseField<C>>;

template <Curve C>
HostBaseField<C> load(const BaseFieldElement<C>& element, bool montgomery_form) {
    if constexpr (base_field_degree<C> == 2) {
        using Field = HostPrimeField<C>;
        return montgomery_form ? HostBaseField<C>{Field::from_montgomery(element.c0), Field::from_montgomery(element.c1)}
                               : HostBaseField<C>{Field::from_standard(element.c0), Field::from_standard(element.c1)};
    } else {
        return montgomery_form ? HostBaseField<C>::from_montgomery(element) : HostBaseField<C>::from_standard(element);
    }
}

template <Curve C>
HostAffine<C> load(const AffinePoint<C>& point, bool montgomery_form) {
    return {load<C>(point.x, montgomery_form), load<C>(point.y, montgomery_form)};
}

/// (x, y, z) is (x, y, z^2, z^3) in XYZZ coordinates.
template <Curve C>
HostXyzz<C> load(const JacobianPoint<C>& point, bool montgomery_form) {
    const HostBaseField<C> z = load<C>(point.z, montgomery_form);
    const HostBaseField<C> zz = z.square();
    return {load<C>(point.x, montgomery_form), load<C>(point.y, montgomery_form), zz, zz * z};
}

template <class Parameters>
typename HostField<Parameters>::Integer store(const HostField<Parameters>& element, bool montgomery_form) {
    return montgomery_form ? element.montgomery() : element.standard();
}
template <class Field>
QuadraticLimbs<Field::limbs> store(const QuadraticElement<Field>& element, bool montgomery_form) {
    return {store(element.c0, montgomery_form), store(element.c1, montgomery_form)};
}

template <Curve C>
AffinePoint<C> store_affine(const HostAffine<C>& point, bool montgomery_form) {
    return {store(point.x, montgomery_form), store(point.y, montgomery_form)};
}

/// (x, y, z^2, z^3) is (x z^2, y z^3, z^2) in Jacobian coordinates, which saves finding z.
template <Curve C>
JacobianPoint<C> store_jacobian(const HostXyzz<C>& point, bool montgomery_form) {
    if (point.is_infinity()) return {};
    return {store(point.x * point.zz, montgomery_form), store(point.y * point.zzz, montgomery_form), store(point.zz, montgomery_form)};
}

/// The b of the curve's equation.
template <Curve C>
HostBaseField<C> curve_coefficient() {
    if constexpr (base_field_degree<C> == 2) {
        return load<C>(to_limbs(Parameters<C>::b), false);
    } else {
        return HostBaseField<C>::from_standard(Parameters<C>::b);
    }
}

/// The affine point, given the inverse of its zzz (whatever for infinity): 1/z is zz/zzz.
template <class Field>
Affine<Field> normalized(const Xyzz<Field>& point, const Field& zzz_inverse) {
    if (point.is_infinity()) return {Field::zero(), Field::zero()};
    return {point.x * (point.zz * zzz_inverse).square(), point.y * zzz_inverse};
}

template <class Field>
Affine<Field> normalized(const Xyzz<Field>& point) {
    return normalized(point, point.zzz.inverse());
}

/// scalar * point by double-and-add.
template <class Field, std::size_t N>
Xyzz<Field> multiply(const Xyzz<Field>& point, const Limbs<N>& scalar) {
    const unsigned length = bit_length(scalar);
    if (length == 0) return Xyzz<Field>::infinity();
    Xyzz<Field> product = point;
    for (std::size_t i = length - 1; i-- > 0;) {
        product = product.doubled();
        if (bit(scalar, i)) product += point;
    }
    return product;
}

template <class Field>
Xyzz<Field> multiply(const Xyzz<Field>& point, std::uint64_t scalar) {
    return multiply(point, Limbs<1>{{scalar}});
}

}  // namespace cupool::detail
