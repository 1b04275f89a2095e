#include <algorithm>
#include <cmath>
#include <cstring>
#include <cupool/pool/coloring_model.hpp>
#include <limits>
#include <string>

#include "coloring/coloring_code.hpp"
#include "coloring/coloring_limits.hpp"

namespace cupool {

namespace {

using detail::ColoringModelData;
using detail::ColoringTemperature;

void describe_temperature(double temperature, std::span<std::byte> description) {
    ColoringTemperature described{};
    for (std::size_t i = 0; i < std::size(described.accept); ++i) {
        const double probability = std::exp(-static_cast<double>(i + 1) / temperature);
        described.accept[i] = static_cast<std::uint32_t>(std::min(probability * 0x1p32, 0x1p32 - 1));
    }
    std::memcpy(description.data(), &described, sizeof described);
}

/// Sweeps of a replica on the host, which keeps no table between calls.
class HostSweeps {
public:
    HostSweeps(const UndirectedGraph& graph, std::uint32_t colors, std::span<std::byte> state)
        : graph_(graph),
          colors_(colors),
          state_(reinterpret_cast<std::uint8_t*>(state.data())),
          table_(std::size_t{colors} * graph.vertex_count()),
          class_sizes_(colors) {
        for (std::uint32_t vertex = 0; vertex < graph.vertex_count(); ++vertex) {
            for (const std::uint32_t neighbour : graph.neighbours(vertex)) ++count(neighbour, state_[vertex]);
            if (++class_sizes_[state_[vertex]] > detail::coloring_max_class) has_overflown_ = true;
        }
    }

    void sweep(const ColoringTemperature& temperature, std::uint64_t seed, std::uint32_t replica, std::uint64_t sweep) {
        for (std::uint32_t i = 0; i < graph_.vertex_count() && !has_overflown_; ++i) {
            const detail::ColoringProposal proposal = detail::coloring_proposal(seed, replica, sweep, i, graph_.vertex_count(), colors_);
            const std::uint8_t from = state_[proposal.vertex];
            if (proposal.color == from) continue;
            const std::uint32_t before = count(proposal.vertex, from);
            const std::uint32_t after = count(proposal.vertex, proposal.color);
            if (!detail::coloring_accepts(temperature, before, after, proposal.random)) continue;
            state_[proposal.vertex] = static_cast<std::uint8_t>(proposal.color);
            --class_sizes_[from];
            has_overflown_ = ++class_sizes_[proposal.color] > detail::coloring_max_class;
            for (const std::uint32_t neighbour : graph_.neighbours(proposal.vertex)) {
                --count(neighbour, from);
                ++count(neighbour, proposal.color);
            }
        }
    }
    /// NaN if a class became too large for devices, from which the host must not differ.
    double energy() {
        if (has_overflown_) return std::numeric_limits<double>::quiet_NaN();
        std::uint64_t twice = 0;
        for (std::uint32_t vertex = 0; vertex < graph_.vertex_count(); ++vertex) twice += count(vertex, state_[vertex]);
        return static_cast<double>(twice / 2);
    }

private:
    std::uint32_t& count(std::uint32_t vertex, std::uint32_t color) { return table_[std::size_t{vertex} * colors_ + color]; }

    const UndirectedGraph& graph_;
    std::uint32_t colors_;
    std::uint8_t* state_;
    std::vector<std::uint32_t> table_;
    std::vector<std::uint32_t> class_sizes_;
    bool has_overflown_ = false;
};

std::vector<std::byte> model_data(const UndirectedGraph& graph, std::uint32_t colors) {
    const ColoringModelData head{graph.vertex_count(), colors, detail::coloring_row_words(graph.vertex_count()),
                                 detail::coloring_memory_words(graph.vertex_count(), colors)};
    const std::vector<std::uint8_t> adjacency = detail::coloring_adjacency(graph);
    std::vector<std::byte> data(sizeof head + adjacency.size());
    std::memcpy(data.data(), &head, sizeof head);
    std::memcpy(data.data() + sizeof head, adjacency.data(), adjacency.size());
    return data;
}

}  // namespace

ReplicaModel coloring_model(const UndirectedGraph& graph, std::uint32_t colors, SourceLocation where) {
    const std::uint32_t vertices = graph.vertex_count();
    if (vertices == 0 || colors == 0)
        throw Error(ErrorCategory::invalid_argument, "coloring_model: there are no vertices, or no colours", where);
    const std::string why = detail::why_too_large(vertices, colors);
    if (!why.empty()) throw Error(ErrorCategory::invalid_argument, "coloring_model: " + why, where);
    constexpr std::uint32_t shared_bytes_of_block = 48 << 10;
    constexpr std::uint32_t most_replicas_a_block = 8;
    const std::uint32_t bytes = 4 * detail::coloring_memory_words(vertices, colors);
    ReplicaModel model;
    model.name = "coloring " + std::to_string(vertices) + " vertices in " + std::to_string(colors);
    model.state_bytes = std::size_t{4} * detail::coloring_lanes * detail::coloring_lane_words(vertices);
    model.data = model_data(graph, colors);
    model.temperature_bytes = sizeof(ColoringTemperature);
    model.replicas_per_block = std::clamp(shared_bytes_of_block / bytes, 1U, most_replicas_a_block);
    model.block_size = model.replicas_per_block * detail::coloring_lanes;
    model.shared_bytes = model.replicas_per_block * bytes;
    model.kernel = "coloring_metropolis";
    model.shipped_code = &detail::coloring_code(vertices);
    model.describe_temperature = describe_temperature;
    model.initialise = [vertices, colors](std::uint32_t replica, std::uint64_t seed, std::span<std::byte> state) {
        constexpr std::byte no_color{127};
        std::ranges::fill(state, no_color);
        for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
            const detail::RandomWords random = detail::random_words(seed, detail::RandomStream::first_states, replica, 0, vertex);
            state[vertex] = static_cast<std::byte>(detail::coloring_below(random.words[0], colors));
        }
    };
    model.accepts_state = [vertices, colors](std::span<const std::byte> state) {
        return std::ranges::all_of(state.first(vertices), [colors](std::byte color) { return static_cast<std::uint32_t>(color) < colors; });
    };
    model.advance_on_host = [graph, colors](const HostReplica& replica) {
        HostSweeps sweeps(graph, colors, replica.state);
        const auto& temperature = *reinterpret_cast<const ColoringTemperature*>(replica.temperature.data());
        for (std::uint64_t i = 0; i < replica.sweeps; ++i)
            sweeps.sweep(temperature, replica.seed, replica.replica, replica.first_sweep + i);
        return sweeps.energy();
    };
    return model;
}

std::vector<std::uint16_t> colors_of_state(const UndirectedGraph& graph, std::span<const std::byte> state, SourceLocation where) {
    if (state.size() < graph.vertex_count()) {
        throw Error(ErrorCategory::invalid_argument,
                    "colors_of_state: " + std::to_string(state.size()) + " bytes are no state of a graph of " +
                        std::to_string(graph.vertex_count()) + " vertices",
                    where);
    }
    std::vector<std::uint16_t> colors;
    for (const std::byte byte : state.first(graph.vertex_count())) colors.push_back(static_cast<std::uint16_t>(byte));
    return colors;
}

}  // namespace cupool
