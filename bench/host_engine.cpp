// Jobs of the host engine on one core: shows the effect of a change to field or curve arithmetic.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cupool/cupool.hpp>
#include <numeric>
#include <vector>

#include "msm_operands.hpp"
#include "require.hpp"

namespace {

template <cupool::Curve C>
void host_msm(benchmark::State& state) {
    const MsmOperands<C> operands(static_cast<std::size_t>(state.range(0)));
    cupool::MsmConfig config;
    config.ctx = cupool::DeviceContext::host(1);
    cupool::JacobianPoint<C> result;
    for (auto _ : state) {
        cupool::msm<C>(operands.scalars(), operands.points(), config, result);
        benchmark::DoNotOptimize(result);
    }
    operands.check(result);
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(host_msm<cupool::Curve::bn254>)->RangeMultiplier(16)->Range(1 << 6, 1 << 14)->Unit(benchmark::kMillisecond);
BENCHMARK(host_msm<cupool::Curve::bls12_381>)->RangeMultiplier(16)->Range(1 << 6, 1 << 14)->Unit(benchmark::kMillisecond);
BENCHMARK(host_msm<cupool::Curve::bls12_377>)->RangeMultiplier(16)->Range(1 << 6, 1 << 14)->Unit(benchmark::kMillisecond);
BENCHMARK(host_msm<cupool::Curve::bn254_g2>)->RangeMultiplier(16)->Range(1 << 6, 1 << 14)->Unit(benchmark::kMillisecond);
BENCHMARK(host_msm<cupool::Curve::bls12_381_g2>)->RangeMultiplier(16)->Range(1 << 6, 1 << 14)->Unit(benchmark::kMillisecond);

template <class T>
void host_sum(benchmark::State& state) {
    std::vector<T> input(static_cast<std::size_t>(state.range(0)));
    std::iota(input.begin(), input.end(), T{1});
    const auto context = cupool::DeviceContext::host(1);
    T result{};
    for (auto _ : state) {
        cupool::reduce<T>(std::span<const T>(input), cupool::ReduceOperation::sum, context, result);
        benchmark::DoNotOptimize(result);
    }
    const auto count = static_cast<std::uint64_t>(state.range(0));
    require(result == static_cast<T>(count * (count + 1) / 2), "a sum is not its closed form");
    state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(sizeof(T)));
}
BENCHMARK(host_sum<std::uint32_t>)->RangeMultiplier(64)->Range(1 << 12, 1 << 24);
BENCHMARK(host_sum<double>)->RangeMultiplier(64)->Range(1 << 12, 1 << 24);

}  // namespace
