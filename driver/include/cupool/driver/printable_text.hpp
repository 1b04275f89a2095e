#pragma once

#include <string>
#include <string_view>

namespace cupool {

/// A text as a terminal may show it, in well-formed UTF-8: each byte of a control character (line ends and tabs too), and each byte that
/// is no part of a character, becomes an escape like "\\x1b". Drivers' names and file names may hold anything. Safe from any thread.
std::string printable_text(std::string_view text);

}  // namespace cupool
