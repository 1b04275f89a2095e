#include "formats/scalars.hpp"

#include <utility>

#include "formats/hex.hpp"
#include "formats/text.hpp"

namespace cupool::tools {

void ScalarsParser::add_line(std::string_view line) {
    const std::size_t number = scalars_.size() + 1;
    const Field field = next_field(line, 1);
    if (field.text.empty())
        throw BadInput(InputFault::length, TextPosition{number, field.column}, "the line ends where a scalar was expected");
    scalars_.push_back(parse_hex<4>(field.text, {number, field.column}));
    const Field next = next_field(line, field.column + field.text.size());
    if (!next.text.empty()) throw BadInput(InputFault::length, TextPosition{number, next.column}, "the line goes on after its scalar");
}

std::vector<Scalar> ScalarsParser::finish() && {
    if (scalars_.empty()) throw BadInput(InputFault::empty, "", "the input is empty; expected a scalar on each line");
    return std::move(scalars_);
}

std::vector<Scalar> parse_scalars(std::string_view text) {
    ScalarsParser parser;
    while (!text.empty()) parser.add_line(take_line(text));
    return std::move(parser).finish();
}

}  // namespace cupool::tools
