#pragma once

#include <bit>
#include <cstdint>

namespace cupool::ptx::test {

/// Correctly rounded arithmetic with integers only, as a reference for the interpreter: sign, 128-bit significand, exponent, and a sticky
/// bit for the lower digits.
__extension__ using Significand = unsigned __int128;

enum class Mode { nearest, zero, down, up };

struct Exact {
    bool negative = false;
    Significand significand = 0;  ///< value = significand * 2^exponent, and something between 0 and 1 more if sticky
    int exponent = 0;
    bool sticky = false;
};

/// Layout of an IEEE 754 binary format.
struct Format {
    int precision;  ///< with the hidden bit
    int exponent_bits;

    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    constexpr std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << (precision - 1); }
    constexpr std::uint64_t sign() const { return std::uint64_t{1} << (precision - 1 + exponent_bits); }
    constexpr std::uint64_t magnitude(std::uint64_t bits) const { return bits & (sign() - 1); }
    constexpr bool is_nan(std::uint64_t bits) const { return magnitude(bits) > infinity(); }
    constexpr bool is_infinite(std::uint64_t bits) const { return magnitude(bits) == infinity(); }
    constexpr bool is_zero(std::uint64_t bits) const { return magnitude(bits) == 0; }
    constexpr bool is_negative(std::uint64_t bits) const { return (bits & sign()) != 0; }
    constexpr bool is_subnormal(std::uint64_t bits) const {
        return magnitude(bits) < (std::uint64_t{1} << (precision - 1)) && !is_zero(bits);
    }
    /// The NaN that operations on numbers produce. For f32 it is the only NaN; for f64 a NaN operand is quieted and returned.
    constexpr std::uint64_t new_nan() const { return precision == 24 ? 0x7fffffff : 0xfff8'0000'0000'0000; }
    constexpr std::uint64_t quiet(std::uint64_t nan) const { return precision == 24 ? new_nan() : nan | 0x0008'0000'0000'0000; }
};

inline constexpr Format single{24, 8};
inline constexpr Format double_precision{53, 11};

inline int width(Significand value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(value));
}

inline Exact unpack(Format format, std::uint64_t bits) {
    const std::uint64_t magnitude = format.magnitude(bits);
    const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << (format.precision - 1)) - 1);
    const int biased = static_cast<int>(magnitude >> (format.precision - 1));
    Exact value;
    value.negative = format.is_negative(bits);
    value.significand = biased == 0 ? fraction : fraction | std::uint64_t{1} << (format.precision - 1);
    value.exponent = (biased == 0 ? 1 : biased) - format.bias() - format.precision + 1;
    return value;
}

/// Shifts right and collects the lost bits in the sticky bit.
inline void shift_right(Exact& value, int by) {
    if (by <= 0) return;
    if (by >= 128) {
        value.sticky = value.sticky || value.significand != 0;
        value.significand = 0;
    } else {
        value.sticky = value.sticky || (value.significand & ((Significand{1} << by) - 1)) != 0;
        value.significand >>= by;
    }
    value.exponent += by;
}

/// Whether the magnitude is rounded up by one unit in the last place, given the removed bits `half` and `rest`.
inline bool rounds_up(Mode mode, bool negative, bool odd, bool half, bool rest) {
    switch (mode) {
        case Mode::nearest: return half && (rest || odd);
        case Mode::zero: return false;
        case Mode::down: return negative && (half || rest);
        case Mode::up: return !negative && (half || rest);
    }
    return false;
}

