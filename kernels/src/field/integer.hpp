#pragma once

/// \file
/// Arithmetic on integers of N 64-bit limbs, least significant first, for the host.

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <type_traits>

#include "field/field_parameters.hpp"
#include "field/x86_intrinsics.hpp"

namespace cupool::detail {

// On x86-64 carries go by the processor's flag, which GCC does not find by itself.

/// left + right + carry; the new carry, 0 or 1, is left in `carry`.
constexpr std::uint64_t add_with_carry(std::uint64_t left, std::uint64_t right, std::uint64_t& carry) {
#if defined(__x86_64__)
    if (!std::is_constant_evaluated()) {
        unsigned long long sum = 0;
        carry = _addcarry_u64(static_cast<unsigned char>(carry), left, right, &sum);
        return sum;
    }
#endif
    std::uint64_t partial = 0;
    std::uint64_t sum = 0;
    const bool first = __builtin_add_overflow(left, right, &partial);
    const bool second = __builtin_add_overflow(partial, carry, &sum);
    carry = first | second;
    return sum;
}

/// left - right - borrow; the new borrow, 0 or 1, is left in `borrow`.
constexpr std::uint64_t subtract_with_borrow(std::uint64_t left, std::uint64_t right, std::uint64_t& borrow) {
#if defined(__x86_64__)
    if (!std::is_constant_evaluated()) {
        unsigned long long difference = 0;
        borrow = _subborrow_u64(static_cast<unsigned char>(borrow), left, right, &difference);
        return difference;
    }
#endif
    std::uint64_t partial = 0;
    std::uint64_t difference = 0;
    const bool first = __builtin_sub_overflow(left, right, &partial);
    const bool second = __builtin_sub_overflow(partial, borrow, &difference);
    borrow = first | second;
    return difference;
}

/// The low word of left * right + addend + carry; the high word is left in `carry`.
constexpr std::uint64_t multiply_add(std::uint64_t left, std::uint64_t right, std::uint64_t addend, std::uint64_t& carry) {
    const Uint128 sum = static_cast<Uint128>(left) * right + addend + carry;
    carry = static_cast<std::uint64_t>(sum >> 64);
    return static_cast<std::uint64_t>(sum);
}

template <int N>
constexpr Limbs<N> to_limbs(const Words<N>& words) {
    Limbs<N> result;
    for (std::size_t i = 0; i < N; ++i) result.limbs[i] = words.limb[i];
    return result;
}

template <int N>
constexpr QuadraticLimbs<N> to_limbs(const QuadraticWords<N>& words) {
    return {to_limbs(words.c0), to_limbs(words.c1)};
}

/// left += right. \return the carry out of the top
template <std::size_t N>
constexpr std::uint64_t add_to(Limbs<N>& left, const Limbs<N>& right) {
    std::uint64_t carry = 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) left.limbs[i] = add_with_carry(left.limbs[i], right.limbs[i], carry);
    return carry;
}

/// left -= right. \return the borrow out of the top
template <std::size_t N>
constexpr std::uint64_t subtract_from(Limbs<N>& left, const Limbs<N>& right) {
    std::uint64_t borrow = 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) left.limbs[i] = subtract_with_borrow(left.limbs[i], right.limbs[i], borrow);
    return borrow;
}

template <std::size_t N>
constexpr bool is_less(const Limbs<N>& left, const Limbs<N>& right) {
    for (std::size_t i = N; i-- > 0;) {
        if (left.limbs[i] != right.limbs[i]) return left.limbs[i] < right.limbs[i];
    }
    return false;
}

/// The order of compressed points: c1 decides, and c0 where they are equal.
template <std::size_t N>
constexpr bool is_less(const QuadraticLimbs<N>& left, const QuadraticLimbs<N>& right) {
    return is_less(left.c1, right.c1) || (left.c1 == right.c1 && is_less(left.c0, right.c0));
}

/// value >> 1.
template <std::size_t N>
constexpr Limbs<N> halved(Limbs<N> value) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i + 1 < N; ++i) value.limbs[i] = value.limbs[i] >> 1 | value.limbs[i + 1] << 63;
    value.limbs[N - 1] = value.limbs[N - 1] >> 1;
    return value;
}

/// value / divisor, rounded down.
template <std::size_t N>
constexpr Limbs<N> divided(Limbs<N> value, std::uint32_t divisor) {
    std::uint64_t remainder = 0;
    for (std::size_t i = N; i-- > 0;) {
        const Uint128 part = static_cast<Uint128>(remainder) << 64 | value.limbs[i];
        value.limbs[i] = static_cast<std::uint64_t>(part / divisor);
        remainder = static_cast<std::uint64_t>(part % divisor);
    }
    return value;
}

/// Bit `index`, which may lie above the top (then 0).
template <std::size_t N>
constexpr bool bit(const Limbs<N>& value, std::size_t index) {
    return index < 64 * N && (value.limbs[index / 64] >> (index % 64) & 1) != 0;
}

/// How many bits the value needs; 0 for 0.
template <std::size_t N>
constexpr unsigned bit_length(const Limbs<N>& value) {
    for (std::size_t i = N; i-- > 0;) {
        if (value.limbs[i] != 0) return static_cast<unsigned>(64 * (i + 1)) - static_cast<unsigned>(__builtin_clzll(value.limbs[i]));
    }
    return 0;
}

}  // namespace cupool::detail
