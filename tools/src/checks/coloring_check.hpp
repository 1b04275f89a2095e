#pragma once

#include <cstdint>
#include <cupool/pool/coloring_search.hpp>

#include "formats/dimacs.hpp"

namespace cupool::tools {

/// Holds a colouring against the edges of its graph's file: it colours every vertex, with colours below `colors`, and has as many conflicts
/// as it says. Uses nothing of the library. \throws CheckFailed
void check_coloring(const DimacsGraph& graph, std::uint32_t colors, const Coloring& coloring);

}  // namespace cupool::tools