inline std::uint64_t round_to(Format format, Exact value, Mode mode) {
    const std::uint64_t sign = value.negative ? format.sign() : 0;
    if (value.significand == 0 && !value.sticky) return sign;
    // Two bits more than the format's: the half and, at least as sticky, the rest.
    const int min_exponent = 1 - format.bias() - format.precision + 1;
    int excess = width(value.significand) - format.precision;
    if (value.exponent + excess < min_exponent) excess = min_exponent - value.exponent;
    bool half = false;
    if (excess > 0) {
        shift_right(value, excess - 1);
        half = (value.significand & 1) != 0;
        const bool rest = value.sticky;
        value.significand >>= 1;
        ++value.exponent;
        if (rounds_up(mode, value.negative, (value.significand & 1) != 0, half, rest)) ++value.significand;
    } else {
        const int up = value.exponent - min_exponent < -excess ? value.exponent - min_exponent : -excess;
        value.significand <<= up;
        value.exponent -= up;
        if (rounds_up(mode, value.negative, (value.significand & 1) != 0, false, value.sticky)) ++value.significand;
    }
    if (width(value.significand) > format.precision) {
        value.significand >>= 1;
        ++value.exponent;
    }
    if (width(value.significand) < format.precision) return sign | static_cast<std::uint64_t>(value.significand);  // subnormal
    const int biased = value.exponent + format.bias() + format.precision - 1;
    if (biased >= (1 << format.exponent_bits) - 1) {
        const bool to_infinity = mode == Mode::nearest || (mode == Mode::down && value.negative) || (mode == Mode::up && !value.negative);
        return sign | (to_infinity ? format.infinity() : format.infinity() - 1);
    }
    const std::uint64_t hidden = std::uint64_t{1} << (format.precision - 1);
    return sign | static_cast<std::uint64_t>(biased) << (format.precision - 1) |
           (static_cast<std::uint64_t>(value.significand) & (hidden - 1));
}

/// a + b, exact but for a sticky bit far below either. \pre both finite, at most 106 significant bits
inline Exact sum(Exact a, Exact b, Mode mode) {
    if (a.significand == 0 && b.significand == 0) {
        a.negative = a.negative == b.negative ? a.negative : mode == Mode::down;
        return a;
    }
    if (a.significand == 0) return b;
    if (b.significand == 0) return a;
    // The larger one as far left as it goes but for a carry; the smaller one joins it.
    if (width(a.significand) + a.exponent < width(b.significand) + b.exponent) std::swap(a, b);
    const int up = 126 - width(a.significand);
    a.significand <<= up;
    a.exponent -= up;
    if (b.exponent > a.exponent) {
        b.significand <<= b.exponent - a.exponent;
        b.exponent = a.exponent;
    } else {
        shift_right(b, a.exponent - b.exponent);
    }
    Exact result = a;
    result.sticky = b.sticky;
    if (a.negative == b.negative) {
        result.significand = a.significand + b.significand;
    } else {
        // The lost bits of b are missing from the difference: subtract one, and let the sticky bit represent the rest.
        if (a.significand < b.significand) {
            result.significand = b.significand - a.significand;
            result.negative = b.negative;
        } else {
            result.significand = a.significand - b.significand - (b.sticky ? 1 : 0);
        }
        if (result.significand == 0 && !result.sticky) result.negative = mode == Mode::down;
    }
    return result;
}

inline Exact product(const Exact& a, const Exact& b) {
    return {a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent, false};
}

/// \pre b not zero
inline Exact quotient(Exact a, const Exact& b) {
    if (a.significand == 0) return {a.negative != b.negative, 0, 0, false};
    const int up = 127 - width(a.significand);
    a.significand <<= up;
    a.exponent -= up;
    return {a.negative != b.negative, a.significand / b.significand, a.exponent - b.exponent, a.significand % b.significand != 0};
}

/// \pre a not negative
inline Exact square_root(Exact a) {
    if (a.significand == 0) return a;
    int up = 126 - width(a.significand);
    if (((a.exponent - up) & 1) != 0) --up;
    a.significand <<= up;
    a.exponent -= up;
    Significand root = 0;
    for (int i = 63; i >= 0; --i) {
        const Significand next = root | Significand{1} << i;
        if (next * next <= a.significand) root = next;
    }
    return {false, root, a.exponent / 2, root * root != a.significand};
}

}  // namespace cupool::ptx::test
