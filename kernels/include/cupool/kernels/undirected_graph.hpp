#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/error.hpp>
#include <span>
#include <vector>

namespace cupool {

/// An edge between two vertices.
struct Edge {
    std::uint32_t first = 0;   ///< a vertex
    std::uint32_t second = 0;  ///< the other
};

/// A simple undirected graph. Vertices are numbered from 0.
class UndirectedGraph {
public:
    /// No vertices.
    UndirectedGraph() = default;
    /// \param edges  in any order; an edge that comes twice, in either direction, counts once
    /// \throws Error invalid_argument (an edge ends at no vertex, or where it began)
    UndirectedGraph(std::uint32_t vertex_count, std::span<const Edge> edges, SourceLocation where = SourceLocation::current());

    /// Isolated vertices count, too.
    std::uint32_t vertex_count() const noexcept { return static_cast<std::uint32_t>(begins_.empty() ? 0 : begins_.size() - 1); }
    /// Different edges.
    std::size_t edge_count() const noexcept { return neighbours_.size() / 2; }
    /// The neighbours of a vertex, in rising order. \pre there is such a vertex
    std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const {
        return std::span(neighbours_).subspan(begins_[vertex], begins_[vertex + 1] - begins_[vertex]);
    }
    /// Whether an edge joins two vertices. \pre there are such vertices
    bool are_neighbours(std::uint32_t vertex, std::uint32_t other) const;

private:
    std::vector<std::size_t> begins_;  // of each vertex's neighbours, and the end of the last one's
    std::vector<std::uint32_t> neighbours_;
};

/// How many edges join two vertices of one colour: 0 if the colouring is proper. \param colors  of each vertex \throws Error
/// invalid_argument if there are not as many as vertices
std::uint64_t coloring_conflicts(const UndirectedGraph& graph, std::span<const std::uint16_t> colors,
                                 SourceLocation where = SourceLocation::current());

}  // namespace cupool
