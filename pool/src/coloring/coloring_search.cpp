#include <algorithm>
#include <chrono>
#include <cmath>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/coloring_search.hpp>
#include <mutex>
#include <numeric>
#include <string>

#include "checkpoint/checkpoint.hpp"
#include "coloring/coloring_engine.hpp"
#include "locked.hpp"
#include "pool_state.hpp"

namespace cupool {

namespace detail {

namespace {

constexpr std::uint32_t most_population = 1 << 20;

void require(bool holds, const std::string& otherwise) {
    if (!holds) throw Error(ErrorCategory::invalid_argument, "coloring: " + otherwise);
}

/// The weight of a conflict at a temperature, see coloring_color_rank(): a colour with a conflict more is e^(1/T) times as rare.
std::uint32_t coloring_scale(double temperature) {
    return static_cast<std::uint32_t>(static_cast<double>(1U << coloring_scale_bits) / (temperature * std::log(2.0)) + 0.5);
}

/// The configuration with all that it leaves open.
ColoringConfig completed(PoolState& pool, const UndirectedGraph& graph, ColoringConfig config) {
    constexpr double lowest = 0.03;  // so that the weights of 128 conflicts fit into a word
    constexpr double highest = 100;
    constexpr std::uint32_t most_colors = 1 << 15;
    constexpr std::uint32_t host_population = 64;
    constexpr std::uint32_t vertices_of_large_graph = 1 << 15;  // whose tables would take gigabytes
    require(graph.vertex_count() > 0, "the graph has no vertices");
    require(config.colors > 0 && config.colors <= most_colors, "colors must be 1 to " + std::to_string(most_colors));
    require(config.group > 0 && config.group <= most_population, "group must be 1 to " + std::to_string(most_population));
    require(config.steps > 0 && config.steps <= 1U << 30, "steps must be 1 to 2^30");
    if (config.highest_temperature == 0) config.highest_temperature = config.temperature;
    require(config.temperature >= lowest && config.highest_temperature >= config.temperature && config.highest_temperature <= highest,
            "temperatures must be 0.03 to 100, and the highest not below the lowest");
    if (config.population == 0) {
        const std::uint32_t on_host = graph.vertex_count() > vertices_of_large_graph ? 1 : host_population;
        config.population = pool.is_host() ? std::max(on_host / config.group, 1U) * config.group
                                           : population_of_devices(pool, graph, config.colors, config.group);
    }
    require(config.population > 0 && config.population <= most_population,
            "the population must be 1 to " + std::to_string(most_population));
    require(config.population % config.group == 0, "the population must be a multiple of group, " + std::to_string(config.group));
    return config;
}

ColoringPlan plan_of(const ColoringConfig& config) {
    ColoringPlan plan{.color_count = config.colors,
                      .seed = coloring_mix(static_cast<std::uint32_t>(config.seed >> 32)) ^ static_cast<std::uint32_t>(config.seed),
                      .steps = config.steps,
                      .group = config.group,
                      .scales = {}};
    const std::uint32_t groups = config.population / config.group;
    for (std::uint32_t i = 0; i < groups; ++i) {
        const double part = groups == 1 ? 0 : static_cast<double>(i) / (groups - 1);
        plan.scales.push_back(coloring_scale(config.temperature + part * (config.highest_temperature - config.temperature)));
    }
    return plan;
}

std::uint64_t hash_of_graph(const UndirectedGraph& graph) {
    std::vector<std::uint32_t> words{graph.vertex_count()};
    for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
        words.insert(words.end(), graph.neighbours(v).begin(), graph.neighbours(v).end());
        words.push_back(0xffffffff);
    }
    return hash_of(std::as_bytes(std::span(words)));
}

template <class Archive, class Config>
void archive_config(Archive& archive, Config& config) {
    archive(config.colors);
    archive(config.seed);
    archive(config.population);
    archive(config.group);
    archive(config.steps);
    archive(config.temperature);
    archive(config.highest_temperature);
}

}  // namespace

/// The state behind a ColoringSearch.
class ColoringSearchState {
public:
    ColoringSearchState(const DevicePool& pool, UndirectedGraph graph, const ColoringConfig& config)
        : pool_(pool),
          graph_(std::move(graph)),
          config_(completed(this->pool(), graph_, config)),
          plan_(plan_of(config_)),
          engine_(this->pool().is_host() ? make_host_colorings(this->pool(), graph_, plan_)
                                         : make_device_colorings(this->pool(), graph_, plan_)),
          partners_(plan_.population(), coloring_begins_anew),
          results_(plan_.population()),
          ages_(plan_.group_count()) {}

