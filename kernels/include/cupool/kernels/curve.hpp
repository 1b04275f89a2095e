#pragma once

/// \file
/// The curves that cupool knows, and the bytes of their scalars and points at every public boundary.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace cupool {

/// A pairing-friendly curve, of which cupool computes in the group G1: y^2 = x^3 + b over the base field.
enum class Curve {
    bn254,      ///< b = 3; EIP-196's alt_bn128
    bls12_381,  ///< b = 4; EIP-2537's curve
    bls12_377,  ///< b = 1; Zexe's curve
};

/// The name the tools use: "bn254", "bls12-381", "bls12-377".
std::string to_string(Curve curve);
std::ostream& operator<<(std::ostream& out, Curve curve);

/// The curve of that name, or nothing. Accepts exactly what to_string() gives.
std::optional<Curve> curve_from_name(std::string_view name);

/// How many 64-bit limbs an element of the base field has.
template <Curve C>
inline constexpr std::size_t base_field_limbs = C == Curve::bn254 ? 4 : 6;

/// How many bits the group order r has; a reduced scalar is below it.
template <Curve C>
inline constexpr unsigned scalar_bits = C == Curve::bn254       ? 254
                                        : C == Curve::bls12_381 ? 255
                                                                : 253;

/// An integer of N 64-bit limbs, least significant first: little-endian bytes. Where it stands for a field element it is below the
/// modulus, in standard form or in Montgomery form (times 2^(64 N) modulo the modulus), as the flag beside it says.
template <std::size_t N>
struct Limbs {
    std::array<std::uint64_t, N> limbs{};

    friend bool operator==(const Limbs&, const Limbs&) = default;
};

/// A scalar: 32 bytes. Values of r and above are taken modulo r.
using Scalar = Limbs<4>;

/// An element of the curve's base field: 32 bytes for BN254, 48 for BLS12-381 and BLS12-377.
template <Curve C>
using BaseFieldElement = Limbs<base_field_limbs<C>>;

/// A point in affine coordinates; (0, 0), which lies on none of the curves, stands for infinity.
template <Curve C>
struct AffinePoint {
    BaseFieldElement<C> x;
    BaseFieldElement<C> y;

    friend bool operator==(const AffinePoint&, const AffinePoint&) = default;
};

/// A point in Jacobian coordinates: the affine point (x / z^2, y / z^3); infinity where z = 0.
/// One point has many such forms; compare in affine coordinates.
template <Curve C>
struct JacobianPoint {
    BaseFieldElement<C> x;
    BaseFieldElement<C> y;
    BaseFieldElement<C> z;
};

/// Calls `function.template operator()<C>()` with the run-time curve made a compile-time one, and returns what it returns.
template <class Function>
decltype(auto) with_curve(Curve curve, Function&& function) {
    switch (curve) {
        case Curve::bn254: return function.template operator()<Curve::bn254>();
        case Curve::bls12_381: return function.template operator()<Curve::bls12_381>();
        case Curve::bls12_377: break;
    }
    return function.template operator()<Curve::bls12_377>();
}

}  // namespace cupool
