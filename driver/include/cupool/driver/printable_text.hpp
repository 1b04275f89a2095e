#pragma once

#include <string>
#include <string_view>

namespace cupool {

/// Makes a text safe for a terminal, in well-formed UTF-8: each byte of a control character (line
/// ends and tabs too), and each byte that is not part of a character, becomes an escape such as
/// "\\x1b". Names from drivers and names of files may contain any bytes. Thread-safe.
std::string printable_text(std::string_view text);

/// The lines of a text on one line, with " | " between them. Thread-safe.
std::string on_one_line(std::string_view text);

}  // namespace cupool
