#pragma once

#include <cstdint>
#include <string>

#include "coloring/coloring_job.hpp"

namespace cupool::detail {

/// Why devices do not take a graph of so many vertices in so many colours; empty if they do.
inline std::string why_too_large(std::uint32_t vertices, std::uint32_t colors) {
    const auto more_than = [](std::uint32_t count, const char* what, std::uint32_t most) {
        return std::to_string(count) + what + "; devices take up to " + std::to_string(most);
    };
    if (vertices > coloring_max_vertices) return more_than(vertices, " vertices", coloring_max_vertices);
    if (colors > coloring_max_colors) return more_than(colors, " colours", coloring_max_colors);
    return {};
}

}  // namespace cupool::detail
