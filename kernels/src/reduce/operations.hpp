#pragma once

/// \file
/// What a reduction does with two accumulators: the same on the host and on devices, so that every engine gives the same bits.
/// docs/reduce.md tells the order. Device code includes this: no standard library but <cstdint>.

#include <cstdint>

#include "reduce/order.hpp"
#include "support/host_device.hpp"

namespace cupool::detail {

/// An unevaluated sum of two doubles: what a compensated sum of doubles accumulates. |low| is at most half a unit in the last place of
/// high.
struct DoubleDouble {
    double high;
    double low;
};

template <class A>
inline constexpr bool is_floating = false;
template <>
inline constexpr bool is_floating<float> = true;
template <>
inline constexpr bool is_floating<double> = true;

CUPOOL_HOST_DEVICE bool has_sign(float value) { return __builtin_bit_cast(std::uint32_t, value) >> 31 != 0; }
CUPOOL_HOST_DEVICE bool has_sign(double value) { return __builtin_bit_cast(std::uint64_t, value) >> 63 != 0; }

/// Turns every NaN into the quiet NaN without sign and payload, since hosts and devices choose payloads differently.
CUPOOL_HOST_DEVICE float with_canonical_nan(float value) { return value == value ? value : __builtin_bit_cast(float, 0x7fc00000u); }
CUPOOL_HOST_DEVICE double with_canonical_nan(double value) {
    return value == value ? value : __builtin_bit_cast(double, std::uint64_t{0x7ff8000000000000});
}
template <class A>
CUPOOL_HOST_DEVICE A with_canonical_nan(A value) {
    return value;
}

/// The least and the largest value of an integer type, which need not be one that <limits> knows on a device.
template <class A>
CUPOOL_HOST_DEVICE A min_integer() {
    return static_cast<A>(-1) < A{0} ? static_cast<A>(A{1} << (8 * sizeof(A) - 1)) : A{0};
}
template <class A>
CUPOOL_HOST_DEVICE A largest_integer() {
    return static_cast<A>(~static_cast<std::uint64_t>(min_integer<A>()));
}

CUPOOL_HOST_DEVICE float infinity(float) { return __builtin_inff(); }
CUPOOL_HOST_DEVICE double infinity(double) { return __builtin_inf(); }

/// The sum of two doubles and its rounding error, added to the low parts (Knuth's two-sum, then Dekker's fast two-sum; see Hida, Li and
/// Bailey, Library for Double-Double and Quad-Double Arithmetic, 2007, section 3).
CUPOOL_HOST_DEVICE DoubleDouble add(DoubleDouble left, DoubleDouble right) {
    const double sum = left.high + right.high;
    const double part = sum - left.high;
    const double error = ((left.high - (sum - part)) + (right.high - part)) + (left.low + right.low);
    // Infinite and NaN sums have no error, and a sum of zeros keeps its sign.
    if (!(error < 0 || error > 0) || !(sum - sum == 0)) return {sum, 0};
    const double high = sum + error;
    return {high, error - (high - sum)};
}

/// Integers wrap.
struct Sum {
    template <class A>
    CUPOOL_HOST_DEVICE static A identity() {
        if constexpr (is_floating<A>) {
            return -A{0};  // +0 would turn a sum of -0 into +0
        } else {
            return A{};
        }
    }
    template <class A>
    CUPOOL_HOST_DEVICE static A combine(A left, A right) {
        if constexpr (is_floating<A>) {
            return left + right;
        } else {
            return static_cast<A>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
        }
    }
};
template <>
CUPOOL_HOST_DEVICE DoubleDouble Sum::identity<DoubleDouble>() {
    return {-0.0, 0};
}
template <>
CUPOOL_HOST_DEVICE DoubleDouble Sum::combine<DoubleDouble>(DoubleDouble left, DoubleDouble right) {
    return add(left, right);
}

/// Of integers, which wrap.
struct Product {
    template <class A>
    CUPOOL_HOST_DEVICE static A identity() {
        return A{1};
    }
    template <class A>
    CUPOOL_HOST_DEVICE static A combine(A left, A right) {
        return static_cast<A>(static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right));
    }
};

/// A NaN wins; -0 is below +0.
struct Min {
    template <class A>
    CUPOOL_HOST_DEVICE static A identity() {
        if constexpr (is_floating<A>) {
            return infinity(A{});
        } else {
            return largest_integer<A>();
        }
    }
    template <class A>
    CUPOOL_HOST_DEVICE static A combine(A left, A right) {
        if constexpr (is_floating<A>) {
            if (left != left) return left;
            if (left == right) return has_sign(left) ? left : right;
            return left < right ? left : right;
        } else {
            return left < right ? left : right;
        }
    }
};

/// A NaN wins; +0 is above -0.
struct Max {
    template <class A>
    CUPOOL_HOST_DEVICE static A identity() {
        if constexpr (is_floating<A>) {
            return -infinity(A{});
        } else {
            return min_integer<A>();
        }
    }
    template <class A>
    CUPOOL_HOST_DEVICE static A combine(A left, A right) {
        if constexpr (is_floating<A>) {
            if (left != left) return left;
            if (left == right) return has_sign(left) ? right : left;
            return left > right ? left : right;
        } else {
            return left > right ? left : right;
        }
    }
};

}  // namespace cupool::detail