    RunReport run(std::uint64_t generations) {
        const auto start = std::chrono::steady_clock::now();
        const std::uint64_t bytes_before = engine_->bytes();
        for (std::uint64_t i = 0; i < generations && (best_.colors.empty() || best_.conflicts != 0); ++i) advance();
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        return {.engine = pool().is_host() ? Engine::host : Engine::gpu,
                .devices = engine_->devices(),
                .milliseconds = time.count(),
                .bytes = engine_->bytes() - bytes_before};
    }

    const Coloring& best() const {
        if (best_.colors.empty())
            throw Error(ErrorCategory::not_ready, "coloring: there was no generation yet, so no colouring is the best");
        return best_;
    }
    ColoringStatistics statistics() const {
        ColoringStatistics statistics = statistics_;
        statistics.population = plan_.population();
        if (statistics.generations == 0) return statistics;
        for (const ColoringResult& result : results_) statistics.conflicts.push_back(result.conflicts);
        return statistics;
    }
    const ColoringConfig& config() const { return config_; }

    void save(const std::filesystem::path& file) {
        require_whole();
        CheckpointWriter writer("a colouring search");
        writer(hash_of_graph(graph_));
        archive_config(writer, config_);
        archive(writer);
        if (statistics_.generations != 0) {
            for (std::uint32_t i = 0; i < plan_.population(); ++i) writer(engine_->read(i));
        }
        writer.write(file);
    }
    static std::shared_ptr<ColoringSearchState> resumed(const DevicePool& pool, const UndirectedGraph& graph,
                                                        const std::filesystem::path& file);

    /// Held by every call.
    std::mutex mutex;
    PoolState& pool() const { return PoolStateAccess::state(pool_, SourceLocation::current()); }

private:
    template <class Archive>
    void archive(Archive& archive) {
        archive(partners_);
        archive(results_);
        archive(ages_);
        archive(best_.colors);
        archive(best_.conflicts);
        archive(statistics_.generations);
        archive(statistics_.steps);
        archive(statistics_.moves);
        archive(statistics_.restarts);
    }

    /// Whether there is a colour of the search for each vertex.
    bool is_coloring(std::span<const std::uint16_t> colors) const {
        return colors.size() == graph_.vertex_count() &&
               std::ranges::all_of(colors, [&](std::uint16_t color) { return color < plan_.color_count; });
    }
    /// Whether what was read from a file fits: partners are of the same group, and the best colouring is what it says.
    bool is_consistent() const {
        for (std::uint32_t i = 0; i < partners_.size(); ++i) {
            const std::uint32_t partner = partners_[i];
            const bool is_first = statistics_.generations == 0;
            if (partner != coloring_begins_anew && (is_first || partner / plan_.group != i / plan_.group)) return false;
        }
        if (best_.colors.empty()) return statistics_.generations == 0;
        return is_coloring(best_.colors) && coloring_conflicts(graph_, best_.colors) == best_.conflicts;
    }

    void advance() {
        require_whole();
        engine_->require_ready();
        is_broken_ = true;
        make_generation();
        is_broken_ = false;
    }
    /// \throws Error device_fault after one, invalid_argument after another error midway
    void require_whole() const {
        pool().faults().check();
        if (!is_broken_) return;
        throw Error(ErrorCategory::invalid_argument,
                    "coloring: an earlier call failed midway, so the colourings are unknown; resume a checkpoint");
    }
    void make_generation() {
        engine_->advance(static_cast<std::uint32_t>(statistics_.generations), partners_, results_);
        for (const ColoringResult& result : results_) {
            if (result.conflicts == coloring_overflow) {
                throw Error(ErrorCategory::unsupported,
                            "coloring: more than " + std::to_string(coloring_max_class) +
                                " vertices got one colour, which devices cannot count. Search on the host (a pool "
                                "of it, or --engine host)");
            }
            statistics_.steps += result.steps;
            statistics_.moves += result.moves;
        }
        keep_best();
        pair();
        ++statistics_.generations;
    }

    /// Reads the best colouring, if it is better than those before, and recounts its conflicts.
    void keep_best() {
        const auto found = std::ranges::min_element(results_, {}, &ColoringResult::conflicts);
        if (!best_.colors.empty() && found->conflicts >= best_.conflicts) return;
        const auto number = static_cast<std::uint32_t>(found - results_.begin());
        Coloring better{.colors = engine_->read(number), .conflicts = found->conflicts};
        if (!is_coloring(better.colors) || coloring_conflicts(graph_, better.colors) != better.conflicts) {
            throw Error(ErrorCategory::internal, "coloring: colouring " + std::to_string(number) + " is not what its search reports");
        }
        best_ = std::move(better);
    }

