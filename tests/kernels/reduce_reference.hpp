#pragma once

/// \file
/// Reductions by plain loops, in the order that docs/reduce.md describes: what engines are held against. Nothing here is the library's but
/// its types.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cupool/kernels/reduce.hpp>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cupool::test {

/// Two doubles that stand for their sum.
struct DoublePair {
    double high;
    double low;
};

/// What a sum of elements of type T accumulates in.
template <class T, class R, bool Compensated>
struct PlainAccumulator {
    using Type = R;
};
template <class R>
struct PlainAccumulator<Float16, R, false> {
    using Type = float;
};
template <class R>
struct PlainAccumulator<Float16, R, true> {
    using Type = float;
};
template <class R>
struct PlainAccumulator<BFloat16, R, false> {
    using Type = float;
};
template <class R>
struct PlainAccumulator<BFloat16, R, true> {
    using Type = float;
};
template <>
struct PlainAccumulator<float, float, true> {
    using Type = double;
};
template <>
struct PlainAccumulator<double, double, true> {
    using Type = DoublePair;
};

/// Exactly what the 16 bits mean, field by field.
inline float plain_float(std::uint16_t bits, int exponent_bits, int fraction_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), 1 - bias - fraction_bits);
    return sign * std::ldexp(static_cast<float>(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
}
inline float plain_float(Float16 value) { return plain_float(value.bits, 5, 10); }
inline float plain_float(BFloat16 value) { return plain_float(value.bits, 8, 7); }

/// The nearest value that has 16 bits, of two that are as near the even one, found by bisection among all of them.
template <class Narrow>
Narrow plain_narrow(float value) {
    constexpr bool is_half = std::is_same_v<Narrow, Float16>;
    const std::uint16_t infinity = is_half ? 0x7c00 : 0x7f80;
    if (std::isnan(value)) return Narrow::from_bits(is_half ? 0x7e00 : 0x7fc0);
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double magnitude = std::fabs(static_cast<double>(value));
    const auto meaning = [&](unsigned bits) {
        // What follows the largest value, were there one more exponent: infinity is as far as that.
        if (bits >= infinity) return is_half ? 0x1p16 : 0x1p128;
        return static_cast<double>(plain_float(Narrow::from_bits(static_cast<std::uint16_t>(bits))));
    };
    unsigned below = 0;  // meaning(below) <= magnitude < meaning(above)
    unsigned above = infinity;
    if (magnitude >= meaning(above)) return Narrow::from_bits(static_cast<std::uint16_t>(sign | infinity));
    while (above - below > 1) {
        const unsigned middle = (below + above) / 2;
        (meaning(middle) <= magnitude ? below : above) = middle;
    }
    const double down = magnitude - meaning(below);
    const double up = meaning(above) - magnitude;
    const unsigned nearest = down < up || (down == up && below % 2 == 0) ? below : above;
    return Narrow::from_bits(static_cast<std::uint16_t>(sign | nearest));
}

template <class A, class T>
A plain_accumulator(T element) {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        return plain_float(element);
    } else if constexpr (std::is_same_v<A, DoublePair>) {
        return {element, 0};
    } else {
        return static_cast<A>(element);
    }
}

template <class R, class A>
R plain_result(A accumulator) {
    if constexpr (std::is_same_v<A, DoublePair>) {
        return plain_result<R>(accumulator.high);
    } else if constexpr (std::is_same_v<R, Float16> || std::is_same_v<R, BFloat16>) {
        return plain_narrow<R>(accumulator);
    } else {
        if constexpr (std::is_floating_point_v<A>) {
            if (std::isnan(accumulator)) return std::numeric_limits<R>::quiet_NaN();
        }
        return static_cast<R>(accumulator);
    }
}

/// A rounded result, kept from being computed more precisely.
inline float rounded(float value) {
    volatile float kept = value;
    return kept;
}
inline double rounded(double value) {
    volatile double kept = value;
    return kept;
}

inline DoublePair plain_sum(DoublePair left, DoublePair right) {
    const double sum = rounded(left.high + right.high);
    const double part = rounded(sum - left.high);
    const double lost = rounded(rounded(left.high - rounded(sum - part)) + rounded(right.high - part));
    const double error = rounded(lost + rounded(left.low + right.low));
    if (std::isnan(error) || error == 0 || !std::isfinite(sum)) return {sum, 0};
    const double high = rounded(sum + error);
    return {high, rounded(error - rounded(high - sum))};
}

