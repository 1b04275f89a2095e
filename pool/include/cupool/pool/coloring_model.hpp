#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/undirected_graph.hpp>
#include <cupool/pool/replica_model.hpp>
#include <span>
#include <vector>

namespace cupool {

/// The colourings of a graph in a fixed number of colours, for replica exchange: the antiferromagnetic Potts model. The energy is the
/// number of edges with two ends of one colour. A sweep proposes as many new colours as the graph has vertices, each for a random vertex,
/// and decides by Metropolis' rule. A state has a byte for each vertex, its colour; the first state is random. For the fastest way to a
/// proper colouring see ColoringSearch, whose chain does not sample the Boltzmann distribution.
/// \param graph  of 1 to 1024 vertices. A replica's table lies in shared memory and counts in bytes: a run in which more than 128 vertices
/// get one colour ends with invalid_argument, as after an energy that is no number \param colors  1 to 120
/// \throws Error invalid_argument
ReplicaModel coloring_model(const UndirectedGraph& graph, std::uint32_t colors, SourceLocation where = SourceLocation::current());

/// The colours of the vertices in a state of coloring_model(). \throws Error invalid_argument if the state is too short
std::vector<std::uint16_t> colors_of_state(const UndirectedGraph& graph, std::span<const std::byte> state,
                                           SourceLocation where = SourceLocation::current());

}  // namespace cupool
