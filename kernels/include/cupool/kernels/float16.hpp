#pragma once

/// \file
/// The 16-bit floating-point types as storage, with conversions to float (exact) and from it.

#include <bit>
#include <cstdint>
#include <iosfwd>

namespace cupool {

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. Trivially copyable; its bytes are those of CUDA's `__half`.
struct Float16 {
    std::uint16_t bits = 0;  ///< sign, exponent and fraction, from the most significant bit down

    Float16() = default;
    /// Rounds to nearest, ties to even; too large a value becomes infinity; a NaN becomes the quiet NaN without sign and payload.
    explicit constexpr Float16(float value) noexcept;
    /// The number with this representation.
    static constexpr Float16 from_bits(std::uint16_t bits) noexcept {
        Float16 value;
        value.bits = bits;
        return value;
    }

    /// Exact.
    explicit constexpr operator float() const noexcept;
};

/// bfloat16, the upper half of a float: 1 sign, 8 exponent and 7 fraction bits. Its bytes are those of CUDA's `__nv_bfloat16`.
struct BFloat16 {
    std::uint16_t bits = 0;  ///< sign, exponent and fraction, from the most significant bit down

    BFloat16() = default;
    /// Rounds to nearest, ties to even; too large a value becomes infinity; a NaN becomes the quiet NaN without sign and payload.
    explicit constexpr BFloat16(float value) noexcept;
    /// The number with this representation.
    static constexpr BFloat16 from_bits(std::uint16_t bits) noexcept {
        BFloat16 value;
        value.bits = bits;
        return value;
    }

    /// Exact.
    explicit constexpr operator float() const noexcept { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Compares values as floats do: -0 equals +0, and a NaN equals nothing.
constexpr bool operator==(Float16 left, Float16 right) noexcept { return static_cast<float>(left) == static_cast<float>(right); }
constexpr bool operator==(BFloat16 left, BFloat16 right) noexcept { return static_cast<float>(left) == static_cast<float>(right); }
constexpr bool operator<(Float16 left, Float16 right) noexcept { return static_cast<float>(left) < static_cast<float>(right); }
constexpr bool operator<(BFloat16 left, BFloat16 right) noexcept { return static_cast<float>(left) < static_cast<float>(right); }

/// Prints the value as a float.
std::ostream& operator<<(std::ostream& out, Float16 value);
std::ostream& operator<<(std::ostream& out, BFloat16 value);

constexpr Float16::operator float() const noexcept {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);  // infinity and NaN
    // The bits of the magnitude, read as those of a float, mean 2^-112 of its value, subnormal or not: the biases are 15 and 127.
    constexpr float scale = 0x1p112f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * scale));
}

constexpr Float16::Float16(float value) noexcept {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(word >> 16 & 0x8000u);
    const std::uint32_t magnitude = word & 0x7fffffffu;
    constexpr std::uint32_t infinity = 0x7f800000u;
    constexpr std::uint32_t min_overflow = 0x477ff000u;  // 65520, half way between the largest binary16 and 2^16
    constexpr std::uint32_t min_normal = 0x38800000u;    // 2^-14
    if (magnitude > infinity) {
        bits = 0x7e00;
    } else if (magnitude >= min_overflow) {
        bits = static_cast<std::uint16_t>(sign | 0x7c00u);
    } else if (magnitude >= min_normal) {
        const std::uint32_t rebiased = magnitude - (std::uint32_t{127 - 15} << 23);
        bits = static_cast<std::uint16_t>(sign | (rebiased + 0xfffu + (rebiased >> 13 & 1u)) >> 13);
    } else {
        // A multiple of 2^-24 below 2^-14. Its bits are the last ones of the sum with 2^-1, whose unit is 2^-24.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f)));
    }
}

constexpr BFloat16::BFloat16(float value) noexcept {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
        bits = 0x7fc0;
    } else {
        bits = static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
    }
}

}  // namespace cupool
