#pragma once

/// \file
/// Numbers of fixed width as bytes: the two byte orders, and comparison.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>

namespace cupool::tools {

template <std::size_t N>
Limbs<N> from_little_endian(std::span<const std::uint8_t, 8 * N> bytes) {
    Limbs<N> number;
    for (std::size_t i = 0; i < 8 * N; ++i) number.limbs[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
    return number;
}

template <std::size_t N>
Limbs<N> from_big_endian(std::span<const std::uint8_t, 8 * N> bytes) {
    Limbs<N> number;
    for (std::size_t i = 0; i < 8 * N; ++i) number.limbs[i / 8] |= std::uint64_t{bytes[8 * N - 1 - i]} << (8 * (i % 8));
    return number;
}

template <std::size_t N>
std::array<std::uint8_t, 8 * N> to_big_endian(const Limbs<N>& number) {
    std::array<std::uint8_t, 8 * N> bytes;
    for (std::size_t i = 0; i < 8 * N; ++i) bytes[8 * N - 1 - i] = static_cast<std::uint8_t>(number.limbs[i / 8] >> (8 * (i % 8)));
    return bytes;
}

/// Whether left < right, as unsigned integers.
template <std::size_t N>
bool is_less(const Limbs<N>& left, const Limbs<N>& right) {
    return std::lexicographical_compare(left.limbs.rbegin(), left.limbs.rend(), right.limbs.rbegin(), right.limbs.rend());
}

}  // namespace cupool::tools
