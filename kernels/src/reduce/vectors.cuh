#pragma once

/// \file
/// Elements as device code reads them: 16 bytes at a time, or one by one.

#include <cupool/kernels/float16.hpp>

#include "reduce/operations.hpp"
#include "support/device.cuh"

namespace cupool::device {

/// The elements that a 16-byte vector has.
template <class E>
inline constexpr unsigned vector_elements = detail::reduce_vector_bytes / sizeof(E);

CUPOOL_DEVICE Vec4 load_vector(const void* address) {
    std::uint32_t x, y, z, w;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(address));
    return {x, y, z, w};
}

CUPOOL_DEVICE bool is_vector_aligned(const void* address) {
    return reinterpret_cast<std::uint64_t>(address) % detail::reduce_vector_bytes == 0;
}

/// Element number `index` of a vector; the index is a constant once loops are unrolled.
template <class E>
CUPOOL_DEVICE E element_of(Vec4 words, unsigned index) {
    if constexpr (sizeof(E) == 16) {
        return __builtin_bit_cast(E, words);
    } else if constexpr (sizeof(E) == 8) {
        return __builtin_bit_cast(E, std::uint64_t{words[2 * index + 1]} << 32 | words[2 * index]);
    } else if constexpr (sizeof(E) == 4) {
        const std::uint32_t word = words[index];  // clang 14 casts the first word where it is given an element of a vector
        return __builtin_bit_cast(E, word);
    } else if constexpr (sizeof(E) == 2) {
        return __builtin_bit_cast(E, static_cast<std::uint16_t>(words[index / 2] >> 16 * (index % 2)));
    } else {
        return static_cast<E>(words[index / 4] >> 8 * (index % 4));
    }
}

/// The value in the lane whose number differs in the bits `distance`, of any type of whole words; all lanes of the warp together.
template <class A>
CUPOOL_DEVICE A shuffle_value(A value, unsigned distance) {
    if constexpr (sizeof(A) == 4) {
        return __builtin_bit_cast(A, shuffle_butterfly(all_lanes, __builtin_bit_cast(std::uint32_t, value), distance));
    } else if constexpr (sizeof(A) == 8) {
        const auto bits = __builtin_bit_cast(std::uint64_t, value);
        const std::uint32_t low = shuffle_butterfly(all_lanes, static_cast<std::uint32_t>(bits), distance);
        const std::uint32_t high = shuffle_butterfly(all_lanes, static_cast<std::uint32_t>(bits >> 32), distance);
        return __builtin_bit_cast(A, std::uint64_t{high} << 32 | low);
    } else {
        using Halves = std::uint64_t __attribute__((ext_vector_type(2)));
        auto halves = __builtin_bit_cast(Halves, value);
        halves = {shuffle_value(halves[0], distance), shuffle_value(halves[1], distance)};
        return __builtin_bit_cast(A, halves);
    }
}

}  // namespace cupool::device
