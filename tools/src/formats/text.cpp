#include "formats/text.hpp"

#include <algorithm>
#include <cstdio>

namespace cupool::tools {

std::string printable(char character) {
    if (character >= ' ' && character <= '~') return {'\'', character, '\''};
    char text[16];
    std::snprintf(text, sizeof text, "byte 0x%02x", static_cast<unsigned char>(character));
    return text;
}

std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Field next_field(std::string_view line, std::size_t column) {
    constexpr std::string_view blanks = " \t";
    const auto begin = std::min(line.find_first_not_of(blanks, column - 1), line.size());
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    return {line.substr(begin, end - begin), begin + 1};
}

}  // namespace cupool::tools
