#pragma once

#include <cstddef>

namespace cupool::tools {

/// Whether stdout gets colours: it is a terminal that supports escapes, and NO_COLOR
/// (https://no-color.org) is not set.
bool wants_colors();

/// The width of stdout in characters: the variable COLUMNS if it is a number, else that of the
/// terminal; 0 if there is no limit.
std::size_t output_columns();

}  // namespace cupool::tools
