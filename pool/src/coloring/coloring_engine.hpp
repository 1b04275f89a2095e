#pragma once

#include <cstdint>
#include <cupool/kernels/undirected_graph.hpp>
#include <memory>
#include <span>
#include <vector>

#include "coloring/coloring_job.hpp"
#include "pool_state.hpp"

namespace cupool::detail {

/// What all generations of a search have in common.
struct ColoringPlan {
    std::uint32_t color_count;
    std::uint32_t seed;
    std::uint32_t steps;
    std::uint32_t group;                ///< colourings of a group
    std::vector<std::uint32_t> scales;  ///< of each group: the weight of a conflict

    std::uint32_t group_count() const { return static_cast<std::uint32_t>(scales.size()); }
    std::uint32_t population() const { return group * group_count(); }
};

/// A population of colourings, where it lives. Colouring i is in group i / group.
class ColoringEngine {
public:
    virtual ~ColoringEngine() = default;

    /// \throws Error if the engine cannot advance now; nothing is changed then
    virtual void require_ready() const {}
    /// Makes a generation. \param partners  of each colouring: another of its group, or coloring_begins_anew \param results  to write
    virtual void advance(std::uint32_t generation, std::span<const std::uint32_t> partners, std::span<ColoringResult> results) = 0;
    virtual std::vector<std::uint16_t> read(std::uint32_t colouring) = 0;
    virtual void write(std::uint32_t colouring, std::span<const std::uint16_t> colors) = 0;
    virtual std::uint64_t bytes() const = 0;
    virtual std::vector<int> devices() const = 0;
};

/// How many colourings the pool's devices advance at a time, in whole groups: a block of threads on each multiprocessor, with as many as
/// its shared memory holds. \throws Error unsupported if the graph is too large
std::uint32_t population_of_devices(PoolState& pool, const UndirectedGraph& graph, std::uint32_t colors, std::uint32_t group);

/// \param graph, plan  must outlive the engine
std::unique_ptr<ColoringEngine> make_host_colorings(PoolState& pool, const UndirectedGraph& graph, const ColoringPlan& plan);
std::unique_ptr<ColoringEngine> make_device_colorings(PoolState& pool, const UndirectedGraph& graph, const ColoringPlan& plan);

}  // namespace cupool::detail
