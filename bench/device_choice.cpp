// The cost of choosing a device: round robin beside the bare counter that it uses, and the balancer.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <cupool/simulator/simulator.hpp>
#include <set>
#include <vector>

#include "require.hpp"

namespace {

constexpr std::size_t devices = 3;

void bare_counter(benchmark::State& state) {
    static std::atomic<std::uint64_t> counter{0};
    for (auto _ : state) benchmark::DoNotOptimize(counter.fetch_add(1, std::memory_order_relaxed));
}
BENCHMARK(bare_counter)->ThreadRange(1, 16)->UseRealTime();

/// A pool of simulated devices; round robin does not call the driver.
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
    if (state.threads() != 1) return;  // other threads may still be running
    std::set<int> chosen;
    for (std::size_t i = 0; i < devices; ++i) chosen.insert(turns.next_device());
    require(chosen.size() == devices, "as many turns as there are devices do not reach all of them");
}
BENCHMARK(next_device)->ThreadRange(1, 16)->UseRealTime();

/// Devices of equal speed have the same number of leases of equal work, or one more.
void require_even(const cupool::LoadBalancer& balancer) {
    const std::vector<cupool::DeviceLoad> loads = balancer.loads();
    const auto [least, most] =
        std::minmax_element(loads.begin(), loads.end(), [](const auto& a, const auto& b) { return a.in_flight < b.in_flight; });
    require(most->in_flight != 0 && most->in_flight - least->in_flight <= 1, "equally fast devices do not share the work evenly");
}

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
        require_even(balancer);
        leases.clear();
        state.ResumeTiming();
    }
}
BENCHMARK(select_device)->Arg(1)->Arg(3)->Arg(8);

/// Also ends the lease.
void select_and_complete(benchmark::State& state) {
    std::vector<cupool::LoadBalancer::Candidate> candidates;
    for (int device = 0; device < state.range(0); ++device) candidates.push_back({device, 1.0});
    cupool::LoadBalancer balancer(candidates);
    for (auto _ : state) balancer.select_device(100).complete();
    for (const cupool::DeviceLoad& load : balancer.loads()) require(load.in_flight == 0, "work that is complete is still in flight");
}
BENCHMARK(select_and_complete)->Arg(1)->Arg(3)->Arg(8);

}  // namespace
