// Replica exchange and graph colouring give on the engine what they give on the host, to the bit.
#include <cupool/pool/coloring_model.hpp>
#include <cupool/pool/coloring_search.hpp>
#include <cupool/pool/ising_model.hpp>
#include <cupool/pool/replica_exchange.hpp>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Each pair of vertices is an edge with a probability of 1/2.
UndirectedGraph random_graph(std::uint32_t vertices) {
    std::vector<Edge> edges;
    for (std::uint32_t u = 0; u < vertices; ++u) {
        for (std::uint32_t v = 0; v < u; ++v) {
            if (random_bits()() % 2 == 0) edges.push_back({u, v});
        }
    }
    return UndirectedGraph(vertices, edges);
}

}  // namespace

TEST_CASE("replicas have the same trajectory on the engine and on the host", "[replicas]") {
    const std::uint32_t vertices = is_simulated() ? 60 : 500;
    for (const ReplicaModel& model : {ising_model(is_simulated() ? 8 : 64), coloring_model(random_graph(vertices), vertices / 10)}) {
        CAPTURE(model.name);
        const ReplicaExchangeConfig config{.temperatures = geometric_ladder(0.5, 1.1, 12), .sweeps_per_round = 2, .seed = 5};
        ReplicaExchange on_engine(engine_pool(), model, config);
        ReplicaExchange on_host(DevicePool::host(), model, config);
        for (int round = 0; round < 10; ++round) {
            on_engine.run(1);
            on_host.run(1);
            CHECK(on_engine.energies() == on_host.energies());
            CHECK(on_engine.replicas() == on_host.replicas());
        }
        for (std::uint32_t replica = 0; replica < 12; ++replica) CHECK(on_engine.state(replica) == on_host.state(replica));
    }
}

TEST_CASE("a search makes the same colourings on the engine and on the host", "[replicas]") {
    struct Case {
        std::uint32_t vertices;
        std::uint32_t colors;
    };
    std::vector<Case> cases{{30, 7}, {200, 31}};
    if (!is_simulated()) cases.insert(cases.end(), {{500, 48}, {1000, 86}, {128, 60}, {250, 120}});
    for (const Case& one : cases) {
        CAPTURE(one.vertices, one.colors);
        const UndirectedGraph graph = random_graph(one.vertices);
        const ColoringConfig config{.colors = one.colors, .seed = 3, .population = 8, .group = 4, .steps = is_simulated() ? 50U : 5000U};
        ColoringSearch on_engine(engine_pool(), graph, config);
        ColoringSearch on_host(DevicePool::host(), graph, config);
        on_engine.run(3);
        on_host.run(3);
        CHECK(on_engine.best().colors == on_host.best().colors);
        CHECK(on_engine.best().conflicts == on_host.best().conflicts);
        CHECK(on_engine.statistics().conflicts == on_host.statistics().conflicts);
        CHECK(on_engine.statistics().moves == on_host.statistics().moves);
        CHECK(on_engine.statistics().steps == on_host.statistics().steps);
    }
}
