#include "coloring/host_coloring.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cupool::detail {

namespace {

/// A colouring with its table of neighbours by colour.
class Colouring {
public:
    Colouring(const HostColoringJob& job, std::vector<std::uint16_t> own_colors)
        : job_(job), colors_(std::move(own_colors)), table_(std::size_t{job.color_count} * colors_.size()), place_(colors_.size(), none) {
        for (std::uint32_t vertex = 0; vertex < colors_.size(); ++vertex) {
            for (const std::uint32_t neighbour : job.graph.neighbours(vertex)) ++count(neighbour, colors_[vertex]);
        }
        for (std::uint32_t vertex = 0; vertex < colors_.size(); ++vertex) {
            conflicts_ += count(vertex, colors_[vertex]);
            note(vertex);
        }
        conflicts_ /= 2;
    }

    std::uint32_t conflicts() const { return conflicts_; }
    const std::vector<std::uint16_t>& colors() const { return colors_; }

    /// Recolours a vertex in conflict. \return whether it got another colour
    bool step(std::uint32_t number) {
        const bool is_small = colors_.size() <= coloring_max_vertices && job_.color_count <= coloring_max_colors;
        const std::uint32_t vertex = is_small ? choose_as_lanes(number) : choose_in_list(number);
        const std::uint32_t color = choose_color(number, vertex);
        if (color == colors_[vertex]) return false;
        recolor(vertex, static_cast<std::uint16_t>(color));
        return true;
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    std::uint32_t& count(std::uint32_t vertex, std::uint32_t color) { return table_[std::size_t{vertex} * job_.color_count + color]; }

    /// The choice of the lanes of a device's warp.
    std::uint32_t choose_as_lanes(std::uint32_t number) const {
        std::uint32_t least = none;
        for (std::uint32_t lane = 0; lane < coloring_lanes; ++lane) {
            const std::uint32_t bits = conflict_bits_[lane];
            if (bits == 0) continue;
            const ColoringDraw draw = coloring_draw(coloring_lane_key(job_.key, lane), number);
            const std::uint32_t turn = draw.first & 31;
            const std::uint32_t turned = turn == 0 ? bits : bits >> turn | bits << (32 - turn);
            const std::uint32_t bit = (static_cast<std::uint32_t>(__builtin_ctz(turned)) + turn) & 31;
            least = std::min(least, coloring_vertex_rank(draw, (bits & (bits - 1)) != 0, coloring_vertex_of_bit(bit, lane)));
        }
        return least & 1023;
    }
    std::uint32_t choose_in_list(std::uint32_t number) const {
        const ColoringDraw draw = coloring_draw(coloring_lane_key(job_.key, 0), number);
        return in_conflict_[coloring_below(draw.first, static_cast<std::uint32_t>(in_conflict_.size()))];
    }

    /// Lane l of a warp weighs the colours l, l + 32, ... On devices the rank and the colour share a word; the host takes any number of
    /// colours.
    std::uint32_t choose_color(std::uint32_t number, std::uint32_t vertex) {
        std::pair<std::uint64_t, std::uint32_t> least(~std::uint64_t{0}, 0);
        for (std::uint32_t lane = 0; lane < coloring_lanes; ++lane) {
            std::uint32_t random = coloring_first_of_colors(coloring_draw(coloring_lane_key(job_.key, lane), number));
            for (std::uint32_t color = lane; color < job_.color_count; color += coloring_lanes) {
                random = coloring_next(random);
                const std::uint64_t weight = std::uint64_t{count(vertex, color)} * job_.scale + coloring_logarithm(random | 1);
                least = std::min(least, std::pair(weight >> 7, color));
            }
        }
        return least.second;
    }

    void recolor(std::uint32_t vertex, std::uint16_t color) {
        const std::uint16_t before = colors_[vertex];
        conflicts_ += count(vertex, color);
        conflicts_ -= count(vertex, before);
        colors_[vertex] = color;
        for (const std::uint32_t neighbour : job_.graph.neighbours(vertex)) {
            --count(neighbour, before);
            ++count(neighbour, color);
            if (colors_[neighbour] == before || colors_[neighbour] == color) note(neighbour);
        }
        note(vertex);
    }

    /// Notes whether a vertex is in conflict.
    void note(std::uint32_t vertex) {
        const bool is_in_conflict = count(vertex, colors_[vertex]) != 0;
        if (is_in_conflict == (place_[vertex] != none)) return;
        if (is_in_conflict) {
            place_[vertex] = static_cast<std::uint32_t>(in_conflict_.size());
            in_conflict_.push_back(vertex);
        } else {
            in_conflict_[place_[vertex]] = in_conflict_.back();
            place_[in_conflict_.back()] = place_[vertex];
            in_conflict_.pop_back();
            place_[vertex] = none;
        }
        if (vertex < coloring_max_vertices) conflict_bits_[coloring_lane_of(vertex)] ^= 1U << coloring_bit_of(vertex);
    }

    const HostColoringJob& job_;
    std::vector<std::uint16_t> colors_;
    std::vector<std::uint32_t> table_;                           // [vertex][colour]: neighbours
    std::vector<std::uint32_t> in_conflict_;                     // the vertices in conflict
    std::vector<std::uint32_t> place_;                           // of each vertex in that list
    std::array<std::uint32_t, coloring_lanes> conflict_bits_{};  // the same as the lanes of a warp have it
    std::uint32_t conflicts_ = 0;
};

constexpr std::uint16_t no_color = 0xffff;

/// Gives the vertices without a colour random ones. \return how many there were
std::uint32_t color_the_rest(const HostColoringJob& job, std::vector<std::uint16_t>& colors) {
    std::uint32_t left = 0;
    for (std::uint32_t vertex = 0; vertex < colors.size(); ++vertex) {
        if (colors[vertex] != no_color) continue;
        colors[vertex] = static_cast<std::uint16_t>(coloring_random_color(job.key, vertex, job.color_count));
        ++left;
    }
    return left;
}

/// Greedy partition crossover: see the kernel. \return the vertices that no class has
std::uint32_t cross(const HostColoringJob& job, std::vector<std::uint16_t>& colors) {
    const std::span<const std::uint16_t> parents[2] = {job.first, job.second};
    std::vector<std::vector<std::uint32_t>> classes[2];
    std::vector<std::uint32_t> sizes[2];
    for (int parent = 0; parent < 2; ++parent) {
        classes[parent].resize(job.color_count);
        for (std::uint32_t vertex = 0; vertex < colors.size(); ++vertex) classes[parent][parents[parent][vertex]].push_back(vertex);
        for (const auto& members : classes[parent]) sizes[parent].push_back(static_cast<std::uint32_t>(members.size()));
    }
    for (std::uint32_t color = 0; color < job.color_count; ++color) {
        const std::uint32_t parent = color & 1;
        std::uint64_t best = 0;
        std::uint32_t taken = 0;
        for (std::uint32_t i = 0; i < job.color_count; ++i) {
            // As coloring_class_rank(), whose number of colours is limited.
            const std::uint64_t rank = std::uint64_t{sizes[parent][i]} << 32 | (coloring_mix(job.key + color * 128 + i) & 511) << 16 | i;
            if (rank > best) {
                best = rank;
                taken = i;
            }
        }
        if (sizes[parent][taken] == 0) continue;
        for (const std::uint32_t vertex : classes[parent][taken]) {
            if (colors[vertex] != no_color) continue;
            colors[vertex] = static_cast<std::uint16_t>(color);
            --sizes[0][parents[0][vertex]];
            --sizes[1][parents[1][vertex]];
        }
    }
    return color_the_rest(job, colors);
}

}  // namespace

ColoringResult color_on_host(const HostColoringJob& job, std::span<std::uint16_t> colors) {
    std::vector<std::uint16_t> first(colors.size(), no_color);
    ColoringResult result{};
    result.unassigned = job.first.empty() ? color_the_rest(job, first) : cross(job, first);
    Colouring colouring(job, std::move(first));
    std::copy(colouring.colors().begin(), colouring.colors().end(), colors.begin());
    result.conflicts = colouring.conflicts();
    for (; result.steps < job.steps && colouring.conflicts() != 0; ++result.steps) {
        if (!colouring.step(result.steps)) continue;
        ++result.moves;
        if (colouring.conflicts() >= result.conflicts) continue;
        result.conflicts = colouring.conflicts();
        std::copy(colouring.colors().begin(), colouring.colors().end(), colors.begin());
    }
    return result;
}

}  // namespace cupool::detail
