#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace cupool::ptx {

/// The NaN that an operation on numbers produces. For f32 it is the only NaN that operations produce.
template <class Float>
constexpr Float new_nan() {
    if constexpr (std::is_same_v<Float, float>) {
        return std::bit_cast<float>(std::uint32_t{0x7fff'ffff});
    } else {
        return std::bit_cast<double>(std::uint64_t{0xfff8'0000'0000'0000});
    }
}

/// Quiets an f64 NaN, as operations do.
inline double quiet(double nan) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | 0x0008'0000'0000'0000); }

}  // namespace cupool::ptx
