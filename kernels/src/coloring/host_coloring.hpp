#pragma once

#include <cstdint>
#include <cupool/kernels/undirected_graph.hpp>
#include <span>
#include <vector>

#include "coloring/coloring_job.hpp"

namespace cupool::detail {

/// A generation of one colouring on the host. For graphs that devices take it gives what they give.
struct HostColoringJob {
    const UndirectedGraph& graph;
    std::uint32_t color_count;
    std::uint32_t steps;
    std::uint32_t key;                     ///< coloring_key()
    std::uint32_t scale;                   ///< the weight of a conflict
    std::span<const std::uint16_t> first;  ///< the parents; empty: the colouring begins at random
    std::span<const std::uint16_t> second;
};

/// \param colors  to write: the best colouring
ColoringResult color_on_host(const HostColoringJob& job, std::span<std::uint16_t> colors);

}  // namespace cupool::detail
