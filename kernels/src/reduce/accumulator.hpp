#pragma once

/// \file
/// What reductions accumulate in on the host, and what they make of it.

#include <cupool/kernels/reduce.hpp>
#include <type_traits>

#include "reduce/operations.hpp"

namespace cupool::detail {

template <class T>
inline constexpr bool is_16_bit_float = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// What elements of type T accumulate in for a result of type R: 16-bit floats in float, floats in R or wider where the sum is compensated,
/// integers in R, whose width they wrap in.
template <class T, class R, bool Compensated = false>
struct AccumulatorOf {
    using Type = R;
};
template <class T, class R, bool Compensated>
requires is_16_bit_float<T>
struct AccumulatorOf<T, R, Compensated> {
    using Type = float;
};
template <>
struct AccumulatorOf<float, float, true> {
    using Type = double;
};
template <>
struct AccumulatorOf<double, double, true> {
    using Type = DoubleDouble;
};
template <class T, class R, bool Compensated = false>
using Accumulator = typename AccumulatorOf<T, R, Compensated>::Type;

/// An element, or an accumulator, as an accumulator; exact.
template <class A, class T>
A accumulator_of(T element) {
    if constexpr (std::is_same_v<A, T>) {
        return element;
    } else if constexpr (std::is_same_v<A, DoubleDouble>) {
        return {element, 0};
    } else {
        return static_cast<A>(element);
    }
}

/// The result that an accumulator stands for, rounded once, a NaN the canonical one.
template <class R, class A>
R result_of(A accumulator) {
    if constexpr (std::is_same_v<A, DoubleDouble>) {
        return with_canonical_nan(static_cast<R>(accumulator.high));
    } else {
        return with_canonical_nan(static_cast<R>(accumulator));
    }
}

}  // namespace cupool::detail
