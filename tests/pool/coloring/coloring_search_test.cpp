// Searches of colourings: the host and devices make the same ones, checkpoints go on, and what cannot be coloured or run is told.
#include <cupool/pool/coloring_search.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "catch.hpp"
#include "checkpoint_file.hpp"
#include "forked_child.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Each pair of vertices is an edge with this probability.
UndirectedGraph random_graph(std::uint32_t vertices, double density, std::uint64_t seed = 1) {
    std::uint64_t random = seed;
    std::vector<Edge> edges;
    for (std::uint32_t u = 0; u < vertices; ++u) {
        for (std::uint32_t v = 0; v < u; ++v) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            if (static_cast<double>(random >> 40) * 0x1p-24 < density) edges.push_back({u, v});
        }
    }
    return UndirectedGraph(vertices, edges);
}

/// Vertices of one of k classes each, joined to all of the other classes: it needs k colours.
UndirectedGraph complete_classes(std::uint32_t vertices, std::uint32_t classes) {
    std::vector<Edge> edges;
    for (std::uint32_t u = 0; u < vertices; ++u) {
        for (std::uint32_t v = 0; v < u; ++v) {
            if (u % classes != v % classes) edges.push_back({u, v});
        }
    }
    return UndirectedGraph(vertices, edges);
}

struct Outcome {
    std::vector<std::uint16_t> colors;
    std::uint64_t moves;
    std::uint64_t steps;
    std::uint64_t restarts;
    std::vector<std::uint32_t> conflicts;

    bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const ColoringSearch& search) {
    const ColoringStatistics statistics = search.statistics();
    return {search.best().colors, statistics.moves, statistics.steps, statistics.restarts, statistics.conflicts};
}

Outcome outcome_on(const DevicePool& pool, const UndirectedGraph& graph, const ColoringConfig& config, std::uint64_t generations) {
    ColoringSearch search(pool, graph, config);
    search.run(generations);
    return outcome_of(search);
}

struct CheckedMachine : Machine {
    explicit CheckedMachine(std::size_t devices) : Machine(std::vector<SimulatedDevice>(devices)) {
        simulator.set_checks(cupool_sim_check_all);
    }
};

}  // namespace

