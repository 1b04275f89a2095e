#include <algorithm>
#include <cupool/kernels/undirected_graph.hpp>
#include <string>

namespace cupool {

namespace {

std::string text_of(const Edge& edge) { return "(" + std::to_string(edge.first) + ", " + std::to_string(edge.second) + ")"; }

}  // namespace

UndirectedGraph::UndirectedGraph(std::uint32_t vertex_count, std::span<const Edge> edges, SourceLocation where)
    : begins_(std::size_t{vertex_count} + 1) {
    for (const Edge& edge : edges) {
        if (edge.first >= vertex_count || edge.second >= vertex_count) {
            throw Error(ErrorCategory::invalid_argument,
                        "graph: the edge " + text_of(edge) + " ends at no vertex; there are " + std::to_string(vertex_count), where);
        }
        if (edge.first == edge.second) {
            throw Error(ErrorCategory::invalid_argument, "graph: the edge " + text_of(edge) + " ends where it begins", where);
        }
        ++begins_[edge.first + 1];
        ++begins_[edge.second + 1];
    }
    for (std::size_t v = 0; v < vertex_count; ++v) begins_[v + 1] += begins_[v];
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    std::vector<std::uint32_t> all(2 * edges.size());
    for (const Edge& edge : edges) {
        all[next[edge.first]++] = edge.second;
        all[next[edge.second]++] = edge.first;
    }
    neighbours_.reserve(all.size());
    for (std::size_t v = 0; v < vertex_count; ++v) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(begins_[v]);
        const auto last = all.begin() + static_cast<std::ptrdiff_t>(begins_[v + 1]);
        std::sort(first, last);
        begins_[v] = neighbours_.size();
        std::unique_copy(first, last, std::back_inserter(neighbours_));
    }
    begins_[vertex_count] = neighbours_.size();
}

bool UndirectedGraph::are_neighbours(std::uint32_t vertex, std::uint32_t other) const {
    const std::span<const std::uint32_t> all = neighbours(vertex);
    return std::binary_search(all.begin(), all.end(), other);
}

std::uint64_t coloring_conflicts(const UndirectedGraph& graph, std::span<const std::uint16_t> colors, SourceLocation where) {
    if (colors.size() != graph.vertex_count()) {
        throw Error(
            ErrorCategory::invalid_argument,
            "coloring_conflicts: " + std::to_string(colors.size()) + " colours for " + std::to_string(graph.vertex_count()) + " vertices",
            where);
    }
    std::uint64_t conflicts = 0;
    for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
        for (const std::uint32_t u : graph.neighbours(v)) conflicts += u < v && colors[u] == colors[v] ? 1 : 0;
    }
    return conflicts;
}

}  // namespace cupool