/// Whether left is below right, with -0 below +0. \pre none is a NaN
template <class A>
bool is_below(A left, A right) {
    if constexpr (std::is_floating_point_v<A>) {
        if (left == right) return std::signbit(left) && !std::signbit(right);
    }
    return left < right;
}

template <class A>
bool is_nan(A value) {
    if constexpr (std::is_floating_point_v<A>) return std::isnan(value);
    return false;
}

template <class A>
A plain_combine(ReduceOperation operation, A left, A right) {
    if constexpr (std::is_same_v<A, DoublePair>) {
        return plain_sum(left, right);
    } else {
        if (operation == ReduceOperation::sum || operation == ReduceOperation::product) {
            if constexpr (std::is_integral_v<A>) {
                const auto wide_left = static_cast<std::uint64_t>(left);
                const auto wide_right = static_cast<std::uint64_t>(right);
                return static_cast<A>(operation == ReduceOperation::sum ? wide_left + wide_right : wide_left * wide_right);
            } else {
                return rounded(left + right);
            }
        }
        if (is_nan(left)) return left;
        if (is_nan(right)) return right;
        return is_below(left, right) == (operation == ReduceOperation::min) ? left : right;
    }
}

/// A tile of which lane t, component v takes the elements v + V t + 256 V i.
template <class A>
A plain_tile(std::span<const A> elements, std::size_t vector, ReduceOperation operation) {
    const std::size_t row = 256 * vector;
    std::vector<A> values(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(std::min(row, elements.size())));
    for (std::size_t i = row; i < elements.size(); ++i) values[i % row] = plain_combine(operation, values[i % row], elements[i]);
    // Position p + step of a row, where there is one, into position p.
    const auto fold = [&](std::size_t p, std::size_t step) {
        if (p + step < values.size()) values[p] = plain_combine(operation, values[p], values[p + step]);
    };
    for (std::size_t half = vector / 2; half > 0; half /= 2) {
        for (std::size_t p = 0; p < row; ++p) {
            if (p % vector < half) fold(p, half);
        }
    }
    for (std::size_t half = 128; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) fold(lane * vector, half * vector);
    }
    return values[0];
}

/// \pre there is an element
template <class T, class R, bool Compensated = false>
R plain_reduce(std::span<const T> elements, ReduceOperation operation) {
    using Sums = typename PlainAccumulator<T, R, Compensated>::Type;
    const std::size_t vector = 16 / sizeof(T);
    std::size_t tile = 4 * 256 * vector;
    while ((elements.size() + tile - 1) / tile > 16384) tile *= 2;
    std::vector<Sums> values;
    std::vector<Sums> converted;
    for (std::size_t first = 0; first < elements.size(); first += tile) {
        converted.clear();
        for (const T element : elements.subspan(first, std::min(tile, elements.size() - first)))
            converted.push_back(plain_accumulator<Sums>(element));
        values.push_back(plain_tile<Sums>(converted, vector, operation));
    }
    if (values.size() == 1) return plain_result<R>(values[0]);
    return plain_result<R>(plain_tile<Sums>(values, 16 / sizeof(Sums), operation));
}

/// \pre there is an element
template <class T>
IndexedValue<T> plain_arg_reduce(std::span<const T> elements, ArgOperation operation) {
    using A = typename PlainAccumulator<T, T, false>::Type;
    std::uint64_t best = 0;
    for (std::uint64_t i = 1; i < elements.size(); ++i) {
        const A value = plain_accumulator<A>(elements[i]);
        const A extreme = plain_accumulator<A>(elements[best]);
        if (is_nan(extreme)) break;
        if (is_nan(value) || (operation == ArgOperation::min ? is_below(value, extreme) : is_below(extreme, value))) best = i;
    }
    return {plain_result<T>(plain_accumulator<A>(elements[best])), best};
}

/// A result's bits in hexadecimal, and its value for people.
template <class R>
std::string shown(R value) {
    if constexpr (std::is_same_v<R, Float16> || std::is_same_v<R, BFloat16>) {
        return std::to_string(plain_float(value));
    } else {
        return std::to_string(value);
    }
}

template <class R>
bool same_bits(R left, R right) {
    return std::memcmp(&left, &right, sizeof(R)) == 0;
}

}  // namespace cupool::test
