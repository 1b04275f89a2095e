#pragma once

/// \file
/// The groups of curves that cupool supports, and the layout of scalars and points in all public interfaces.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace cupool {

/// A group of a pairing-friendly curve in which cupool computes, of order r: G1 on y^2 = x^3 + b over a prime field, or G2 on the sextic
/// twist y^2 = x^3 + b' over its quadratic extension by u, u^2 = -1.
enum class Curve {
    bn254,         ///< G1, b = 3; EIP-196's alt_bn128
    bls12_381,     ///< G1, b = 4; EIP-2537's curve
    bls12_377,     ///< G1, b = 1; Zexe's curve
    bn254_g2,      ///< G2, b' = 3 / (9 + u); EIP-197
    bls12_381_g2,  ///< G2, b' = 4 (1 + u); EIP-2537
};

/// The name that the tools use: "bn254", "bls12-381", "bls12-377", "bn254-g2", "bls12-381-g2".
std::string to_string(Curve curve);
std::ostream& operator<<(std::ostream& out, Curve curve);

/// The curve of that name; nullopt for any name that to_string() does not return.
std::optional<Curve> curve_from_name(std::string_view name);

/// The degree of the base field (the field of the coordinates) over the prime field: 2 for a G2.
template <Curve C>
inline constexpr unsigned base_field_degree = C == Curve::bn254_g2 || C == Curve::bls12_381_g2 ? 2 : 1;

/// The number of 64-bit limbs of an element of the prime field.
template <Curve C>
inline constexpr std::size_t base_field_limbs = C == Curve::bn254 || C == Curve::bn254_g2 ? 4 : 6;

/// The number of bits of the group order r; a reduced scalar is below r.
template <Curve C>
inline constexpr unsigned scalar_bits = C == Curve::bn254 || C == Curve::bn254_g2           ? 254
                                        : C == Curve::bls12_381 || C == Curve::bls12_381_g2 ? 255
                                                                                            : 253;

/// An integer of N 64-bit limbs, least significant first (little-endian bytes). As a field element it is below the
/// modulus, in standard form or in Montgomery form (times 2^(64 N) modulo the modulus), as a flag beside it says.
template <std::size_t N>
struct Limbs {
    std::array<std::uint64_t, N> limbs{};  ///< least significant first

    friend bool operator==(const Limbs&, const Limbs&) = default;
};

/// An element c0 + c1 u of a quadratic extension, u^2 = -1.
template <std::size_t N>
struct QuadraticLimbs {
    Limbs<N> c0;  ///< the coefficient of 1
    Limbs<N> c1;  ///< the coefficient of u

    friend bool operator==(const QuadraticLimbs&, const QuadraticLimbs&) = default;
};

/// A scalar: 32 bytes. Values of r and above are taken modulo r.
using Scalar = Limbs<4>;

/// An element of the prime field: 32 bytes for BN254, 48 for BLS12-381 and BLS12-377.
template <Curve C>
using PrimeFieldElement = Limbs<base_field_limbs<C>>;

/// An element of the base field of the curve: of the size of PrimeFieldElement, or twice that in a G2.
template <Curve C>
using BaseFieldElement = std::conditional_t<base_field_degree<C> == 1, PrimeFieldElement<C>, QuadraticLimbs<base_field_limbs<C>>>;

/// A point in affine coordinates; (0, 0), which lies on none of the curves, stands for infinity.
template <Curve C>
struct AffinePoint {
    BaseFieldElement<C> x;  ///< affine x
    BaseFieldElement<C> y;  ///< affine y

    friend bool operator==(const AffinePoint&, const AffinePoint&) = default;
};

/// A point in Jacobian coordinates: the affine point (x / z^2, y / z^3), or infinity if z = 0. A
/// point has many such forms; compare in affine coordinates.
template <Curve C>
struct JacobianPoint {
    BaseFieldElement<C> x;  ///< affine x times z^2
    BaseFieldElement<C> y;  ///< affine y times z^3
    BaseFieldElement<C> z;  ///< 0 for infinity
};

/// Calls `function.template operator()<C>()` for the curve C that is given at run time, and returns its result.
template <class Function>
decltype(auto) with_curve(Curve curve, Function&& function) {
    switch (curve) {
        case Curve::bn254: return function.template operator()<Curve::bn254>();
        case Curve::bls12_381: return function.template operator()<Curve::bls12_381>();
        case Curve::bls12_377: return function.template operator()<Curve::bls12_377>();
        case Curve::bn254_g2: return function.template operator()<Curve::bn254_g2>();
        case Curve::bls12_381_g2: break;
    }
    return function.template operator()<Curve::bls12_381_g2>();
}

}  // namespace cupool
