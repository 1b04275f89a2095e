#include "formats/pairs.hpp"

#include <utility>

#include "formats/hex.hpp"
#include "formats/point_checks.hpp"
#include "formats/text.hpp"

namespace cupool::tools {
namespace {

constexpr std::string_view infinity_word = "inf";

/// Reads the fields of a line one by one.
class Fields {
public:
    Fields(std::string_view line, std::size_t line_number) : line_(line), line_number_(line_number) {}

    Field take(const char* expected) {
        const auto field = next_field(line_, column_);
        if (field.text.empty())
            throw BadInput(InputFault::length, position(field), std::string("the line ends where ") + expected + " was expected");
        column_ = field.column + field.text.size();
        return field;
    }

    void expect_end() const {
        const auto field = next_field(line_, column_);
        if (!field.text.empty()) throw BadInput(InputFault::length, position(field), "the line goes on after its scalar");
    }

    TextPosition position(const Field& field) const { return {line_number_, field.column}; }

private:
    std::string_view line_;
    std::size_t line_number_;
    std::size_t column_ = 1;
};

template <Curve C>
BaseFieldElement<C> parse_coordinate(const Field& field, TextPosition at) {
    BaseFieldElement<C> coordinate;
    if constexpr (base_field_degree<C> == 2) {
        const auto comma = field.text.find(',');
        if (comma == std::string_view::npos)
            throw BadInput(InputFault::length, TextPosition{at.line, at.column + field.text.size()},
                           "the coordinate ends where a comma and its second number were expected");
        coordinate.c0 = parse_hex<base_field_limbs<C>>(field.text.substr(0, comma), at);
        coordinate.c1 = parse_hex<base_field_limbs<C>>(field.text.substr(comma + 1), {at.line, at.column + comma + 1});
    } else {
        coordinate = parse_hex<base_field_limbs<C>>(field.text, at);
    }
    require_reduced<C>(coordinate, [&] { return to_string(at); });
    return coordinate;
}

template <Curve C>
AffinePoint<C> take_point(Fields& fields) {
    const auto first = fields.take("a point (X Y, or inf)");
    if (first.text == infinity_word) return {};
    const auto x = parse_coordinate<C>(first, fields.position(first));
    const auto second = fields.take("the y coordinate");
    return {x, parse_coordinate<C>(second, fields.position(second))};
}

}  // namespace

template <Curve C>
void PairsParser<C>::add_line(std::string_view line) {
    Fields fields(line, pairs_.points.size() + 1);
    const auto point = take_point<C>(fields);
    const auto scalar = fields.take("the scalar");
    const auto value = parse_hex<4>(scalar.text, fields.position(scalar));
    fields.expect_end();
    pairs_.points.push_back(point);
    pairs_.scalars.push_back(value);
}

template <Curve C>
Pairs<C> PairsParser<C>::finish() && {
    if (pairs_.points.empty()) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected a line a term: X Y SCALAR");
    require_points<C>(pairs_.points, true, [](std::size_t index) { return to_string(TextPosition{index + 1, 1}); });
    return std::move(pairs_);
}

template <Curve C>
Pairs<C> parse_pairs(std::string_view text) {
    PairsParser<C> parser;
    while (!text.empty()) parser.add_line(take_line(text));
    return std::move(parser).finish();
}

template <Curve C>
std::string pair_line(const AffinePoint<C>& point, const Scalar& scalar) {
    if (is_infinity(point)) return std::string(infinity_word) + ' ' + to_hex(scalar);
    return to_hex(point.x) + ' ' + to_hex(point.y) + ' ' + to_hex(scalar);
}

#define CUPOOL_INSTANTIATE(C)                           \
    template class PairsParser<C>;                      \
    template Pairs<C> parse_pairs<C>(std::string_view); \
    template std::string pair_line<C>(const AffinePoint<C>&, const Scalar&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::tools
