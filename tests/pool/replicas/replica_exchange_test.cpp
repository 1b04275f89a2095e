// Replica exchange: the distribution that it samples, the same trajectory wherever replicas live, checkpoints, and failures.
#include <cmath>
#include <cstring>
#include <cupool/pool/coloring_model.hpp>
#include <cupool/pool/ising_model.hpp>
#include <cupool/pool/replica_exchange.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "catch.hpp"
#include "checkpoint_file.hpp"
#include "exact.hpp"
#include "forked_child.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// A program's own model: a counter whose next value depends on the replica, the seed, the sweep, the temperature and the data.
ReplicaModel counter_model() {
    ReplicaModel model;
    model.name = "counter";
    model.state_bytes = 16;
    model.data.resize(8);
    model.data[0] = std::byte{77};
    model.block_size = 32;
    model.kernel = "advance";
    model.ptx = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry advance(.param .u64 states, .param .u64 energies, .param .u64 replicas, .param .u64 indices, .param .u64 temperatures,
                        .param .u64 data, .param .u32 count, .param .u32 sweeps, .param .u64 seed, .param .u64 first)
{
    .reg .pred %p<4>;
    .reg .b32 %r<10>;
    .reg .b64 %d<30>;
    .reg .f64 %f<2>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra done;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %d1, [states];
    mad.wide.u32 %d1, %r2, 16, %d1;
    ld.param.u64 %d2, [replicas];
    mad.wide.u32 %d2, %r2, 4, %d2;
    ld.global.u32 %d3, [%d2];
    ld.param.u64 %d4, [indices];
    mad.wide.u32 %d4, %r2, 4, %d4;
    ld.global.u32 %r3, [%d4];
    ld.param.u64 %d5, [temperatures];
    mad.wide.u32 %d5, %r3, 8, %d5;
    ld.global.u64 %d6, [%d5];
    ld.param.u64 %d7, [data];
    ld.global.u64 %d8, [%d7];
    ld.param.u64 %d9, [seed];
    ld.param.u64 %d10, [first];
    ld.param.u32 %r4, [sweeps];
    ld.global.u64 %d11, [%d1];
    mov.u32 %r5, 0;
again:
    setp.ge.u32 %p2, %r5, %r4;
    @%p2 bra end;
    add.u64 %d12, %d11, %d3;
    add.u64 %d12, %d12, %d6;
    add.u64 %d12, %d12, %d8;
    add.u64 %d12, %d12, %d9;
    add.u64 %d12, %d12, %d10;
    mul.lo.u64 %d11, %d12, 6364136223846793005;
    add.u64 %d10, %d10, 1;
    add.u32 %r5, %r5, 1;
    bra again;
end:
    st.global.u64 [%d1], %d11;
    shr.u64 %d13, %d11, 60;
    cvt.rn.f64.u64 %f1, %d13;
    ld.param.u64 %d14, [energies];
    mad.wide.u32 %d14, %r2, 8, %d14;
    st.global.f64 [%d14], %f1;
done:
    ret;
}
)";
    model.initialise = [](std::uint32_t replica, std::uint64_t seed, std::span<std::byte> state) {
        const std::uint64_t first = seed * 1000 + replica;
        std::memcpy(state.data(), &first, sizeof first);
    };
    model.advance_on_host = [](const HostReplica& replica) {
        std::uint64_t counter = 0;
        std::uint64_t temperature = 0;
        std::uint64_t data = 0;
        std::memcpy(&counter, replica.state.data(), 8);
        std::memcpy(&temperature, replica.temperature.data(), 8);
        std::memcpy(&data, replica.data.data(), 8);
        for (std::uint32_t i = 0; i < replica.sweeps; ++i) {
            counter = (counter + replica.replica + temperature + data + replica.seed + replica.first_sweep + i) * 6364136223846793005u;
        }
        std::memcpy(replica.state.data(), &counter, 8);
        return static_cast<double>(counter >> 60);
    };
    return model;
}

/// A ring whose vertices are joined to those up to `reach` places on.
UndirectedGraph ring(std::uint32_t vertices, std::uint32_t reach) {
    std::vector<Edge> edges;
    for (std::uint32_t v = 0; v < vertices; ++v) {
        for (std::uint32_t i = 1; i <= reach; ++i) edges.push_back({v, (v + i) % vertices});
    }
    return UndirectedGraph(vertices, edges);
}

