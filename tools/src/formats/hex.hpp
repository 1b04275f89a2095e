#pragma once

#include <array>
#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/bad_input.hpp"
#include "formats/limbs.hpp"

namespace cupool::tools {

/// Parses a big-endian hexadecimal integer of at most 16 N digits in either case, with or without
/// "0x" and leading zeros. \param at  position of the text, for the error
/// \throws BadInput length (no digit, or too many), digit
template <std::size_t N>
Limbs<N> parse_hex(std::string_view text, TextPosition at);

/// Parses exactly `count` bytes as pairs of hexadecimal digits in either case, with or without "0x".
/// \throws BadInput length, digit
std::vector<std::uint8_t> parse_hex_bytes(std::string_view text, std::size_t count, TextPosition at);

/// "0x" and two lower-case digits for each byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// "0x" and all 16 N lower-case digits, most significant first.
template <std::size_t N>
std::string to_hex(const Limbs<N>& number) {
    return to_hex(to_big_endian(number));
}

/// An element of a quadratic extension: c0 and c1, separated by a comma.
template <std::size_t N>
std::string to_hex(const QuadraticLimbs<N>& element) {
    return to_hex(element.c0) + ',' + to_hex(element.c1);
}

}  // namespace cupool::tools
