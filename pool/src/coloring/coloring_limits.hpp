#pragma once

#include <cstdint>
#include <string>

#include "coloring/coloring_job.hpp"

namespace cupool::detail {

/// Why devices do not take a graph of so many vertices in so many colours; empty if they do. The table of a colouring counts up to 128
/// neighbours of a colour.
inline std::string why_too_large(std::uint32_t vertices, std::uint32_t colors) {
    constexpr std::uint32_t vertices_without_overflow = 128;
    constexpr std::uint32_t most_vertices_a_color = 32;
    const bool can_overflow = vertices > vertices_without_overflow && vertices > std::uint64_t{colors} * most_vertices_a_color;
    if (vertices <= coloring_max_vertices && colors <= coloring_max_colors && !can_overflow) return {};
    return std::to_string(vertices) + " vertices in " + std::to_string(colors) + " colours; devices take up to " +
           std::to_string(coloring_max_vertices) + " vertices, " + std::to_string(coloring_max_colors) +
           " colours, and 128 vertices or 32 for each colour";
}

}  // namespace cupool::detail
