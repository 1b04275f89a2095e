// What choosing a device costs: turns beside the bare counter they are made of, and the balancer.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <cupool/simulator/simulator.hpp>
#include <vector>

namespace {

constexpr std::size_t devices = 3;

void bare_counter(benchmark::State& state) {
    static std::atomic<std::uint64_t> counter{0};
    for (auto _ : state) benchmark::DoNotOptimize(counter.fetch_add(1, std::memory_order_relaxed));
}
BENCHMARK(bare_counter)->ThreadRange(1, 16)->UseRealTime();

/// A pool of simulated devices: taking turns asks no driver.
const cupool::DevicePool& pool() {
    static cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, std::vector<cupool::SimulatedDevice>(devices));
    static const cupool::DevicePool instance = [] {
        cupool::LoadOptions options;
        options.library_path = CUPOOL_SIMULATOR_LIBRARY;
        return cupool::DevicePool::all(cupool::Driver::open(options));
    }();
    return instance;
}

void next_device(benchmark::State& state) {
    const cupool::DevicePool& turns = pool();
    for (auto _ : state) benchmark::DoNotOptimize(turns.next_device());
}
BENCHMARK(next_device)->ThreadRange(1, 16)->UseRealTime();

void select_device(benchmark::State& state) {
    constexpr int batch = 1024;
    std::vector<cupool::LoadBalancer::Candidate> candidates;
    for (int device = 0; device < state.range(0); ++device) candidates.push_back({device, 1.0});
    cupool::LoadBalancer balancer(candidates);
    std::vector<cupool::LoadBalancer::Lease> leases;
    leases.reserve(batch);
    while (state.KeepRunningBatch(batch)) {
        for (int i = 0; i < batch; ++i) leases.push_back(balancer.select_device(100));
        state.PauseTiming();
        leases.clear();
        state.ResumeTiming();
    }
}
BENCHMARK(select_device)->Arg(1)->Arg(3)->Arg(8);

/// And tells it that the work is done.
void select_and_complete(benchmark::State& state) {
    std::vector<cupool::LoadBalancer::Candidate> candidates;
    for (int device = 0; device < state.range(0); ++device) candidates.push_back({device, 1.0});
    cupool::LoadBalancer balancer(candidates);
    for (auto _ : state) balancer.select_device(100).complete();
}
BENCHMARK(select_and_complete)->Arg(1)->Arg(3)->Arg(8);

}  // namespace
