#include "formats/hex.hpp"

#include <algorithm>

#include "formats/text.hpp"

namespace cupool::tools {
namespace {

constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::uint8_t i = 0; i < 10; ++i) values['0' + i] = i;
    for (std::uint8_t i = 0; i < 6; ++i) {
        values['a' + i] = static_cast<std::uint8_t>(10 + i);
        values['A' + i] = static_cast<std::uint8_t>(10 + i);
    }
    return values;
}();

bool has_prefix(std::string_view text) { return text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'); }

/// Removes "0x" from the text and advances the position.
std::string_view without_prefix(std::string_view text, TextPosition& at) {
    if (!has_prefix(text)) return text;
    at.column += 2;
    return text.substr(2);
}

std::uint8_t digit_value(std::string_view digits, std::size_t index, TextPosition at) {
    const auto value = digit_values[static_cast<std::uint8_t>(digits[index])];
    if (value == no_digit) {
        at.column += index;
        throw BadInput(InputFault::digit, at, "expected a hexadecimal digit, found " + printable(digits[index]));
    }
    return value;
}

}  // namespace

template <std::size_t N>
Limbs<N> parse_hex(std::string_view text, TextPosition at) {
    constexpr std::size_t max_digits = 16 * N;
    const auto digits = without_prefix(text, at);
    if (digits.empty()) throw BadInput(InputFault::length, at, "expected hexadecimal digits, found none");
    Limbs<N> number;
    const auto counted = std::min(digits.size(), max_digits);
    for (std::size_t i = 0; i < counted; ++i) {
        const auto place = counted - 1 - i;
        number.limbs[place / 16] |= std::uint64_t{digit_value(digits, i, at)} << (4 * (place % 16));
    }
    if (digits.size() > max_digits) {
        throw BadInput(InputFault::length, at,
                       std::to_string(digits.size()) + " hexadecimal digits, expected at most " + std::to_string(max_digits));
    }
    return number;
}

template Limbs<4> parse_hex<4>(std::string_view, TextPosition);
template Limbs<6> parse_hex<6>(std::string_view, TextPosition);

std::vector<std::uint8_t> parse_hex_bytes(std::string_view text, std::size_t count, TextPosition at) {
    const auto digits = without_prefix(text, at);
    if (digits.size() != 2 * count) {
        throw BadInput(InputFault::length, at,
                       std::to_string(digits.size()) + " hexadecimal digits, expected " + std::to_string(2 * count));
    }
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::uint8_t>(digit_value(digits, 2 * i, at) << 4 | digit_value(digits, 2 * i + 1, at));
    }
    return bytes;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "0x";
    text.reserve(2 + 2 * bytes.size());
    for (const auto byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 0xf];
    }
    return text;
}

}  // namespace cupool::tools
