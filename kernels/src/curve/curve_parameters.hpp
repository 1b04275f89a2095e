#pragma once

#include <cupool/kernels/curve.hpp>

#include "field/field_parameters.hpp"

namespace cupool::detail {

/// The constants of a curve by its public name.
template <Curve C>
struct Parameters;
template <>
struct Parameters<Curve::bn254> : Bn254 {};
template <>
struct Parameters<Curve::bls12_381> : Bls12381 {};
template <>
struct Parameters<Curve::bls12_377> : Bls12377 {};
template <>
struct Parameters<Curve::bn254_g2> : Bn254G2 {};
template <>
struct Parameters<Curve::bls12_381_g2> : Bls12381G2 {};

/// Those of the G1 that has the same scalars.
template <class Group>
struct G1Of {
    using Type = Group;
};
template <class Group>
requires requires { typename Group::G1; }
struct G1Of<Group> {
    using Type = typename Group::G1;
};
template <Curve C>
using G1Parameters = typename G1Of<Parameters<C>>::Type;

}  // namespace cupool::detail