ReplicaExchangeConfig eight_replicas(std::uint64_t seed = 1) {
    return {.temperatures = geometric_ladder(1, 1.2, 8), .sweeps_per_round = 2, .seed = seed};
}

/// Everything that a run may be told apart by.
struct Trajectory {
    std::vector<std::vector<double>> energies;
    std::vector<std::vector<std::uint32_t>> replicas;
    std::vector<std::vector<std::byte>> states;

    bool operator==(const Trajectory&) const = default;
};

Trajectory trajectory_of(ReplicaExchange& exchange, int rounds) {
    Trajectory trajectory;
    for (int i = 0; i < rounds; ++i) {
        exchange.run(1);
        trajectory.energies.push_back(exchange.energies());
        trajectory.replicas.push_back(exchange.replicas());
    }
    for (std::uint32_t replica = 0; replica < exchange.replicas().size(); ++replica) trajectory.states.push_back(exchange.state(replica));
    return trajectory;
}

Trajectory trajectory_on(const DevicePool& pool, const ReplicaModel& model, const ReplicaExchangeConfig& config, int rounds) {
    ReplicaExchange exchange(pool, model, config);
    return trajectory_of(exchange, rounds);
}

struct CheckedMachine : Machine {
    explicit CheckedMachine(std::size_t devices) : Machine(std::vector<SimulatedDevice>(devices)) {
        simulator.set_checks(cupool_sim_check_all);
    }
};

/// Samples of a run: how often each temperature had each energy, and the products of neighbours' deviations from their means.
struct Samples {
    explicit Samples(std::size_t temperatures)
        : counts(temperatures), sums(temperatures), squares(temperatures), products(temperatures - 1) {}

    void add(const ReplicaExchange& exchange) {
        const std::vector<double> energies = exchange.energies();
        const std::vector<std::uint32_t> replicas = exchange.replicas();
        for (std::size_t i = 0; i < replicas.size(); ++i) {
            const double energy = energies[replicas[i]];
            ++counts[i][static_cast<std::int64_t>(energy)];
            sums[i] += energy;
            squares[i] += energy * energy;
            if (i > 0) products[i - 1] += energy * energies[replicas[i - 1]];
        }
        ++count;
    }
    /// The correlation of the energies at temperatures i and i + 1, in standard deviations of that of independent samples.
    double correlation(std::size_t i) const {
        const auto n = static_cast<double>(count);
        const auto variance = [&](std::size_t k) { return squares[k] / n - sums[k] / n * (sums[k] / n); };
        return (products[i] / n - sums[i] / n * (sums[i + 1] / n)) / std::sqrt(variance(i) * variance(i + 1)) * std::sqrt(n);
    }

    std::vector<std::map<std::int64_t, std::size_t>> counts;
    std::vector<double> sums;
    std::vector<double> squares;
    std::vector<double> products;
    std::size_t count = 0;
};

/// Compares the energies that a model samples at each temperature with the exact distribution, over 20 seeds.
void check_distribution(const ReplicaModel& model, const DensityOfStates& density, std::vector<double> temperatures,
                        std::uint32_t sweeps_per_round, int rounds_per_sample) {
    const DevicePool pool = DevicePool::host(1);
    const int seeds = is_sanitized ? 2 : 20;
    constexpr int samples_per_seed = 1000;
    std::vector<ChiSquare> of_temperatures(temperatures.size(), {0, 0});
    for (int seed = 1; seed <= seeds; ++seed) {
        ReplicaExchange exchange(
            pool, model, {.temperatures = temperatures, .sweeps_per_round = sweeps_per_round, .seed = static_cast<std::uint64_t>(seed)});
        exchange.run(200);
        Samples samples(temperatures.size());
        for (int i = 0; i < samples_per_seed; ++i) {
            exchange.run(static_cast<std::uint64_t>(rounds_per_sample));
            samples.add(exchange);
        }
        for (std::size_t i = 0; i < temperatures.size(); ++i) {
            const ChiSquare found = chi_square(boltzmann(density, temperatures[i]), samples.counts[i]);
            of_temperatures[i].value += found.value;
            of_temperatures[i].degrees += found.degrees;
            if (i > 0) {
                CAPTURE(seed, i);
                CHECK(std::abs(samples.correlation(i - 1)) < 4.5);
            }
        }
        for (const PairStatistics& pair : exchange.statistics().pairs) CHECK(pair.accepted > 0);
    }
    for (std::size_t i = 0; i < temperatures.size(); ++i) {
        CAPTURE(i, of_temperatures[i].value, of_temperatures[i].degrees);
        CHECK(of_temperatures[i].deviation() < 4);
    }
}

}  // namespace

