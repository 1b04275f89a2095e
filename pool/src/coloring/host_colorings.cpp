#include <utility>

#include "coloring/coloring_engine.hpp"
#include "coloring/host_coloring.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

namespace {

class HostColorings final : public ColoringEngine {
public:
    HostColorings(PoolState& pool, const UndirectedGraph& graph, const ColoringPlan& plan)
        : graph_(graph),
          plan_(plan),
          threads_(pool.member(0).context().host_threads()),
          parents_(plan.population(), std::vector<std::uint16_t>(graph.vertex_count())),
          children_(parents_) {}

    void advance(std::uint32_t generation, std::span<const std::uint32_t> partners, std::span<ColoringResult> results) override {
        parallel_for(plan_.population(), threads_, [&](std::size_t i) {
            const auto number = static_cast<std::uint32_t>(i);
            HostColoringJob job{.graph = graph_,
                                .color_count = plan_.color_count,
                                .steps = plan_.steps,
                                .key = coloring_key(plan_.seed, number, generation),
                                .scale = plan_.scales[i / plan_.group],
                                .first = {},
                                .second = {}};
            if (partners[i] != coloring_begins_anew) {
                job.first = parents_[i];
                job.second = parents_[partners[i]];
            }
            results[i] = color_on_host(job, children_[i]);
        });
        std::swap(parents_, children_);
    }
    std::vector<std::uint16_t> read(std::uint32_t colouring) override { return parents_[colouring]; }
    void write(std::uint32_t colouring, std::span<const std::uint16_t> colors) override {
        parents_[colouring].assign(colors.begin(), colors.end());
    }
    std::uint64_t bytes() const override { return 0; }
    std::vector<int> devices() const override { return {}; }

private:
    const UndirectedGraph& graph_;
    const ColoringPlan& plan_;
    unsigned threads_;
    std::vector<std::vector<std::uint16_t>> parents_;
    std::vector<std::vector<std::uint16_t>> children_;
};

}  // namespace

std::unique_ptr<ColoringEngine> make_host_colorings(PoolState& pool, const UndirectedGraph& graph, const ColoringPlan& plan) {
    return std::make_unique<HostColorings>(pool, graph, plan);
}

}  // namespace cupool::detail
