#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/undirected_graph.hpp>
#include <span>
#include <vector>

namespace cupool::tools {

/// The size of the largest file of a graph, in bytes.
inline constexpr std::size_t largest_dimacs_file = std::size_t{1} << 30;

/// The largest number of vertices of a graph.
inline constexpr std::uint32_t most_dimacs_vertices = 10'000'000;

/// A graph as its file lists it.
struct DimacsGraph {
    std::uint32_t vertex_count = 0;
    std::vector<Edge> edges;  ///< from 0, each once, with its lower vertex first, in rising order
};

/// A graph in the format of the second DIMACS challenge ("Clique and Coloring Problems Graph Format", 1993), ASCII or binary
/// ("DIMACS Format for Storing Undirected Graphs in Binary Files").
///
/// ASCII: "p edge N M" or "p col N M", then a line "e U V" for each edge, from 1. Comments (c), empty lines, and the lines n, d, v and x,
/// which say nothing about edges, are ignored. Binary, which begins with a digit: the number of bytes of the preamble on a line, the
/// preamble, which is ASCII without edges, then for row i = 0 ... N - 1 of the lower triangle of the adjacency matrix (i + 8) / 8 bytes, of
/// which the highest bit is the leftmost.
///
/// Files may list an edge twice, in either direction; it counts once. M may be the number of lines, of edges, or twice that of edges,
/// because all three are found in the challenge's own files. \throws BadInput empty, length, digit, unknown_name, padding, contradiction
DimacsGraph parse_dimacs(std::span<const std::uint8_t> file);

}  // namespace cupool::tools
