#pragma once

/// \file
/// The constants by which a scalar is split in two of half its bits (Gallant, Lambert and Vanstone, "Faster Point Multiplication on
/// Elliptic Curves with Efficient Endomorphisms", CRYPTO 2001). Device code includes this too: no standard library here but <cstdint>.
///
/// phi(x, y) = (beta x, y), with beta a primitive cube root of unity, is multiplication by some lambda in the group of order r. So k P =
/// k1 P + k2 phi(P) wherever k = k1 + k2 lambda modulo r: wherever (k, 0) - (k1, k2) is a point of the lattice of those (x, y) for which x
/// + y lambda is 0 modulo r. With two short vectors of it for which a1 b2 - a2 b1 is r, (k1, k2) = (k, 0) - q1 (a1, b1) - q2 (a2, b2),
/// where q1 is k b2 / r and q2 is -k b1 / r, rounded: then |k1| is at most (|a1| + |a2|) / 2, and |k2| likewise.

#include "field/field_parameters.hpp"

namespace cupool::detail {

/// Two short vectors of a curve's lattice, (a1, -minus_b1) and (a2, b2).
struct ShortVectors {
    Uint128 a1, minus_b1;
    Uint128 a2, b2;
};

/// Of a curve of Barreto and Naehrig's family, where r is 36 u^4 + 36 u^3 + 18 u^2 + 6 u + 1.
constexpr ShortVectors short_vectors_of_bn(std::uint64_t parameter) {
    const Uint128 u = parameter;
    return {2 * u + 1, 6 * u * u + 2 * u, 6 * u * u + 4 * u + 1, 2 * u + 1};
}

/// Of a curve of Barreto, Lynn and Scott's family of embedding degree 12, where r is u^4 - u^2 + 1; lambda is -u^2.
constexpr ShortVectors short_vectors_of_bls12(std::uint64_t parameter) {
    const Uint128 square = Uint128{parameter} * parameter;
    return {1, square - 1, square, 1};
}

constexpr Words<2> to_words(Uint128 value) { return {{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)}}; }

/// Bits behind the point in the quotients that a scalar is multiplied by.
inline constexpr int quotient_fraction_bits = 320;

/// numerator 2^quotient_fraction_bits / modulus, rounded down.
constexpr Words<4> fraction_of(Uint128 numerator, const Words<4>& modulus) {
    Words<4> quotient{};
    Words<4> remainder{};
    for (int bit = 127 + quotient_fraction_bits; bit >= 0; --bit) {
        Words<4> reduced{};
        std::uint64_t carry =
            bit >= quotient_fraction_bits ? static_cast<std::uint64_t>(numerator >> (bit - quotient_fraction_bits)) & 1 : 0;
        std::uint64_t borrow = 0;
        for (int i = 0; i < 4; ++i) {
            const std::uint64_t doubled = remainder.limb[i] << 1 | carry;
            carry = remainder.limb[i] >> 63;
            remainder.limb[i] = doubled;
            reduced.limb[i] = doubled - modulus.limb[i] - borrow;
            borrow = doubled < modulus.limb[i] || (doubled == modulus.limb[i] && borrow) ? 1 : 0;
        }
        if (!borrow) remainder = reduced;
        for (int i = 3; i >= 0; --i) quotient.limb[i] = quotient.limb[i] << 1 | (i > 0 ? quotient.limb[i - 1] >> 63 : 1 - borrow);
    }
    return quotient;
}

/// The constants of a curve of field_parameters.hpp that is a G1.
template <class Curve>
struct ScalarSplit {
    static constexpr ShortVectors vectors =
        Curve::family == CurveFamily::bn ? short_vectors_of_bn(Curve::u) : short_vectors_of_bls12(Curve::u);
    static constexpr Words<2> a1 = to_words(vectors.a1);
    static constexpr Words<2> minus_b1 = to_words(vectors.minus_b1);
    static constexpr Words<2> a2 = to_words(vectors.a2);
    static constexpr Words<2> b2 = to_words(vectors.b2);
    static constexpr Words<4> q1_factor = fraction_of(vectors.b2, Curve::ScalarField::modulus);
    static constexpr Words<4> q2_factor = fraction_of(vectors.minus_b1, Curve::ScalarField::modulus);

    /// No part of a scalar is larger: quotients, before they are rounded, are less than 2^-28 too small, which is multiplied by less than
    /// 2^128.
    static constexpr Uint128 largest_part =
        (vectors.a1 + vectors.a2 > vectors.minus_b1 + vectors.b2 ? vectors.a1 + vectors.a2 : vectors.minus_b1 + vectors.b2) / 2 +
        (Uint128{1} << 100);
};

}  // namespace cupool::detail