TEST_CASE("every temperature of the Ising model has its exact distribution", "[replicas]") {
    check_distribution(ising_model(4), ising_density(4), geometric_ladder(1.5, 1.25, 6), 5, 6);
}

TEST_CASE("every temperature of small graphs' colourings has its exact distribution", "[replicas]") {
    const std::vector<Edge> triangle{{0, 1}, {1, 2}, {2, 0}};
    const std::vector<Edge> prism{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    const std::vector<Edge> wheel{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}};
    struct Case {
        UndirectedGraph graph;
        std::uint32_t colors;
    };
    for (const Case& one :
         {Case{UndirectedGraph(3, triangle), 2}, Case{UndirectedGraph(6, prism), 3}, Case{UndirectedGraph(6, wheel), 3}}) {
        CAPTURE(one.graph.vertex_count(), one.graph.edge_count());
        check_distribution(coloring_model(one.graph, one.colors), coloring_density(one.graph, one.colors), geometric_ladder(0.7, 1.4, 5), 3,
                           4);
    }
}

TEST_CASE("the energy of the Ising model at the critical temperature is the exact one", "[replicas]") {
    // Kaufman's formula agrees with enumeration.
    const double critical = 2 / std::log(1 + std::sqrt(2.0));
    const auto exact_energy = [](unsigned side, double temperature) {
        const long double beta = 1 / static_cast<long double>(temperature);
        constexpr long double step = 1e-4L;
        return static_cast<double>(-(ising_log_partition(side, beta + step) - ising_log_partition(side, beta - step)) / (2 * step));
    };
    double mean = 0;
    for (const auto& [energy, probability] : boltzmann(ising_density(4), 2.5)) mean += static_cast<double>(energy) * probability;
    CHECK(std::abs(exact_energy(4, 2.5) / mean - 1) < 1e-6);

    if (is_sanitized) return;  // takes long
    constexpr unsigned side = 8;
    ReplicaExchange exchange(DevicePool::host(1), ising_model(side),
                             {.temperatures = geometric_ladder(critical, 1.12, 4), .sweeps_per_round = 4, .seed = 7});
    exchange.run(500);
    exchange.reset_statistics();
    exchange.run(400'000);
    CHECK(std::abs(exchange.statistics().mean_energies[0] / exact_energy(side, critical) - 1) < 0.001);
    CHECK(exchange.statistics().round_trips > 1000);
}

TEST_CASE("a run has the same trajectory on the host and on any number of devices", "[replicas]") {
    for (const ReplicaModel& model : {counter_model(), ising_model(6), coloring_model(ring(7, 2), 3), coloring_model(ring(140, 5), 6)}) {
        CAPTURE(model.name);
        const Trajectory on_host = trajectory_on(DevicePool::host(1), model, eight_replicas(), 12);
        CHECK(trajectory_on(DevicePool::host(3), model, eight_replicas(), 12) == on_host);
        CHECK_FALSE(trajectory_on(DevicePool::host(1), model, eight_replicas(2), 12) == on_host);
        for (const std::size_t devices : {1, 2, 3, 4}) {
            CAPTURE(devices);
            const CheckedMachine machine(devices);
            CHECK(trajectory_on(DevicePool::all(machine.driver), model, eight_replicas(), 12) == on_host);
        }
    }
}

TEST_CASE("a long run is one of many short ones, and of its parts", "[replicas]") {
    const DevicePool pool = DevicePool::host(1);
    ReplicaExchange at_once(pool, ising_model(6), eight_replicas());
    at_once.run(10);
    ReplicaExchange in_steps(pool, ising_model(6), eight_replicas());
    for (int i = 0; i < 10; ++i) {
        in_steps.advance(1);
        in_steps.advance(1);
        in_steps.attempt_exchanges();
    }
    CHECK(in_steps.energies() == at_once.energies());
    CHECK(in_steps.replicas() == at_once.replicas());
    CHECK(at_once.rounds() == 10);
    CHECK(in_steps.rounds() == 0);
}

TEST_CASE("neighbours at 1.2 times the temperature exchange more than half of the time, within devices and between them", "[replicas]") {
    for (const ReplicaModel& model : {ising_model(4), coloring_model(ring(60, 4), 4)}) {
        CAPTURE(model.name);
        const CheckedMachine machine(2);
        ReplicaExchange exchange(DevicePool::all(machine.driver), model, eight_replicas());
        const RunReport report = exchange.run(60);
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices == std::vector<int>{0, 1});
        CHECK(report.bytes > 60 * 8 * 12);
        const ExchangeStatistics statistics = exchange.statistics();
        CHECK(statistics.rounds == 60);
        REQUIRE(statistics.pairs.size() == 7);
        for (const PairStatistics& pair : statistics.pairs) {
            CHECK(pair.attempts == 30);
            CHECK(pair.acceptance() > 0.5);
        }
    }
}

