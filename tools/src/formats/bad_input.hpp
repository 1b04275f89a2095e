#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace cupool::tools {

/// The kind of fault in an input.
enum class InputFault {
    unreadable,       ///< the file cannot be opened or read
    empty,            ///< the input is empty
    length,           ///< too long, too short, or a field missing or left over
    digit,            ///< a character that is not a digit
    flags,            ///< flag bits that contradict each other or the format
    padding,          ///< bytes that must be zero are not
    not_reduced,      ///< a coordinate not below p, or a field element not below r
    not_on_curve,     ///< a point that does not satisfy the curve's equation
    not_in_subgroup,  ///< a point of the curve outside the subgroup of order r
    unknown_name,     ///< a curve, or a kind of line, that cupool does not know
    contradiction,    ///< a part of the input is impossible after another: a vertex above their number, edges that are not as many as said
};

/// A position in a text; line and column count from 1.
struct TextPosition {
    std::size_t line = 1;
    std::size_t column = 1;
};

/// "line 3, column 70"
std::string to_string(TextPosition position);

/// Input that violates its format. The tools print one line and exit with code 3.
class BadInput : public std::exception {
public:
    /// \param where    position in the input: "line 3, column 70", "point 12 (byte 384)"; may be empty
    /// \param problem  what is wrong there, and what was expected
    BadInput(InputFault fault, std::string where, std::string problem);
    BadInput(InputFault fault, TextPosition where, std::string problem);

    InputFault fault() const noexcept { return fault_; }
    const std::string& where() const noexcept { return where_; }

    /// Position and problem in one line.
    const char* what() const noexcept override { return text_.c_str(); }

    /// The same fault, with the name of the file or argument before the position.
    BadInput within(std::string_view source) const;

private:
    InputFault fault_;
    std::string where_;
    std::string problem_;
    std::string text_;
};

}  // namespace cupool::tools
