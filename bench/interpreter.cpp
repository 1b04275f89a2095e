// The simulator's PTX interpreter, on kernels that we ship: XYZZ additions by themselves, on one core, and a whole MSM on the simulated
// driver. The targets are 1 G lane-instructions a second, bounds checked, and 2 s.
#include <benchmark/benchmark.h>

#include <cstring>
#include <cupool/cupool.hpp>
#include <cupool/simulator/simulator.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "msm_layout.hpp"
#include "ptx/ptx.hpp"
#include "shipped_code.hpp"

namespace {

using cupool::detail::MsmPlan;

constexpr std::uint64_t alignment = 256;

/// One allocation, handed out in pieces.
class Memory : public cupool::ptx::GlobalMemory {
public:
    explicit Memory(std::size_t bytes) : bytes_(bytes + alignment) {
        void* begin = bytes_.data();
        std::size_t space = bytes_.size();
        range_ = {first, bytes, static_cast<std::byte*>(std::align(alignment, bytes, begin, space)), true};
    }

    template <class T>
    std::span<T> place(std::size_t count, T*& address) {
        const std::uint64_t start = next_;
        next_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
        if (next_ > first + range_.bytes) throw std::length_error("the bench's device memory is full");
        address = reinterpret_cast<T*>(start);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
        return {reinterpret_cast<T*>(range_.host + (start - first)), count};
    }

    cupool::ptx::MemoryRange find(std::uint64_t address) override {
        return address - range_.address < range_.bytes ? range_ : cupool::ptx::MemoryRange{};
    }

private:
    static constexpr std::uint64_t first = 0x5000'0000'0000;

    std::vector<std::byte> bytes_;
    cupool::ptx::MemoryRange range_;
    std::uint64_t next_ = first;
};

/// msm_accumulate_slots, all of whose points are in one bucket: 32 mixed XYZZ additions a thread.
void xyzz_additions(benchmark::State& state) {
    constexpr std::uint32_t share_size = 32;
    constexpr std::uint32_t share_count = 1024;
    constexpr std::uint32_t block_size = 128;
    constexpr std::uint32_t point_count = share_size * share_count;
    struct Point {
        cupool::BaseFieldElement<cupool::Curve::bn254> x, y;
    };
    struct Xyzz {
        cupool::BaseFieldElement<cupool::Curve::bn254> x, y, zz, zzz;
    };

    const auto program = cupool::ptx::Program::parse(cupool::detail::msm_accumulate_slots_bn254_code.ptx);
    Memory memory(32 << 20);
    std::vector<std::uint64_t> variables;
    for (const auto& variable : program.variables()) {
        std::byte* address = nullptr;
        const auto bytes = memory.place(variable.size, address);
        std::copy(variable.initial.begin(), variable.initial.end(), bytes.begin());
        variables.push_back(reinterpret_cast<std::uint64_t>(address));
    }

    MsmPlan plan{};
    plan.term_count = plan.slot_count = point_count;
    plan.bucket_count = plan.window_count = 1;
    plan.share_size = share_size;
    plan.share_count = share_count;
    // The work is the same whether points lie on the curve or not.
    Point* points = nullptr;
    std::mt19937_64 random(1);
    for (Point& point : memory.place(point_count, points)) {
        for (std::uint64_t& limb : point.x.limbs) limb = random() >> 4;
        for (std::uint64_t& limb : point.y.limbs) limb = random() >> 4;
    }
    plan.points = points;
    const auto slots = memory.place(point_count, plan.slots);
    for (std::uint32_t i = 0; i < point_count; ++i) slots[i] = i;
    memory.place(2, plan.starts)[1] = point_count;
    for (void** const sums : {&plan.buckets, &plan.unfinished, &plan.finished}) {
        Xyzz* row = nullptr;
        memory.place(share_count, row);
        *sums = row;
    }

    cupool::ptx::Launch launch;
    launch.entry = program.find_entry("msm_accumulate_slots").value();
    launch.grid = {share_count / block_size};
    launch.block = {block_size};
    launch.parameters = std::as_bytes(std::span(&plan, 1));
    launch.variable_addresses = variables;
    std::uint64_t lane_instructions = 0;
    for (auto _ : state) {
        const cupool::ptx::Outcome outcome = cupool::ptx::execute(program, launch, memory);
        if (!outcome) return state.SkipWithError(outcome.report.c_str());
        lane_instructions += outcome.lane_instructions;
    }
    state.counters["lane_instructions"] = benchmark::Counter(static_cast<double>(lane_instructions), benchmark::Counter::kIsRate);
    state.counters["additions"] = benchmark::Counter(static_cast<double>(state.iterations() * point_count), benchmark::Counter::kIsRate);
}
BENCHMARK(xyzz_additions)->Unit(benchmark::kMillisecond);

/// Copies, all kernels and the host's last steps; the module is loaded before.
void simulated_msm(benchmark::State& state) {
    constexpr auto curve = cupool::Curve::bn254;
    const cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY);
    cupool::LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    const auto driver = cupool::Driver::open(options);

    const auto count = static_cast<std::size_t>(state.range(0));
    const auto points = cupool::generator_multiples<curve>(1, count);
    std::vector<cupool::Scalar> scalars(count);
    std::mt19937_64 random(1);
    for (cupool::Scalar& scalar : scalars) {
        for (std::uint64_t& limb : scalar.limbs) limb = random();
    }
    cupool::MsmConfig config;
    config.ctx = cupool::DeviceContext::for_device(driver, 0);
    cupool::JacobianPoint<curve> result;
    const auto run = [&] {
        cupool::msm<curve>(std::span<const cupool::Scalar>(scalars), std::span<const cupool::AffinePoint<curve>>(points), config, result);
    };
    run();
    for (auto _ : state) run();
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(simulated_msm)->Arg(1 << 10)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