TEST_CASE("replica exchange colours a graph", "[replicas]") {
    const UndirectedGraph graph = ring(60, 4);
    ReplicaExchange exchange(DevicePool::host(1), coloring_model(graph, 5), {.temperatures = geometric_ladder(0.2, 1.3, 6), .seed = 4});
    exchange.run(100'000, 0.0);
    const std::vector<std::uint16_t> colors = colors_of_state(graph, exchange.gather_best().state);
    CHECK(exchange.gather_best().energy == 0);
    CHECK(coloring_conflicts(graph, colors) == 0);
    CHECK(error_of([&] { (void)colors_of_state(graph, {}); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)coloring_model(UndirectedGraph(), 3); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)coloring_model(graph, 0); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)coloring_model(graph, 121); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)coloring_model(UndirectedGraph(1025, {}), 60); }).category() == ErrorCategory::invalid_argument);
    // A class that is too large for devices ends a run, on the host too.
    const CheckedMachine machine(1);
    for (const DevicePool& pool : {DevicePool::host(1), DevicePool::all(machine.driver)}) {
        ReplicaExchange large(pool, coloring_model(UndirectedGraph(150, {}), 1), {.temperatures = {1}});
        CHECK(error_of([&] { large.run(1); }).category() == ErrorCategory::invalid_argument);
    }
}

TEST_CASE("statistics count round trips and which way replicas go", "[replicas]") {
    // Equal energies: every exchange is accepted, so each replica moves a step a round, up or down, and turns at the ends.
    ReplicaModel model = counter_model();
    model.advance_on_host = [](const HostReplica&) { return 5.0; };
    ReplicaExchange exchange(DevicePool::host(1), model, {.temperatures = {1, 2, 3, 4}, .sweeps_per_round = 1, .seed = 1});
    exchange.run(800);
    const ExchangeStatistics statistics = exchange.statistics();
    for (const PairStatistics& pair : statistics.pairs) CHECK(pair.acceptance() == 1);
    for (const double energy : statistics.mean_energies) CHECK(energy == 5);
    CHECK(statistics.round_trips > 4 * 800 / 8 - 8);
    CHECK(statistics.round_trips <= 4 * 800 / 8);
    CHECK(std::abs(statistics.mean_round_trip - 8) < 0.5);
    CHECK(statistics.upward[0] == 1);
    CHECK(statistics.upward[3] == 0);
    CHECK(std::abs(statistics.upward[1] - 0.5) < 0.02);
    exchange.reset_statistics();
    CHECK(exchange.statistics().rounds == 0);
    CHECK(exchange.statistics().pairs[0].attempts == 0);
    CHECK(exchange.rounds() == 800);
}

