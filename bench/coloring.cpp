// The time to a proper colouring, for some seeds on all devices. Every colouring is checked.
//
//   cupool_coloring GRAPH COLORS [SECONDS [SEEDS [STEPS [GROUP [TEMPERATURE [HIGHEST_TEMPERATURE]]]]]]
//
// GRAPH is a DIMACS file or random:VERTICES:PERMILLE:SEED, where each pair of vertices is an edge with that probability. By default 60
// seconds for each of 10 seeds; the others are as in ColoringConfig.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/dimacs.hpp"
#include "require.hpp"

namespace {

using namespace cupool;

UndirectedGraph random_graph(std::uint32_t vertices, std::uint32_t permille, std::uint32_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Edge> edges;
    for (std::uint32_t u = 0; u < vertices; ++u) {
        for (std::uint32_t v = 0; v < u; ++v) {
            if (random() % 1000 < permille) edges.push_back({u, v});
        }
    }
    return UndirectedGraph(vertices, edges);
}

UndirectedGraph graph_of(const std::string& name) {
    std::uint32_t vertices = 0;
    std::uint32_t permille = 0;
    std::uint32_t seed = 0;
    if (std::sscanf(name.c_str(), "random:%u:%u:%u", &vertices, &permille, &seed) == 3) return random_graph(vertices, permille, seed);
    std::ifstream file(name, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + name);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    const tools::DimacsGraph parsed = tools::parse_dimacs({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return UndirectedGraph(parsed.vertex_count, parsed.edges);
}

struct Measured {
    bool is_found;
    double seconds;
};

Measured measure(const DevicePool& pool, const UndirectedGraph& graph, const ColoringConfig& config, double limit) {
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    ColoringSearch search(pool, graph, config);
    double last_report = 0;
    do {
        search.run(16);
        if (seconds() - last_report < 30) continue;
        last_report = seconds();
        std::printf("    after %.0f s %llu conflicts\n", last_report, static_cast<unsigned long long>(search.best().conflicts));
        std::fflush(stdout);
    } while (search.best().conflicts != 0 && seconds() < limit);
    const double time = seconds();
    const Coloring best = search.best();
    require(coloring_conflicts(graph, best.colors) == best.conflicts, "a colouring is not what the search says");
    const ColoringStatistics statistics = search.statistics();
    std::printf("  seed %llu: %llu conflicts after %.3f s, %llu generations of %u, %.0f M steps and %.0f M moves a second, %llu restarts\n",
                static_cast<unsigned long long>(config.seed), static_cast<unsigned long long>(best.conflicts), time,
                static_cast<unsigned long long>(statistics.generations), statistics.population,
                1e-6 * static_cast<double>(statistics.steps) / time, 1e-6 * static_cast<double>(statistics.moves) / time,
                static_cast<unsigned long long>(statistics.restarts));
    std::fflush(stdout);
    return {best.conflicts == 0, time};
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int index, double otherwise) { return argc > index ? std::atof(argv[index]) : otherwise; };
    if (argc < 3) {
        std::fprintf(stderr, "cupool_coloring GRAPH COLORS [SECONDS [SEEDS [STEPS [GROUP [TEMPERATURE [HIGHEST_TEMPERATURE]]]]]]\n");
        return 2;
    }
    try {
        const UndirectedGraph graph = graph_of(argv[1]);
        const DevicePool pool = DevicePool::all();
        ColoringConfig config{.colors = static_cast<std::uint32_t>(number(2, 0))};
        config.steps = static_cast<std::uint32_t>(number(5, config.steps));
        config.group = static_cast<std::uint32_t>(number(6, config.group));
        config.temperature = number(7, config.temperature);
        config.highest_temperature = number(8, config.highest_temperature);
        const auto seeds = static_cast<std::uint64_t>(number(4, 10));
        std::printf("%s, %u vertices, %zu edges, %u colours, %zu devices, %u steps, groups of %u, temperature %.3f to %.3f\n", argv[1],
                    graph.vertex_count(), graph.edge_count(), config.colors, pool.device_count(), config.steps, config.group,
                    config.temperature, std::max(config.temperature, config.highest_temperature));
        std::vector<double> times;
        for (config.seed = 1; config.seed <= seeds; ++config.seed) {
            const Measured measured = measure(pool, graph, config, number(3, 60));
            if (measured.is_found) times.push_back(measured.seconds);
        }
        std::sort(times.begin(), times.end());
        std::printf("  found by %zu of %llu seeds", times.size(), static_cast<unsigned long long>(seeds));
        if (!times.empty()) std::printf(", in %.3f s at the median, %.3f s at most", times[times.size() / 2], times.back());
        std::printf("\n");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_coloring: %s\n", error.what());
        return 1;
    }
}
