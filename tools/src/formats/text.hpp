#pragma once

/// \file
/// What the parsers of line-based formats share.

#include <cstddef>
#include <string>
#include <string_view>

namespace cupool::tools {

/// A character as an error message shows it: 'g', or "byte 0x07" where it cannot be printed.
std::string printable(char character);

/// Takes the first line off a text; its "\n" or "\r\n" belongs to neither. A last line needs none.
std::string_view take_line(std::string_view& text);

/// A run of characters other than space and tab.
struct Field {
    std::string_view text;   ///< empty where the line has no further field
    std::size_t column = 1;  ///< of its first character, or one past the line's last, counting from 1
};

/// The first field of a line at or after a column.
Field next_field(std::string_view line, std::size_t column);

}  // namespace cupool::tools
