#pragma once

/// \file
/// Inverses modulo an odd number by division steps: Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (TCHES
/// 2019), in variable time. A step takes (delta, f, g), f odd, to
///
///     (1 - delta, g, (g - f) / 2)  where delta > 0 and g is odd,    else  (1 + delta, f, (g + (g mod 2) f) / 2)
///
/// until g = 0; then f is the greatest common divisor or its negative. 62 steps at a time depend on the lowest words alone, which gather
/// them in a matrix for the whole numbers.

#include <algorithm>
#include <utility>

#include "field/integer.hpp"

namespace cupool::detail {

constexpr unsigned steps_of_a_batch = 62;

/// A batch of division steps: 2^62 (f', g') = ((a, b), (c, d)) (f, g). |a| + |b| and |c| + |d| are at most 2^62.
struct DivisionSteps {
    std::int64_t a = 1;
    std::int64_t b = 0;
    std::int64_t c = 0;
    std::int64_t d = 1;

    /// The steps that these lowest words take; delta goes on.
    DivisionSteps(std::int64_t& delta, std::uint64_t f, std::uint64_t g) {
        // Unsigned, since words and entries wrap around on the way.
        std::uint64_t f_row[2] = {1, 0};
        std::uint64_t g_row[2] = {0, 1};
        for (unsigned left = steps_of_a_batch;;) {
            const auto zeros = static_cast<unsigned>(__builtin_ctzll(g | std::uint64_t{1} << left));
            g >>= zeros;
            f_row[0] <<= zeros;
            f_row[1] <<= zeros;
            delta += zeros;
            left -= zeros;
            if (left == 0) break;
            if (delta > 0) {
                delta = -delta;
                g = 0 - std::exchange(f, g);
                for (int i = 0; i < 2; ++i) g_row[i] = 0 - std::exchange(f_row[i], g_row[i]);
            }
            // As many steps as keep delta from growing above zero add multiples of f. f (2 - f^2) is 1 / f modulo 2^6.
            const auto most = static_cast<unsigned>(std::min<std::int64_t>({6, 1 - delta, left}));
            const std::uint64_t multiple = g * f * (f * f - 2) & ((std::uint64_t{1} << most) - 1);
            g += multiple * f;
            for (int i = 0; i < 2; ++i) g_row[i] += multiple * f_row[i];
        }
        a = static_cast<std::int64_t>(f_row[0]);
        b = static_cast<std::int64_t>(f_row[1]);
        c = static_cast<std::int64_t>(g_row[0]);
        d = static_cast<std::int64_t>(g_row[1]);
    }
};

/// (left_factor * left + right_factor * right) / 2^62, exact, all in two's complement.
template <std::size_t N>
Limbs<N> signed_combination(std::int64_t left_factor, const Limbs<N>& left, std::int64_t right_factor, const Limbs<N>& right) {
    __extension__ using Int128 = __int128;
    Limbs<N> result;
    Int128 carry = 0;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < N; ++i) {
        if (i + 1 < N) {
            carry += static_cast<Int128>(left.limbs[i]) * left_factor + static_cast<Int128>(right.limbs[i]) * right_factor;
        } else {
            carry += static_cast<Int128>(static_cast<std::int64_t>(left.limbs[i])) * left_factor +
                     static_cast<Int128>(static_cast<std::int64_t>(right.limbs[i])) * right_factor;
        }
        const auto word = static_cast<std::uint64_t>(carry);
        carry >>= 64;
        if (i > 0) result.limbs[i - 1] = below >> steps_of_a_batch | word << (64 - steps_of_a_batch);
        below = word;
    }
    result.limbs[N - 1] = below >> steps_of_a_batch | static_cast<std::uint64_t>(carry) << (64 - steps_of_a_batch);
    return result;
}

/// (left_factor * left + right_factor * right) / 2^62 modulo the modulus. \pre left and right are below it
template <std::size_t N>
Limbs<N> modular_combination(std::int64_t left_factor, Limbs<N> left, std::int64_t right_factor, Limbs<N> right, const Limbs<N>& modulus,
                             std::uint64_t negated_inverse) {
    const auto make_positive = [&](std::int64_t factor, Limbs<N>& value) {
        if (factor >= 0) return static_cast<std::uint64_t>(factor);
        Limbs<N> negated = modulus;
        subtract_from(negated, value);
        value = negated;
        return 0 - static_cast<std::uint64_t>(factor);
    };
    const std::uint64_t left_positive = make_positive(left_factor, left);
    const std::uint64_t right_positive = make_positive(right_factor, right);

    // As Montgomery's reduction: the multiple of the modulus that makes the lowest 62 bits zero.
    const std::uint64_t lowest = left_positive * left.limbs[0] + right_positive * right.limbs[0];
    const std::uint64_t quotient = lowest * negated_inverse & ((std::uint64_t{1} << steps_of_a_batch) - 1);
    Limbs<N> result;
    Uint128 carry = 0;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < N; ++i) {
        carry += static_cast<Uint128>(left_positive) * left.limbs[i] + static_cast<Uint128>(right_positive) * right.limbs[i] +
                 static_cast<Uint128>(quotient) * modulus.limbs[i];
        const auto word = static_cast<std::uint64_t>(carry);
        carry >>= 64;
        if (i > 0) result.limbs[i - 1] = below >> steps_of_a_batch | word << (64 - steps_of_a_batch);
        below = word;
    }
    result.limbs[N - 1] = below >> steps_of_a_batch | static_cast<std::uint64_t>(carry) << (64 - steps_of_a_batch);
    if (!is_less(result, modulus)) subtract_from(result, modulus);
    return result;
}

/// factor / value modulo a prime with its top bit clear. \pre value and factor are below it, value is not 0; negated_inverse is
/// -modulus^-1 modulo 2^64
template <std::size_t N>
Limbs<N> modular_quotient(const Limbs<N>& factor, const Limbs<N>& value, const Limbs<N>& modulus, std::uint64_t negated_inverse) {
    Limbs<N> f = modulus;
    Limbs<N> g = value;
    Limbs<N> f_factor;  // f = value * f_factor / factor and g = value * g_factor / factor, modulo the modulus
    Limbs<N> g_factor = factor;
    std::int64_t delta = 1;
    while (g != Limbs<N>{}) {
        const DivisionSteps steps(delta, f.limbs[0], g.limbs[0]);
        const Limbs<N> next_f = signed_combination(steps.a, f, steps.b, g);
        g = signed_combination(steps.c, f, steps.d, g);
        f = next_f;
        const Limbs<N> next_factor = modular_combination(steps.a, f_factor, steps.b, g_factor, modulus, negated_inverse);
        g_factor = modular_combination(steps.c, f_factor, steps.d, g_factor, modulus, negated_inverse);
        f_factor = next_factor;
    }
    if (static_cast<std::int64_t>(f.limbs[N - 1]) >= 0) return f_factor;  // f is 1, else -1
    Limbs<N> negated = modulus;
    subtract_from(negated, f_factor);
    return negated;
}

}  // namespace cupool::detail
