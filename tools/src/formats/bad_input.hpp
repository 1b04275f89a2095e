#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace cupool::tools {

/// What kind of thing is wrong with an input.
enum class InputFault {
    unreadable,       ///< the file cannot be opened or read
    empty,            ///< there is nothing in it
    length,           ///< too long, too short, or a field missing or left over
    digit,            ///< a character that is no digit
    flags,            ///< flag bits that contradict each other or the format
    padding,          ///< bytes that must be zero are not
    not_reduced,      ///< a coordinate not below p, or a field element not below r
    not_on_curve,     ///< a point that does not satisfy the curve's equation
    not_in_subgroup,  ///< a point of the curve outside the subgroup of order r
    unknown_name,     ///< a curve that cupool does not know
};

/// A place in a text; both count from 1.
struct TextPosition {
    std::size_t line = 1;
    std::size_t column = 1;
};

/// "line 3, column 70"
std::string to_string(TextPosition position);

/// Input that breaks its format: what the tools answer with exit code 3 and one line.
class BadInput : public std::exception {
public:
    /// \param where    the place in the input: "line 3, column 70", "point 12 (byte 384)"; may be empty
    /// \param problem  what is wrong there, and what was expected
    BadInput(InputFault fault, std::string where, std::string problem);
    BadInput(InputFault fault, TextPosition where, std::string problem);

    InputFault fault() const noexcept { return fault_; }
    const std::string& where() const noexcept { return where_; }

    /// The place and the problem, in one line.
    const char* what() const noexcept override { return text_.c_str(); }

    /// The same fault, its place led by the name of the file or argument that it lies in.
    BadInput within(std::string_view source) const;

private:
    InputFault fault_;
    std::string where_;
    std::string problem_;
    std::string text_;
};

}  // namespace cupool::tools
