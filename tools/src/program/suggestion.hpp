#pragma once

#include <string>
#include <vector>

namespace cupool::tools {

/// The known word that a mistyped one resembles most: at most a third of its letters, and at least
/// one, is missing, surplus, wrong or exchanged with its neighbour. Empty if there is none.
std::string nearest_word(const std::string& mistyped, const std::vector<std::string>& known);

}  // namespace cupool::tools
