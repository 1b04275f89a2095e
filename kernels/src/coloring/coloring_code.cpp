#include "coloring/coloring_code.hpp"

#include <algorithm>
#include <string>

#include "support/shipped_code.hpp"

namespace cupool::detail {

std::uint32_t coloring_lane_words(std::uint32_t vertices) {
    std::uint32_t words = 1;
    while (4 * coloring_lanes * words < vertices) words *= 2;
    return words;
}

std::uint32_t coloring_row_words(std::uint32_t vertices) { return (vertices + 3) / 4 | 1; }

std::uint32_t coloring_memory_words(std::uint32_t vertices, std::uint32_t colors) {
    constexpr std::uint32_t words_of_crossover = 256;
    const std::uint32_t words = std::max(coloring_row_words(vertices) * (colors + 1) + colors, words_of_crossover);
    return (words + 3) / 4 * 4;
}

std::vector<std::uint8_t> coloring_adjacency(const UndirectedGraph& graph) {
    const std::uint32_t entry_bytes = coloring_lane_words(graph.vertex_count()) == 8 ? 4 : 2;
    std::vector<std::uint8_t> adjacency(std::size_t{graph.vertex_count()} * coloring_lanes * entry_bytes);
    for (std::uint32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
        for (const std::uint32_t neighbour : graph.neighbours(vertex)) {
            const std::uint32_t bit = 4 * (neighbour / 128) + neighbour % 4;
            const std::size_t entry = std::size_t{vertex} * coloring_lanes + coloring_lane_of(neighbour);
            adjacency[entry * entry_bytes + bit / 8] |= static_cast<std::uint8_t>(1 << bit % 8);
        }
    }
    return adjacency;
}

const ShippedCode& coloring_code(std::uint32_t vertices) {
    switch (coloring_lane_words(vertices)) {
        case 1: return coloring_128_code;
        case 2: return coloring_256_code;
        case 4: return coloring_512_code;
        default: return coloring_1024_code;
    }
}

Module load_coloring(ContextView context, std::uint32_t vertices) { return load(context, coloring_code(vertices)); }

Kernel<ColoringJob> coloring_kernel(const Module& module, std::uint32_t colors) {
    return module.kernel<ColoringJob>("coloring_search_" + std::to_string((colors + 31) / 32 * 32));
}

}  // namespace cupool::detail