    /// Chooses partners for the next generation: each colouring is crossed with the next one of its group in a random order. A group in
    /// which every crossover found nearly the same classes in both parents begins again.
    void pair() {
        constexpr double alike = 0.006;  // of the vertices, without a class after a crossover of such parents (docs/coloring.md)
        const auto limit = static_cast<std::uint32_t>(alike * graph_.vertex_count());
        std::vector<std::uint32_t> order(plan_.group);
        for (std::uint32_t group = 0; group < plan_.group_count(); ++group) {
            const std::uint32_t begin = group * plan_.group;
            std::uint32_t unassigned = 0;
            for (std::uint32_t i = 0; i < plan_.group; ++i) unassigned = std::max(unassigned, results_[begin + i].unassigned);
            const bool is_over = plan_.group == 1 || (ages_[group] > 0 && unassigned <= limit);
            ages_[group] = is_over ? 0 : ages_[group] + 1;
            if (is_over) ++statistics_.restarts;
            shuffle(order, group);
            for (std::uint32_t i = 0; i < plan_.group; ++i) {
                partners_[begin + order[i]] = is_over ? coloring_begins_anew : begin + order[(i + 1) % plan_.group];
            }
        }
    }
    void shuffle(std::vector<std::uint32_t>& order, std::uint32_t group) const {
        std::iota(order.begin(), order.end(), 0U);
        std::uint32_t random = coloring_key(~plan_.seed, group, static_cast<std::uint32_t>(statistics_.generations));
        for (auto i = static_cast<std::uint32_t>(order.size()); i > 1; --i) {
            random = coloring_mix(random + i);
            std::swap(order[i - 1], order[coloring_below(random, i)]);
        }
    }

    DevicePool pool_;
    UndirectedGraph graph_;
    ColoringConfig config_;
    ColoringPlan plan_;
    std::unique_ptr<ColoringEngine> engine_;
    std::vector<std::uint32_t> partners_;
    std::vector<ColoringResult> results_;
    std::vector<std::uint32_t> ages_;  // of the groups, in generations
    Coloring best_;
    ColoringStatistics statistics_;
    bool is_broken_ = false;  // a generation failed midway
};

std::shared_ptr<ColoringSearchState> ColoringSearchState::resumed(const DevicePool& pool, const UndirectedGraph& graph,
                                                                  const std::filesystem::path& file) {
    CheckpointReader reader(file, "a colouring search");
    std::uint64_t hash = 0;
    reader(hash);
    if (hash != hash_of_graph(graph)) reader.refuse("is a checkpoint of another graph");
    ColoringConfig config;
    archive_config(reader, config);
    // Before memory is taken for what a damaged file says.
    if (config.population == 0 || config.population > reader.rest() / sizeof(ColoringResult)) reader.throw_damaged();
    auto state = make_shared_unless_forked<ColoringSearchState>(pool, graph, config);
    const std::size_t population = state->results_.size();
    const std::size_t groups = state->ages_.size();
    state->archive(reader);
    const bool fits = state->partners_.size() == population && state->results_.size() == population && state->ages_.size() == groups;
    if (!fits || !state->is_consistent()) reader.throw_damaged();
    std::vector<std::uint16_t> colors;
    for (std::uint32_t i = 0; state->statistics_.generations != 0 && i < population; ++i) {
        reader(colors);
        if (!state->is_coloring(colors)) reader.throw_damaged();
        state->engine_->write(i, colors);
    }
    reader.expect_end();
    return state;
}

}  // namespace detail

ColoringSearch::ColoringSearch(const DevicePool& pool, const UndirectedGraph& graph, const ColoringConfig& config, SourceLocation where) {
    detail::PoolStateAccess::state(pool, where);  // refuses a pool that was moved from, and in a forked child
    detail::report_at(where, [&] { state_ = detail::make_shared_unless_forked<detail::ColoringSearchState>(pool, graph, config); });
}

ColoringSearch ColoringSearch::resume(const DevicePool& pool, const UndirectedGraph& graph, const std::filesystem::path& checkpoint,
                                      SourceLocation where) {
    detail::PoolStateAccess::state(pool, where);
    return detail::report_at(where, [&] { return ColoringSearch(detail::ColoringSearchState::resumed(pool, graph, checkpoint)); });
}

detail::ColoringSearchState& ColoringSearch::own(const SourceLocation& where) const {
    if (state_ == nullptr) throw Error(ErrorCategory::wrong_context, "coloring: the search has been moved from", where);
    detail::report_at(where, [&] { state_->pool(); });  // refuses in a forked child
    return *state_;
}

RunReport ColoringSearch::run(std::uint64_t generations, SourceLocation where) {
    return detail::locked(own(where), where, [&](auto& state) { return state.run(generations); });
}

Coloring ColoringSearch::best(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.best(); });
}

ColoringStatistics ColoringSearch::statistics(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.statistics(); });
}

ColoringConfig ColoringSearch::config(SourceLocation where) const {
    return detail::locked(own(where), where, [](auto& state) { return state.config(); });
}

void ColoringSearch::save(const std::filesystem::path& checkpoint, SourceLocation where) const {
    detail::locked(own(where), where, [&](auto& state) { state.save(checkpoint); });
}

}  // namespace cupool
