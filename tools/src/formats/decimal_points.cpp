#include "formats/decimal_points.hpp"

#include <limits>
#include <string>

#include "formats/point_checks.hpp"
#include "formats/text.hpp"

namespace cupool::tools {
namespace {

/// number = number * 10 + digit. \return false if the result needs more than N limbs
template <std::size_t N>
bool append_digit(Limbs<N>& number, unsigned digit) {
    constexpr std::uint64_t low_half = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t carry = digit;
    for (auto& limb : number.limbs) {
        const auto low = (limb & low_half) * 10 + carry;
        const auto high = (limb >> 32) * 10 + (low >> 32);
        limb = high << 32 | (low & low_half);
        carry = high >> 32;
    }
    return carry == 0;
}

template <Curve C>
BaseFieldElement<C> parse_decimal(std::string_view digits, TextPosition at) {
    if (digits.empty()) throw BadInput(InputFault::length, at, "expected decimal digits, found none");
    BaseFieldElement<C> number;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] < '0' || digits[i] > '9') {
            throw BadInput(InputFault::digit, TextPosition{at.line, at.column + i},
                           "expected a decimal digit, found " + printable(digits[i]));
        }
        if (!append_digit(number, static_cast<unsigned>(digits[i] - '0')))
            throw bad_point(PointFault::coordinate_not_reduced, to_string(at));
    }
    require_reduced<C>(number, [&] { return to_string(at); });
    return number;
}

template <Curve C>
AffinePoint<C> parse_line(std::string_view line, std::size_t line_number) {
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) {
        throw BadInput(InputFault::length, TextPosition{line_number, line.size() + 1},
                       "the line ends where a comma and the y coordinate were expected");
    }
    return {parse_decimal<C>(line.substr(0, comma), {line_number, 1}), parse_decimal<C>(line.substr(comma + 1), {line_number, comma + 2})};
}

}  // namespace

template <Curve C>
std::vector<AffinePoint<C>> parse_decimal_points(std::string_view text) {
    if (text.empty()) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected a line a point: x,y");
    std::vector<AffinePoint<C>> points;
    while (!text.empty()) points.push_back(parse_line<C>(take_line(text), points.size() + 1));
    require_points<C>(points, false, [](std::size_t index) { return to_string(TextPosition{index + 1, 1}); });
    return points;
}

template std::vector<AffinePoint<Curve::bn254>> parse_decimal_points<Curve::bn254>(std::string_view);
template std::vector<AffinePoint<Curve::bls12_381>> parse_decimal_points<Curve::bls12_381>(std::string_view);
template std::vector<AffinePoint<Curve::bls12_377>> parse_decimal_points<Curve::bls12_377>(std::string_view);

}  // namespace cupool::tools