TEST_CASE("a graph is its edges, however they are listed", "[coloring]") {
    const std::vector<Edge> edges{{3, 1}, {1, 3}, {0, 1}, {3, 1}, {2, 0}};
    const UndirectedGraph graph(5, edges);
    CHECK(graph.vertex_count() == 5);
    CHECK(graph.edge_count() == 3);
    CHECK(std::vector<std::uint32_t>(graph.neighbours(1).begin(), graph.neighbours(1).end()) == std::vector<std::uint32_t>{0, 3});
    CHECK(graph.neighbours(4).empty());
    CHECK(graph.are_neighbours(1, 3));
    CHECK(graph.are_neighbours(3, 1));
    CHECK_FALSE(graph.are_neighbours(2, 3));
    CHECK(UndirectedGraph().vertex_count() == 0);
    CHECK(UndirectedGraph(3, {}).edge_count() == 0);
    for (const Edge& edge : {Edge{0, 5}, Edge{5, 0}, Edge{2, 2}}) {
        CHECK(error_of([&] { (void)UndirectedGraph(5, std::vector<Edge>{edge}); }).category() == ErrorCategory::invalid_argument);
    }
    CHECK(coloring_conflicts(graph, std::vector<std::uint16_t>{0, 0, 0, 1, 0}) == 2);
    CHECK(coloring_conflicts(graph, std::vector<std::uint16_t>{0, 1, 1, 0, 0}) == 0);
    CHECK(error_of([&] { (void)coloring_conflicts(graph, std::vector<std::uint16_t>{0}); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("graphs are coloured in as many colours as they need, and no fewer", "[coloring]") {
    const DevicePool pool = DevicePool::host(2);
    for (const auto& [vertices, classes] : {std::pair{1u, 1u}, {2u, 2u}, {7u, 7u}, {40u, 5u}, {90u, 10u}, {200u, 4u}}) {
        CAPTURE(vertices, classes);
        const UndirectedGraph graph = complete_classes(vertices, classes);
        ColoringSearch search(pool, graph, {.colors = classes, .seed = 2, .population = 8, .group = 4, .steps = 2000});
        search.run(100);
        CHECK(search.best().conflicts == 0);
        CHECK(coloring_conflicts(graph, search.best().colors) == 0);
        const std::uint64_t generations = search.statistics().generations;
        search.run(10);  // nothing is left to do
        CHECK(search.statistics().generations == generations);
        if (classes == 1) continue;
        ColoringSearch fewer(pool, graph, {.colors = classes - 1, .seed = 2, .population = 8, .group = 4, .steps = 500});
        fewer.run(3);
        CHECK(fewer.best().conflicts > 0);
        CHECK(fewer.best().conflicts == coloring_conflicts(graph, fewer.best().colors));
    }
}

TEST_CASE("a search makes the same colourings on the host and on any number of devices", "[coloring]") {
    // Each module of kernels, and each kernel of one; complete and incomplete last words.
    struct Case {
        std::uint32_t vertices;
        std::uint32_t colors;
        double density;
    };
    for (const Case& one : {Case{6, 2, 0.9}, Case{61, 8, 0.5}, Case{128, 33, 0.9}, Case{130, 20, 0.5}, Case{257, 30, 0.4},
                            Case{515, 40, 0.3}, Case{100, 70, 0.97}, Case{110, 100, 0.98}}) {
        if (is_sanitized && one.vertices > 130) continue;  // takes long
        CAPTURE(one.vertices, one.colors);
        const UndirectedGraph graph = random_graph(one.vertices, one.density);
        const ColoringConfig config{.colors = one.colors,
                                    .seed = 0x123456789,
                                    .population = 6,
                                    .group = 2,
                                    .steps = 60,
                                    .temperature = 0.25,
                                    .highest_temperature = 0.5};
        const Outcome on_host = outcome_on(DevicePool::host(1), graph, config, 4);
        CHECK(outcome_on(DevicePool::host(3), graph, config, 4) == on_host);
        for (const std::size_t devices : {1, 2, 4}) {
            if (one.vertices > 130 && devices != 2) continue;
            CAPTURE(devices);
            const CheckedMachine machine(devices);
            CHECK(outcome_on(DevicePool::all(machine.driver), graph, config, 4) == on_host);
        }
        ColoringConfig other = config;
        other.seed = 5;
        CHECK_FALSE(outcome_on(DevicePool::host(1), graph, other, 4) == on_host);
    }
}

TEST_CASE("a device finds what the host finds, and says which devices took part", "[coloring]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const UndirectedGraph graph = complete_classes(24, 4);
    ColoringSearch search(pool, graph, {.colors = 4, .seed = 3, .population = 8, .group = 4, .steps = 300});
    const RunReport report = search.run(50);
    CHECK(report.engine == Engine::gpu);
    CHECK(report.devices == std::vector<int>{0, 1});
    CHECK(report.bytes > 0);
    CHECK(search.best().conflicts == 0);
    CHECK(coloring_conflicts(graph, search.best().colors) == 0);
}

TEST_CASE("groups whose colourings have become alike begin again", "[coloring]") {
    // A clique in a colour too few: its colourings soon differ by nothing but the names of the colours.
    ColoringSearch search(DevicePool::host(1), complete_classes(12, 12),
                          {.colors = 11, .seed = 1, .population = 8, .group = 2, .steps = 100});
    search.run(60);
    CHECK(search.statistics().restarts > 0);
    CHECK(search.best().conflicts == 1);
    CHECK(search.statistics().generations == 60);
    CHECK(search.statistics().conflicts.size() == 8);
}

TEST_CASE("the host takes graphs and colours that devices do not", "[coloring]") {
    const CheckedMachine machine(1);
    const DevicePool devices = DevicePool::all(machine.driver);
    const DevicePool host = DevicePool::host(2);
    std::vector<Edge> cycle;
    for (std::uint32_t v = 0; v < 2000; ++v) cycle.push_back({v, (v + 1) % 2000});
    struct Case {
        UndirectedGraph graph;
        std::uint32_t colors;
    };
    for (const Case& one : {Case{UndirectedGraph(2000, cycle), 3}, Case{complete_classes(150, 130), 140}}) {
        const ColoringConfig config{.colors = one.colors, .seed = 1, .population = 2, .group = 2, .steps = 20'000};
        const Error error = error_of([&] { const ColoringSearch search(devices, one.graph, config); });
        CHECK(error.category() == ErrorCategory::unsupported);
        CHECK(std::string(error.what()).find("host") != std::string::npos);
        ColoringSearch search(host, one.graph, config);
        search.run(100);
        CHECK(search.best().conflicts == 0);
        CHECK(coloring_conflicts(one.graph, search.best().colors) == 0);
    }
}

TEST_CASE("a class that is too large for devices is told, not miscounted", "[coloring]") {
    // Four vertices that are joined to all others, which may all have the fifth colour.
    std::vector<Edge> edges;
    for (std::uint32_t hub = 0; hub < 4; ++hub) {
        for (std::uint32_t v = 0; v < 160; ++v) {
            if (v > hub || v >= 4) edges.push_back({hub, v});
        }
    }
    const UndirectedGraph graph(160, edges);
    const ColoringConfig config{.colors = 5, .seed = 1, .population = 4, .group = 2, .steps = 2000};
    const CheckedMachine machine(1);
    const DevicePool pool = DevicePool::all(machine.driver);
    ColoringSearch search(pool, graph, config);
    const Error error = error_of([&] { search.run(50); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(std::string(error.what()).find("128 vertices") != std::string::npos);
    ColoringSearch on_host(DevicePool::host(1), graph, config);
    on_host.run(1000);
    CHECK(on_host.best().conflicts == 0);
    // A first colouring may have such a class, too.
    const UndirectedGraph alone(150, std::vector<Edge>{{0, 1}});
    CHECK(error_of([&] { ColoringSearch(pool, alone, {.colors = 1, .population = 2, .group = 2}).run(1); }).category() ==
          ErrorCategory::unsupported);
}

TEST_CASE("the host weighs any number of conflicts", "[coloring]") {
    for (const double temperature : {0.03, 0.1, 0.25}) {
        CAPTURE(temperature);
        const UndirectedGraph graph = complete_classes(600, 3);
        ColoringSearch search(DevicePool::host(1), graph,
                              {.colors = 3, .seed = 1, .population = 2, .group = 2, .steps = 20'000, .temperature = temperature});
        search.run(1);
        CHECK(search.best().conflicts == 0);
    }
}

TEST_CASE("after a generation that failed midway only what is known is answered", "[coloring]") {
    const CheckpointFile file;
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    ColoringSearch search(pool, random_graph(30, 0.5), {.colors = 4, .population = 4, .group = 2, .steps = 50});
    search.run(1);
    const Coloring best = search.best();
    machine.simulator.plan_fault("cuLaunchKernel", 2, 999);
    CHECK(error_of([&] { search.run(1); }).category() == ErrorCategory::internal);
    CHECK(error_of([&] { search.run(1); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { search.save(file.path()); }).category() == ErrorCategory::invalid_argument);
    CHECK(search.best().colors == best.colors);
    CHECK(search.statistics().generations == 1);
}

TEST_CASE("colourings of a quarantined device wait for it, or go on elsewhere", "[coloring]") {
    const CheckpointFile file;
    const UndirectedGraph graph = random_graph(30, 0.5);
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    ColoringSearch search(pool, graph, {.colors = 4, .population = 4, .group = 2, .steps = 50});
    search.run(1);
    pool.quarantine(1, "it is asked to");
    CHECK(error_of([&] { search.run(1); }).category() == ErrorCategory::no_device);
    search.save(file.path());
    ColoringSearch elsewhere = ColoringSearch::resume(pool, graph, file.path());
    CHECK(elsewhere.run(1).devices == std::vector<int>{0});
    pool.readmit(1);
    search.run(1);
    CHECK(outcome_of(search) == outcome_of(elsewhere));
}

TEST_CASE("one group lives on one device, and groups of one restart each time", "[coloring]") {
    const CheckedMachine machine(3);
    const UndirectedGraph graph = complete_classes(12, 12);
    ColoringSearch search(DevicePool::all(machine.driver), graph, {.colors = 11, .population = 2, .group = 2, .steps = 10});
    CHECK(search.run(2).devices == std::vector<int>{0});
    ColoringSearch alone(DevicePool::all(machine.driver), graph, {.colors = 11, .population = 4, .group = 1, .steps = 10});
    CHECK(alone.run(3).devices == std::vector<int>{0, 1, 2});
    CHECK(alone.statistics().restarts == 12);
}

TEST_CASE("a population fills the devices if none is given", "[coloring]") {
    const CheckedMachine machine(2);
    const UndirectedGraph graph = complete_classes(24, 4);
    const ColoringSearch search(DevicePool::all(machine.driver), graph, {.colors = 4, .group = 8});
    CHECK(search.config().population % 8 == 0);
    CHECK(search.config().population >= 16);
    CHECK(ColoringSearch(DevicePool::host(1), graph, {.colors = 4, .group = 8}).config().population == 64);
    CHECK(ColoringSearch(DevicePool::host(1), graph, {.colors = 4, .group = 100}).config().population == 100);
}

TEST_CASE("what cannot be searched is refused", "[coloring]") {
    const DevicePool pool = DevicePool::host(1);
    const UndirectedGraph graph = complete_classes(6, 3);
    const auto refused = [&](const UndirectedGraph& one, const ColoringConfig& config) {
        const Error error = error_of([&] { const ColoringSearch search(pool, one, config); });
        CHECK(std::string(error.location().file).find("coloring_search_test") != std::string::npos);
        return error.category() == ErrorCategory::invalid_argument;
    };
    CHECK(refused(UndirectedGraph(), {.colors = 3}));
    CHECK(refused(graph, {.colors = 0}));
    CHECK(refused(graph, {.colors = 1 << 20}));
    CHECK(refused(graph, {.colors = 3, .group = 0}));
    CHECK(refused(graph, {.colors = 3, .group = 1U << 31}));
    CHECK(refused(graph, {.colors = 3, .population = 10, .group = 4}));
    CHECK(refused(graph, {.colors = 3, .population = 1 << 24}));
    CHECK(refused(graph, {.colors = 3, .steps = 0}));
    for (const double temperature : {0.0, 0.01, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(refused(graph, {.colors = 3, .temperature = temperature}));
    }
    CHECK(refused(graph, {.colors = 3, .temperature = 1, .highest_temperature = 0.5}));

    ColoringSearch search(pool, graph, {.colors = 3});
    CHECK(error_of([&] { (void)search.best(); }).category() == ErrorCategory::not_ready);
    CHECK(search.statistics().conflicts.empty());
    ColoringSearch moved(std::move(search));
    CHECK(error_of([&] { search.run(1); }).category() == ErrorCategory::wrong_context);  // NOLINT(bugprone-use-after-move)
    moved.run(1);
    CHECK(moved.statistics().generations == 1);
}

TEST_CASE("a search goes on from a checkpoint as if nothing had happened, on other devices too", "[coloring]") {
    const CheckpointFile file;
    const UndirectedGraph graph = random_graph(61, 0.5);
    const ColoringConfig config{.colors = 8, .seed = 7, .population = 6, .group = 2, .steps = 100};
    ColoringSearch search(DevicePool::host(1), graph, config);
    search.run(3);
    search.save(file.path());
    search.run(3);
    const auto check = [&](const DevicePool& pool) {
        ColoringSearch resumed = ColoringSearch::resume(pool, graph, file.path());
        CHECK(resumed.statistics().generations == 3);
        CHECK(resumed.config().seed == 7);
        resumed.run(3);
        CHECK(outcome_of(resumed) == outcome_of(search));
    };
    check(DevicePool::host(1));
    const CheckedMachine machine(2);
    check(DevicePool::all(machine.driver));

    const auto refused = [&](const UndirectedGraph& other) {
        return error_of([&] { (void)ColoringSearch::resume(DevicePool::host(1), other, file.path()); });
    };
    CHECK(std::string(refused(random_graph(61, 0.5, 2)).what()).find("another graph") != std::string::npos);
    const std::string bytes = file.bytes();
    for (std::size_t i = 0; i < bytes.size(); i += 11) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        file.write(damaged);
        CHECK(refused(graph).category() == ErrorCategory::invalid_argument);
        file.write(bytes.substr(0, i));
        CHECK(refused(graph).category() == ErrorCategory::invalid_argument);
    }
    file.write_with_right_hash(bytes + "more");
    CHECK(refused(graph).category() == ErrorCategory::invalid_argument);
    std::filesystem::remove(file.path());
    CHECK(refused(graph).category() == ErrorCategory::io);
}

TEST_CASE("a checkpoint of a search that was made to harm is refused, or runs", "[coloring]") {
    const CheckpointFile file;
    const DevicePool pool = DevicePool::host(1);
    const UndirectedGraph graph = random_graph(9, 0.6);
    ColoringSearch search(pool, graph, {.colors = 3, .seed = 7, .population = 4, .group = 2, .steps = 20});
    search.run(2);
    search.save(file.path());
    const std::string bytes = file.bytes();
    int accepted = 0;
    for (std::size_t i = CheckpointFile::content; i < bytes.size(); ++i) {
        for (const int flip : {1, 64, 255}) {
            std::string crafted = bytes;
            crafted[i] = static_cast<char>(crafted[i] ^ flip);
            file.write_with_right_hash(crafted);
            try {
                ColoringSearch resumed = ColoringSearch::resume(pool, graph, file.path());
                if (resumed.config().steps > 1000) continue;  // which would take long
                resumed.run(1);
                ++accepted;
            } catch (const Error& error) {
                CHECK(error.category() == ErrorCategory::invalid_argument);
            }
        }
    }
    CHECK(accepted > 100);
}

TEST_CASE("a device that faults ends a search with a typed error, and its checkpoint goes on", "[coloring]") {
    const CheckpointFile file;
    const UndirectedGraph graph = random_graph(30, 0.5);
    const ColoringConfig config{.colors = 4, .seed = 7, .population = 4, .group = 2, .steps = 50};
    ColoringSearch search(DevicePool::host(1), graph, config);
    search.run(1);
    search.save(file.path());
    search.run(2);
    for (const char* const call : {"cuLaunchKernel", "cuStreamSynchronize"}) {
        for (const auto duration : {cupool_sim_sticky, cupool_sim_lost}) {
            CAPTURE(call, duration);
            Machine machine(std::vector<SimulatedDevice>(2));
            const DevicePool pool = DevicePool::all(machine.driver);
            {
                ColoringSearch resumed = ColoringSearch::resume(pool, graph, file.path());
                machine.simulator.plan_fault({.call = call, .device = 1, .result = 700, .duration = duration});
                CHECK(error_of([&] { resumed.run(2); }).category() == ErrorCategory::device_fault);
                CHECK(pool.fault().has_value());
                CHECK(error_of([&] { resumed.run(2); }).category() == ErrorCategory::device_fault);
            }
            machine.simulator.clear_faults();
        }
    }
    ColoringSearch resumed = ColoringSearch::resume(DevicePool::host(1), graph, file.path());
    resumed.run(2);
    CHECK(outcome_of(resumed) == outcome_of(search));
}

TEST_CASE("every failing call of a search is told, and nothing is left", "[coloring]") {
    const UndirectedGraph graph = random_graph(20, 0.5);
    const ColoringConfig config{.colors = 3, .population = 4, .group = 2, .steps = 20};
    for (const char* const call :
         {"cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuModuleLoadDataEx",
          "cuModuleGetFunction", "cuMemHostGetDevicePointer", "cuMemsetD8Async", "cuFuncSetAttribute", "cuLaunchKernel"}) {
        for (std::uint64_t nth = 1;; ++nth) {
            CAPTURE(call, nth);
            Machine machine(std::vector<SimulatedDevice>(2));
            const DevicePool pool = DevicePool::all(machine.driver);
            const auto run = [&] { ColoringSearch(pool, graph, config).run(2); };
            const std::uint64_t before = machine.simulator.call_count(call);
            run();
            if (nth > machine.simulator.call_count(call) - before) break;
            machine.simulator.plan_fault(call, nth, 999);
            CHECK(error_of(run).category() == ErrorCategory::internal);
            run();
        }
    }
}

TEST_CASE("a search in a forked child is refused", "[coloring]") {
    ColoringSearch search(DevicePool::host(1), complete_classes(6, 3), {.colors = 2});
    search.run(1);
    const std::vector<Call> calls{
        {"run", [&] { search.run(1); }},
        {"best", [&] { (void)search.best(); }},
        {"statistics", [&] { (void)search.statistics(); }},
        {"config", [&] { (void)search.config(); }},
        {"save", [&] { search.save("/tmp/never"); }},
    };
    CHECK(in_child([&] { return first_not_forked(calls); }) == "");
}
