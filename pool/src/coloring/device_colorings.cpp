#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <string>
#include <utility>

#include "coloring/coloring_code.hpp"
#include "coloring/coloring_engine.hpp"
#include "coloring/coloring_limits.hpp"
#include "fixed_members.hpp"

namespace cupool::detail {

namespace {

constexpr std::uint8_t no_color = 127;  // of the places behind the last vertex

/// How many colourings fit into a block's shared memory, one for a warp.
std::uint32_t colourings_a_block(const DeviceContext& context, const UndirectedGraph& graph, std::uint32_t colors) {
    constexpr std::uint32_t most_warps = 32;
    const auto shared_bytes =
        static_cast<std::uint32_t>(context.context().device().attribute(abi::DeviceAttribute::max_shared_memory_per_block_optin));
    const std::uint32_t bytes = 4 * coloring_memory_words(graph.vertex_count(), colors);
    if (bytes > shared_bytes) {
        throw Error(ErrorCategory::unsupported, "coloring: a colouring takes " + std::to_string(bytes) +
                                                    " bytes of shared memory; device " + std::to_string(context.device()) + " has " +
                                                    std::to_string(shared_bytes) +
                                                    " for a block. Search on the host (a pool of it, or --engine host)");
    }
    return std::min(shared_bytes / bytes, most_warps);
}

void require_small(const UndirectedGraph& graph, std::uint32_t colors) {
    const std::string why = why_too_large(graph.vertex_count(), colors);
    if (why.empty()) return;
    throw Error(ErrorCategory::unsupported, "coloring: " + why + ". Search on the host (a pool of it, or --engine host)");
}

/// The groups of one device: those whose number is `first` modulo `stride`. Partners and results go through page-locked memory that the
/// device reads and writes itself.
class ColoringsOfDevice {
public:
    ColoringsOfDevice(const UndirectedGraph& graph, const ColoringPlan& plan, const DeviceContext& context, std::uint32_t first,
                      std::uint32_t stride)
        : plan_(plan),
          context_(context),
          first_(first),
          stride_(stride),
          rows_((plan.group_count() - first + stride - 1) / stride * plan.group),
          vertices_(graph.vertex_count()),
          row_bytes_(4 * coloring_lanes * coloring_lane_words(vertices_)),
          warps_(colourings_a_block(context, graph, plan.color_count)),
          module_(load_coloring(context.context(), vertices_)),
          kernel_(coloring_kernel(module_, plan.color_count)),
          adjacency_(0, context),
          parents_(rows_ * row_bytes_, context),
          children_(rows_ * row_bytes_, context),
          scales_(rows_, context),
          numbers_(rows_, context),
          partners_(rows_, context.context()),
          results_(rows_, context.context()),
          partners_on_device_(partners_.device_span().pointer()),
          results_on_device_(results_.device_span().pointer()) {
        const std::vector<std::uint8_t> adjacency = coloring_adjacency(graph);
        adjacency_ = DeviceBuffer<std::uint8_t>(adjacency.size(), context);
        std::vector<std::uint32_t> scales(rows_);
        std::vector<std::uint32_t> numbers(rows_);
        for (std::uint32_t row = 0; row < rows_; ++row) {
            numbers[row] = number_of(row);
            scales[row] = plan.scales[numbers[row] / plan.group];
        }
        copy(adjacency_.span(), std::span<const std::uint8_t>(adjacency), context.stream());
        copy(scales_.span(), std::span<const std::uint32_t>(scales), context.stream());
        copy(numbers_.span(), std::span<const std::uint32_t>(numbers), context.stream());
        fill_bytes_async(parents_.span(), no_color, context.stream());
        kernel_.set_max_dynamic_shared_bytes(shared_bytes(graph));
        job_ = {.adjacency = adjacency_.span().pointer(),
                .parents = 0,
                .children = 0,
                .partners = partners_on_device_,
                .results = results_on_device_,
                .scales = scales_.span().pointer(),
                .numbers = numbers_.span().pointer(),
                .vertex_count = vertices_,
                .color_count = plan.color_count,
                .row_words = coloring_row_words(vertices_),
                .coloring_words = coloring_memory_words(vertices_, plan.color_count),
                .steps = plan.steps,
                .seed = plan.seed,
                .generation = 0,
                .rows = rows_};
    }

    /// Queues a generation. \param partners  of the whole population
    void start(std::uint32_t generation, std::span<const std::uint32_t> partners) {
        for (std::uint32_t row = 0; row < rows_; ++row) {
            const std::uint32_t partner = partners[number_of(row)];
            partners_[row] = partner == coloring_begins_anew ? partner : row_of(partner);
        }
        job_.generation = generation;
        job_.parents = parents_.span().pointer();
        job_.children = children_.span().pointer();
        const LaunchShape shape{.grid = (rows_ + warps_ - 1) / warps_,
                                .block = warps_ * coloring_lanes,
                                .dynamic_shared_bytes = warps_ * 4 * job_.coloring_words};
        kernel_.launch(shape, context_.stream(), job_);
    }
    /// Waits for it. \param results  of the whole population
    void finish(std::span<ColoringResult> results) {
        context_.stream().synchronize();
        for (std::uint32_t row = 0; row < rows_; ++row) results[number_of(row)] = results_[row];
        std::swap(parents_, children_);
    }

