#pragma once

/// \file
/// The kernels of graph colouring.

#include <cstdint>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/undirected_graph.hpp>
#include <vector>

#include "coloring/coloring_job.hpp"
#include "support/embedded_code.hpp"

namespace cupool::detail {

/// The words of four vertices that a lane has of a graph: 1, 2, 4 or 8. \pre the graph has at most coloring_max_vertices
std::uint32_t coloring_lane_words(std::uint32_t vertices);

/// The row of the table of neighbours by colour, and the shared memory of a colouring, in words.
std::uint32_t coloring_row_words(std::uint32_t vertices);
std::uint32_t coloring_memory_words(std::uint32_t vertices, std::uint32_t colors);

/// A graph as the kernels read it: see ColoringJob::adjacency.
std::vector<std::uint8_t> coloring_adjacency(const UndirectedGraph& graph);

/// The code for a graph of so many vertices.
const ShippedCode& coloring_code(std::uint32_t vertices);
/// Its module. \throws Error jit_failure, and any error of the driver
Module load_coloring(ContextView context, std::uint32_t vertices);
/// The kernel of the module for so many colours.
Kernel<ColoringJob> coloring_kernel(const Module& module, std::uint32_t colors);

}  // namespace cupool::detail
