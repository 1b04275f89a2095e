#include "checks/coloring_check.hpp"

#include <algorithm>
#include <string>

#include "program/outcome.hpp"

namespace cupool::tools {

void check_coloring(const DimacsGraph& graph, std::uint32_t colors, const Coloring& coloring) {
    const auto refuse = [](const std::string& problem) { throw CheckFailed("the search returned a wrong colouring: " + problem); };
    const auto& colors_of = coloring.colors;
    if (colors_of.size() != graph.vertex_count)
        refuse("it colours " + std::to_string(colors_of.size()) + " of " + std::to_string(graph.vertex_count) + " vertices");
    const auto beyond = std::find_if(colors_of.begin(), colors_of.end(), [colors](std::uint16_t color) { return color >= colors; });
    if (beyond != colors_of.end()) refuse("it has colour " + std::to_string(*beyond) + ", but there are " + std::to_string(colors));
    std::uint64_t conflicts = 0;
    for (const Edge& edge : graph.edges) conflicts += colors_of[edge.first] == colors_of[edge.second] ? 1 : 0;
    if (conflicts != coloring.conflicts)
        refuse("it has " + std::to_string(conflicts) + " conflicts, but says " + std::to_string(coloring.conflicts));
}

}  // namespace cupool::tools
