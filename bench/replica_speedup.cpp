// Replica exchange over 1, 2, 4 ... devices, as many replicas on each: the time of a round, and how much of it more devices cost. All
// replicas that two pools have in common must have the same energies.
//
//   cupool_replica_speedup [REPLICAS_A_DEVICE [ROUNDS [SWEEPS]]]     default 528 50 100: a random graph of 500 vertices in 48 colours

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "growing_pools.hpp"
#include "require.hpp"

namespace {

using namespace cupool;

UndirectedGraph random_graph(std::uint32_t vertices) {
    std::mt19937_64 random(1);
    std::vector<Edge> edges;
    for (std::uint32_t u = 0; u < vertices; ++u) {
        for (std::uint32_t v = 0; v < u; ++v) {
            if (random() % 2 == 0) edges.push_back({u, v});
        }
    }
    return UndirectedGraph(vertices, edges);
}

/// \return the median time of a round in milliseconds
double measure(ReplicaExchange& exchange, unsigned rounds) {
    std::vector<double> times;
    exchange.run(2);
    for (unsigned i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        exchange.run(1);
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void require_equal_trajectories(const std::vector<DevicePool>& pools) {
    const ReplicaModel model = coloring_model(random_graph(40), 8);
    std::vector<double> expected;
    for (const DevicePool& pool : pools) {
        ReplicaExchange exchange(pool, model, {.temperatures = geometric_ladder(1, 1.2, 8), .seed = 1});
        exchange.run(100);
        require(expected.empty() || exchange.energies() == expected, "a run depends on the number of devices");
        expected = exchange.energies();
        const std::vector<PairStatistics> pairs = exchange.statistics().pairs;
        const auto lowest = std::ranges::min_element(pairs, {}, &PairStatistics::acceptance);
        std::printf("  8 replicas of 40 vertices in 8 colours at 1.0 * 1.2^i on %zu: the lowest acceptance of a pair is %.2f\n",
                    pool.device_count(), lowest->acceptance());
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int index, unsigned otherwise) {
        return argc > index ? static_cast<unsigned>(std::atoi(argv[index])) : otherwise;
    };
    try {
        constexpr std::uint32_t colors = 48;
        const UndirectedGraph graph = random_graph(500);
        const std::vector<DevicePool> pools = growing_pools();
        const unsigned replicas = number(1, 528);
        const unsigned sweeps = number(3, 100);
        double on_one = 0;
        for (const DevicePool& pool : pools) {
            const std::size_t all = replicas * pool.device_count();
            ReplicaExchangeConfig config{.temperatures = geometric_ladder(0.2, 1 + 4.0 / static_cast<double>(all), all),
                                         .sweeps_per_round = sweeps};
            ReplicaExchange exchange(pool, coloring_model(graph, colors), config);
            const double milliseconds = measure(exchange, number(2, 50));
            if (on_one == 0) on_one = milliseconds;
            std::printf("  %zu devices, %zu replicas: %.3f ms a round of %u sweeps, %.1f G proposals a second, efficiency %.3f\n",
                        pool.device_count(), all, milliseconds, sweeps, 1e-6 * static_cast<double>(all) * sweeps * 500 / milliseconds,
                        on_one / milliseconds);
            std::fflush(stdout);
        }
        require_equal_trajectories(pools);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_replica_speedup: %s\n", error.what());
        return 1;
    }
}
