#pragma once

/// \file
/// What a reduction does with two elements, and the shape of its tree: the same on the host and on devices, so that every engine gives the
/// same bits. docs/reduce.md tells the order. No standard library here but <cstdint>: device code includes this.

#include <cstdint>

#include "host_device.hpp"

namespace cupool::detail {

inline constexpr unsigned reduce_lanes = 256;  ///< lanes of a tile; a power of two
inline constexpr unsigned reduce_elements_a_lane = 16;
inline constexpr unsigned reduce_tile = reduce_lanes * reduce_elements_a_lane;

template <class T>
inline constexpr bool is_floating = false;
template <>
inline constexpr bool is_floating<float> = true;
template <>
inline constexpr bool is_floating<double> = true;

CUPOOL_HOST_DEVICE bool has_sign(float value) { return __builtin_bit_cast(std::uint32_t, value) >> 31 != 0; }
CUPOOL_HOST_DEVICE bool has_sign(double value) { return __builtin_bit_cast(std::uint64_t, value) >> 63 != 0; }

/// Any NaN made the quiet one without a payload, which hosts and devices would otherwise choose differently.
CUPOOL_HOST_DEVICE float with_canonical_nan(float value) { return value == value ? value : __builtin_bit_cast(float, 0x7fc00000u); }
CUPOOL_HOST_DEVICE double with_canonical_nan(double value) {
    return value == value ? value : __builtin_bit_cast(double, std::uint64_t{0x7ff8000000000000});
}
template <class T>
CUPOOL_HOST_DEVICE T with_canonical_nan(T value) {
    return value;
}

/// Integers wrap.
struct Sum {
    template <class T>
    CUPOOL_HOST_DEVICE static T combine(T left, T right) {
        if constexpr (is_floating<T>) {
            return left + right;
        } else {
            return static_cast<T>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
        }
    }
};

/// A NaN wins; -0 is below +0.
struct Min {
    template <class T>
    CUPOOL_HOST_DEVICE static T combine(T left, T right) {
        if constexpr (is_floating<T>) {
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
    template <class T>
    CUPOOL_HOST_DEVICE static T combine(T left, T right) {
        if constexpr (is_floating<T>) {
            if (left != left) return left;
            if (left == right) return has_sign(left) ? right : left;
            return left > right ? left : right;
        } else {
            return left > right ? left : right;
        }
    }
};

}  // namespace cupool::detail
