// Elements c0 + c1 u of a quadratic extension by u, u^2 = -1, of plain integers: what the fields of G2 are held against.
#pragma once

#include "big_integer.hpp"

namespace cupool::test {

/// Both numbers are below the modulus. Elements of the prime field have c1 = 0.
struct BigElement {
    BigInteger c0;
    BigInteger c1;
    BigInteger modulus;

    BigElement(const BigInteger& low, const BigInteger& high, const BigInteger& p) : c0(low % p), c1(high % p), modulus(p) {}
    template <std::size_t N>
    BigElement(const Limbs<N>& element, const BigInteger& p) : BigElement(BigInteger(element), 0, p) {}
    template <std::size_t N>
    BigElement(const QuadraticLimbs<N>& element, const BigInteger& p) : BigElement(BigInteger(element.c0), BigInteger(element.c1), p) {}

    friend bool operator==(const BigElement&, const BigElement&) = default;
    friend BigElement operator+(const BigElement& left, const BigElement& right) {
        return {left.c0 + right.c0, left.c1 + right.c1, left.modulus};
    }
    friend BigElement operator-(const BigElement& left, const BigElement& right) {
        return {left.c0 + (left.modulus - right.c0), left.c1 + (left.modulus - right.c1), left.modulus};
    }
    friend BigElement operator*(const BigElement& left, const BigElement& right) {
        const BigInteger& p = left.modulus;
        return {left.c0 * right.c0 + (p - left.c1 * right.c1 % p), left.c0 * right.c1 + left.c1 * right.c0, p};
    }
};

}  // namespace cupool::test