    std::vector<std::uint16_t> read(std::uint32_t number) {
        std::vector<std::uint8_t> row(vertices_);
        copy(std::span(row), DeviceSpan<const std::uint8_t>(row_on_device(number)), context_.stream());
        return {row.begin(), row.end()};
    }
    void write(std::uint32_t number, std::span<const std::uint16_t> colors) {
        std::vector<std::uint8_t> row;
        for (const std::uint16_t color : colors) row.push_back(static_cast<std::uint8_t>(color));
        copy(row_on_device(number), std::span<const std::uint8_t>(row), context_.stream());
    }
    const DeviceContext& context() const { return context_; }

private:
    /// The number in the whole population of a row, and the reverse.
    std::uint32_t number_of(std::uint32_t row) const { return (row / plan_.group * stride_ + first_) * plan_.group + row % plan_.group; }
    std::uint32_t row_of(std::uint32_t number) const { return number / plan_.group / stride_ * plan_.group + number % plan_.group; }
    unsigned shared_bytes(const UndirectedGraph& graph) const {
        return warps_ * 4 * coloring_memory_words(graph.vertex_count(), plan_.color_count);
    }
    DeviceSpan<std::uint8_t> row_on_device(std::uint32_t number) {
        return parents_.span().subspan(std::size_t{row_of(number)} * row_bytes_, vertices_);
    }

    const ColoringPlan& plan_;
    DeviceContext context_;
    std::uint32_t first_;
    std::uint32_t stride_;
    std::uint32_t rows_;
    std::uint32_t vertices_;
    std::uint32_t row_bytes_;
    std::uint32_t warps_;  ///< of a block
    Module module_;
    Kernel<ColoringJob> kernel_;
    DeviceBuffer<std::uint8_t> adjacency_;
    DeviceBuffer<std::uint8_t> parents_;
    DeviceBuffer<std::uint8_t> children_;
    DeviceBuffer<std::uint32_t> scales_;
    DeviceBuffer<std::uint32_t> numbers_;
    PinnedBuffer<std::uint32_t> partners_;
    PinnedBuffer<ColoringResult> results_;
    abi::DevicePointer partners_on_device_;
    abi::DevicePointer results_on_device_;
    ColoringJob job_{};
};

class DeviceColorings final : public ColoringEngine {
public:
    DeviceColorings(PoolState& pool, const UndirectedGraph& graph, const ColoringPlan& plan)
        : plan_(plan),
          parts_(pool, plan.group_count(), "coloring", [&](const DeviceContext& context, std::uint32_t first, std::uint32_t stride) {
              return std::make_unique<ColoringsOfDevice>(graph, plan, context, first, stride);
          }) {}

    void require_ready() const override { parts_.require_no_quarantine(); }
    void advance(std::uint32_t generation, std::span<const std::uint32_t> partners, std::span<ColoringResult> results) override {
        parts_.run([&](ColoringsOfDevice& part) { part.start(generation, partners); },
                   [&](ColoringsOfDevice& part) { part.finish(results); });
        bytes_ += partners.size_bytes() + results.size_bytes();
    }
    std::vector<std::uint16_t> read(std::uint32_t colouring) override {
        std::vector<std::uint16_t> colors;
        parts_.run_on(colouring / plan_.group, [&](ColoringsOfDevice& part) { colors = part.read(colouring); });
        bytes_ += colors.size();
        return colors;
    }
    void write(std::uint32_t colouring, std::span<const std::uint16_t> colors) override {
        parts_.run_on(colouring / plan_.group, [&](ColoringsOfDevice& part) { part.write(colouring, colors); });
        bytes_ += colors.size();
    }
    std::uint64_t bytes() const override { return bytes_; }
    std::vector<int> devices() const override { return parts_.ordinals(); }

private:
    const ColoringPlan& plan_;
    FixedMembers<ColoringsOfDevice> parts_;
    std::uint64_t bytes_ = 0;
};

}  // namespace

std::uint32_t population_of_devices(PoolState& pool, const UndirectedGraph& graph, std::uint32_t colors, std::uint32_t group) {
    require_small(graph, colors);
    std::uint32_t groups = 0;
    for (const std::size_t member : pool.healthy()) {
        pool.run(member, [&](std::size_t, const DeviceContext& context) {
            const auto multiprocessors = static_cast<std::uint32_t>(context.context().device().multiprocessor_count());
            groups += std::max(colourings_a_block(context, graph, colors) * multiprocessors / group, 1U);
        });
    }
    return groups * group;
}

std::unique_ptr<ColoringEngine> make_device_colorings(PoolState& pool, const UndirectedGraph& graph, const ColoringPlan& plan) {
    require_small(graph, plan.color_count);
    return std::make_unique<DeviceColorings>(pool, graph, plan);
}

}  // namespace cupool::detail