TEST_CASE("a run ends at its target, and the best replica is the one that was seen", "[replicas]") {
    const DevicePool pool = DevicePool::host(1);
    ReplicaExchange exchange(pool, ising_model(4), {.temperatures = geometric_ladder(1, 1.3, 6), .sweeps_per_round = 1, .seed = 3});
    CHECK(error_of([&] { (void)exchange.gather_best(); }).category() == ErrorCategory::not_ready);
    CHECK(error_of([&] { (void)exchange.energies(); }).category() == ErrorCategory::not_ready);
    CHECK(error_of([&] { exchange.attempt_exchanges(); }).category() == ErrorCategory::not_ready);
    exchange.run(100'000, -32.0);
    const BestReplica best = exchange.gather_best();
    CHECK(best.energy == -32);
    CHECK(best.round == exchange.rounds());
    CHECK(best.round < 100'000);
    CHECK(exchange.energies()[best.replica] == -32);
    for (std::size_t i = 1; i < 16; ++i) CHECK(best.state[i] == best.state[0]);
    exchange.run(50);
    CHECK(exchange.gather_best().round == best.round);  // the first of equals
    for (int i = 0; i < 3; ++i) {                       // a target is one of this call, whatever was seen before
        exchange.run(1000, -32.0);
        CHECK(std::ranges::count(exchange.energies(), -32.0) > 0);
    }
}

TEST_CASE("new temperatures hold from the next round on", "[replicas]") {
    ReplicaExchange exchange(DevicePool::host(1), ising_model(8), eight_replicas());
    exchange.run(50);
    const std::vector<double> cold = geometric_ladder(0.01, 1.001, 8);
    exchange.set_temperatures(cold);
    CHECK(exchange.temperatures() == cold);
    const std::vector<double> before = exchange.energies();
    exchange.run(1);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(exchange.energies()[i] <= before[i]);  // at 0 no energy rises
    CHECK(error_of([&] { exchange.set_temperatures({1, 2}); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { exchange.set_temperatures({8, 7, 6, 5, 4, 3, 2, 1}); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("what cannot run is refused", "[replicas]") {
    const DevicePool host = DevicePool::host(1);
    const auto refused = [](const DevicePool& pool, const ReplicaModel& model, const ReplicaExchangeConfig& config) {
        return error_of([&] { const ReplicaExchange exchange(pool, model, config); });
    };
    for (const std::vector<double>& temperatures :
         {std::vector<double>{}, {0}, {-1}, {2, 1}, {1, 1}, {1, std::nan("")}, {1, std::numeric_limits<double>::infinity()}}) {
        const Error error = refused(host, ising_model(4), {.temperatures = temperatures});
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK(std::string(error.location().file).find("replica_exchange_test") != std::string::npos);
    }
    CHECK(refused(host, ising_model(4), {.temperatures = {1}, .sweeps_per_round = 0}).category() == ErrorCategory::invalid_argument);
    for (const std::uint32_t side : {0u, 2u, 5u, 1u << 15})
        CHECK(error_of([&] { (void)ising_model(side); }).category() == ErrorCategory::invalid_argument);

    ReplicaModel odd = counter_model();
    odd.state_bytes = 8;
    CHECK(refused(host, odd, eight_replicas()).category() == ErrorCategory::invalid_argument);
    odd = counter_model();
    odd.temperature_bytes = 4;
    CHECK(refused(host, odd, eight_replicas()).category() == ErrorCategory::invalid_argument);
    odd = counter_model();
    odd.block_size = 0;
    CHECK(refused(host, odd, eight_replicas()).category() == ErrorCategory::invalid_argument);
    ReplicaModel only_device = counter_model();
    only_device.advance_on_host = nullptr;
    CHECK(refused(host, only_device, eight_replicas()).category() == ErrorCategory::unsupported);
    const CheckedMachine machine(1);
    const DevicePool pool = DevicePool::all(machine.driver);
    ReplicaModel only_host = counter_model();
    only_host.ptx.clear();
    CHECK(refused(pool, only_host, eight_replicas()).category() == ErrorCategory::unsupported);
    ReplicaModel wrong = counter_model();
    wrong.ptx = "no PTX";
    CHECK(refused(pool, wrong, eight_replicas()).category() == ErrorCategory::jit_failure);
    wrong = counter_model();
    wrong.kernel = "another";
    CHECK(refused(pool, wrong, eight_replicas()).category() == ErrorCategory::invalid_argument);

    ReplicaModel nan = counter_model();
    nan.advance_on_host = [](const HostReplica& replica) { return replica.replica == 3 ? std::nan("") : 1.0; };
    ReplicaExchange exchange(host, nan, eight_replicas());
    const Error error = error_of([&] { exchange.run(1); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK(std::string(error.what()).find("replica 3") != std::string::npos);
    CHECK(error_of([&] { (void)exchange.state(8); }).category() == ErrorCategory::invalid_argument);

    ReplicaExchange moved(std::move(exchange));
    CHECK(error_of([&] { exchange.run(1); }).category() == ErrorCategory::wrong_context);  // NOLINT(bugprone-use-after-move)
    CHECK(moved.replicas().size() == 8);
}

TEST_CASE("a checkpoint goes on as if nothing had happened, on other devices too", "[replicas]") {
    const CheckpointFile file;
    ReplicaExchange exchange(DevicePool::host(1), ising_model(6), eight_replicas());
    exchange.run(7);
    exchange.save(file.path());
    const Trajectory expected = trajectory_of(exchange, 9);
    const ExchangeStatistics statistics = exchange.statistics();
    const auto check = [&](const DevicePool& pool) {
        ReplicaExchange resumed = ReplicaExchange::resume(pool, ising_model(6), file.path());
        CHECK(resumed.rounds() == 7);
        CHECK(trajectory_of(resumed, 9) == expected);
        CHECK(resumed.statistics().pairs[3].accepted == statistics.pairs[3].accepted);
        CHECK(resumed.statistics().round_trips == statistics.round_trips);
        CHECK(resumed.gather_best().state == exchange.gather_best().state);
        CHECK(resumed.gather_best().round == exchange.gather_best().round);
    };
    check(DevicePool::host(1));
    const CheckedMachine machine(3);
    check(DevicePool::all(machine.driver));
}

TEST_CASE("a checkpoint that is damaged, or of something else, is refused", "[replicas]") {
    const CheckpointFile file;
    const DevicePool pool = DevicePool::host(1);
    ReplicaExchange exchange(pool, ising_model(4), {.temperatures = {1, 2}, .sweeps_per_round = 1, .seed = 1});
    exchange.run(1);
    exchange.save(file.path());
    const std::string bytes = file.bytes();
    const auto error_with = [&](const std::string& content) {
        file.write(content);
        return error_of([&] { (void)ReplicaExchange::resume(pool, ising_model(4), file.path()); });
    };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        CHECK(error_with(damaged).category() == ErrorCategory::invalid_argument);
    }
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        CHECK(error_with(bytes.substr(0, size)).category() == ErrorCategory::invalid_argument);
    }
    file.write(bytes);
    file.write_with_right_hash(bytes + "more");
    CHECK(error_of([&] { (void)ReplicaExchange::resume(pool, ising_model(4), file.path()); }).category() ==
          ErrorCategory::invalid_argument);
    file.write(bytes);
    const auto resumed_with = [&](const ReplicaModel& model) {
        return error_of([&] { (void)ReplicaExchange::resume(pool, model, file.path()); });
    };
    CHECK(resumed_with(ising_model(6)).category() == ErrorCategory::invalid_argument);
    ReplicaModel other = ising_model(4);
    other.data[0] = std::byte{6};
    CHECK(std::string(resumed_with(other).what()).find("other data") != std::string::npos);

    CHECK(error_of([&] { (void)ReplicaExchange::resume(pool, ising_model(4), "/nonexistent/file"); }).category() == ErrorCategory::io);
    CHECK(error_of([&] { exchange.save("/nonexistent/file"); }).category() == ErrorCategory::io);
    const std::filesystem::path folder = file.path().string() + ".folder";
    std::filesystem::create_directories(folder / "inside");
    CHECK(error_of([&] { exchange.save(folder); }).category() == ErrorCategory::io);  // a file cannot take the place of a folder
    CHECK_FALSE(std::filesystem::exists(folder.string() + ".unfinished"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("a checkpoint that was made to harm is refused, or runs", "[replicas]") {
    const CheckpointFile file;
    const DevicePool pool = DevicePool::host(1);
    int accepted = 0;
    for (const ReplicaModel& model : {ising_model(4), coloring_model(ring(5, 1), 3)}) {
        ReplicaExchange exchange(pool, model, {.temperatures = {1, 2, 3}, .sweeps_per_round = 1, .seed = 1});
        exchange.run(3);
        exchange.save(file.path());
        const std::string bytes = file.bytes();
        for (std::size_t i = CheckpointFile::content; i < bytes.size(); ++i) {
            for (const int flip : {1, 64, 255}) {
                std::string crafted = bytes;
                crafted[i] = static_cast<char>(crafted[i] ^ flip);
                file.write_with_right_hash(crafted);
                try {
                    ReplicaExchange resumed = ReplicaExchange::resume(pool, model, file.path());
                    resumed.advance(1);
                    resumed.attempt_exchanges();
                    ++accepted;
                } catch (const Error& error) {
                    CHECK(error.category() == ErrorCategory::invalid_argument);
                }
            }
        }
    }
    CHECK(accepted > 100);  // counts and random numbers can be any
}

TEST_CASE("a class that becomes too large in a sweep ends the run, in the same round on the host and on devices", "[replicas]") {
    // A star: its leaves gather in the colour that the hub does not have.
    std::vector<Edge> edges;
    for (std::uint32_t leaf = 1; leaf < 140; ++leaf) edges.push_back({0, leaf});
    const ReplicaModel model = coloring_model(UndirectedGraph(140, edges), 2);
    const CheckedMachine machine(1);
    std::vector<std::uint64_t> rounds;
    for (const DevicePool& pool : {DevicePool::host(1), DevicePool::all(machine.driver)}) {
        ReplicaExchange exchange(pool, model, {.temperatures = {0.2, 0.3}, .sweeps_per_round = 1, .seed = 1});
        CHECK(error_of([&] { exchange.run(500); }).category() == ErrorCategory::invalid_argument);
        rounds.push_back(exchange.rounds());
    }
    CHECK(rounds[0] > 0);
    CHECK(rounds[0] == rounds[1]);
}

TEST_CASE("each failing call of a round is told, and the checkpoint before goes on", "[replicas]") {
    const CheckpointFile file;
    Trajectory expected;
    {
        ReplicaExchange exchange(DevicePool::host(1), ising_model(4), eight_replicas());
        exchange.run(3);
        exchange.save(file.path());
        expected = trajectory_of(exchange, 2);
    }
    for (const char* const call : {"cuLaunchKernel", "cuStreamSynchronize", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync"}) {
        for (const auto duration : {cupool_sim_sticky, cupool_sim_lost}) {
            CAPTURE(call, duration);
            Machine machine(std::vector<SimulatedDevice>(2));
            const DevicePool pool = DevicePool::all(machine.driver);
            {
                ReplicaExchange exchange = ReplicaExchange::resume(pool, ising_model(4), file.path());
                machine.simulator.plan_fault({.call = call, .device = 1, .result = 700, .duration = duration});
                const auto fail = [&] {
                    exchange.run(1);
                    for (std::uint32_t replica = 0; replica < 8; ++replica) (void)exchange.state(replica);
                    exchange.set_temperatures(geometric_ladder(1, 1.3, 8));
                };
                CHECK(error_of(fail).category() == ErrorCategory::device_fault);
                CHECK(pool.fault().has_value());
                CHECK(error_of(fail).category() == ErrorCategory::device_fault);
            }
            machine.simulator.clear_faults();
        }
        ReplicaExchange resumed = ReplicaExchange::resume(DevicePool::host(1), ising_model(4), file.path());
        CHECK(trajectory_of(resumed, 2) == expected);
    }
}

TEST_CASE("after a call that failed midway only what is known is answered", "[replicas]") {
    const CheckpointFile file;
    Machine machine(std::vector<SimulatedDevice>(2));
    ReplicaExchange exchange(DevicePool::all(machine.driver), ising_model(4), eight_replicas());
    exchange.run(2);
    const BestReplica best = exchange.gather_best();
    machine.simulator.plan_fault("cuLaunchKernel", 2, 999);
    CHECK(error_of([&] { exchange.run(1); }).category() == ErrorCategory::internal);
    for (const auto& call : {std::function<void()>([&] { exchange.run(1); }), std::function<void()>([&] { exchange.attempt_exchanges(); }),
                             std::function<void()>([&] { exchange.save(file.path()); })}) {
        CHECK(error_of(call).category() == ErrorCategory::invalid_argument);
    }
    CHECK(exchange.gather_best().state == best.state);
    CHECK(exchange.statistics().rounds == 2);

    // The copy of the best state belongs to a round, too.
    ReplicaExchange first(DevicePool::all(machine.driver), ising_model(4), eight_replicas());
    machine.simulator.plan_fault("cuMemcpyDtoHAsync", 1, 999);
    CHECK(error_of([&] { first.run(1); }).category() == ErrorCategory::internal);
    CHECK(error_of([&] { first.run(1); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("calls of several threads run one after the other", "[replicas]") {
    ReplicaExchange exchange(DevicePool::host(1), ising_model(4), eight_replicas());
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) exchange.run(1);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(exchange.rounds() == 60);
    ReplicaExchange alone(DevicePool::host(1), ising_model(4), eight_replicas());
    alone.run(60);
    CHECK(exchange.energies() == alone.energies());
}

TEST_CASE("one temperature, and more devices than replicas", "[replicas]") {
    const CheckedMachine machine(3);
    ReplicaExchange exchange(DevicePool::all(machine.driver), ising_model(4), {.temperatures = {2}, .sweeps_per_round = 1, .seed = 1});
    CHECK(exchange.run(3).devices == std::vector<int>{0});
    CHECK(exchange.statistics().pairs.empty());
    CHECK(exchange.gather_best().replica == 0);
}

TEST_CASE("every failing call of making replicas is told, and nothing is left", "[replicas]") {
    for (const char* const call : {"cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuMemcpyHtoDAsync", "cuModuleLoadDataEx",
                                   "cuModuleGetFunction", "cuMemHostGetDevicePointer", "cuMemsetD8Async"}) {
        for (std::uint64_t nth = 1;; ++nth) {
            CAPTURE(call, nth);
            Machine machine(std::vector<SimulatedDevice>(2));
            const DevicePool pool = DevicePool::all(machine.driver);
            const auto make = [&] { return ReplicaExchange(pool, ising_model(4), eight_replicas()); };
            const std::uint64_t before = machine.simulator.call_count(call);
            (void)make();
            if (nth > machine.simulator.call_count(call) - before) break;
            machine.simulator.plan_fault(call, nth, 999);
            CHECK(error_of(make).category() == ErrorCategory::internal);
            (void)make().run(1);
        }
    }
}

TEST_CASE("replicas of a quarantined device wait for it", "[replicas]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.quarantine(0, "it is asked to");
    ReplicaExchange exchange(pool, ising_model(4), eight_replicas());
    CHECK(exchange.run(1).devices == std::vector<int>{1, 2});
    pool.quarantine(2, "it is asked to");
    const Error error = error_of([&] { exchange.run(1); });
    CHECK(error.category() == ErrorCategory::no_device);
    CHECK(std::string(error.what()).find("device 2") != std::string::npos);
    const CheckpointFile file;
    exchange.save(file.path());
    ReplicaExchange elsewhere = ReplicaExchange::resume(pool, ising_model(4), file.path());
    CHECK(elsewhere.run(1).devices == std::vector<int>{1});
    pool.readmit(2);
    exchange.run(1);
    CHECK(exchange.rounds() == 2);
    CHECK(exchange.energies() == elsewhere.energies());
}

TEST_CASE("a forked child is refused", "[replicas]") {
    ReplicaExchange exchange(DevicePool::host(1), ising_model(4), eight_replicas());
    exchange.run(1);
    const std::vector<Call> calls{
        {"run", [&] { exchange.run(1); }},
        {"advance", [&] { exchange.advance(1); }},
        {"attempt_exchanges", [&] { exchange.attempt_exchanges(); }},
        {"energies", [&] { (void)exchange.energies(); }},
        {"state", [&] { (void)exchange.state(0); }},
        {"gather_best", [&] { (void)exchange.gather_best(); }},
        {"statistics", [&] { (void)exchange.statistics(); }},
        {"save", [&] { exchange.save("/tmp/never"); }},
    };
    CHECK(in_child([&] { return first_not_forked(calls); }) == "");
}
