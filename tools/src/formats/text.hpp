#pragma once

/// \file
/// Shared by the parsers of line-based formats.

#include <cstddef>
#include <string>
#include <string_view>

namespace cupool::tools {

/// A character as error messages show it: 'g', or "byte 0x07" if it is not printable.
std::string printable(char character);

/// Removes the first line and its "\n" or "\r\n" from a text and returns it without the line end,
/// which the last line may lack.
std::string_view take_line(std::string_view& text);

/// Consecutive characters other than space and tab.
struct Field {
    std::string_view text;   ///< empty if the line has no further field
    std::size_t column = 1;  ///< of its first character, or one past the line's last, counting from 1
};

/// The first field of a line at or after a column.
Field next_field(std::string_view line, std::size_t column);

}  // namespace cupool::tools
