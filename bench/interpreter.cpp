// The PTX interpreter of the simulator on kernels that we ship: XYZZ additions alone, on one core, and
// a whole MSM on the simulated driver. The targets are 10^9 lane-instructions a second with bounds
// checks, and 2 s.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cupool/cupool.hpp>
#include <cupool/simulator/simulator.hpp>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "curve/host_curve.hpp"
#include "msm/device/plan.hpp"
#include "msm/device/workspace_layout.hpp"
#include "msm/scalar_range.hpp"
#include "msm_operands.hpp"
#include "ptx/ptx.hpp"
#include "require.hpp"
#include "support/shipped_code.hpp"

namespace {

using cupool::detail::MsmKernelParams;
using cupool::detail::MsmPlan;

constexpr auto curve = cupool::Curve::bn254;
using Point = cupool::AffinePoint<curve>;
using Sum = cupool::detail::HostXyzz<curve>;

/// An arena: one allocation of device memory, from which take() cuts arrays.
class Memory : public cupool::ptx::GlobalMemory {
public:
    explicit Memory(std::size_t bytes) : bytes_(bytes + alignment) {
        void* begin = bytes_.data();
        std::size_t space = bytes_.size();
        range_ = {first, bytes, static_cast<std::byte*>(std::align(alignment, bytes, begin, space)), true};
    }

    /// The address of the next array, a multiple of 256.
    std::uint64_t next() const { return next_; }

    template <class T>
    T* take(std::size_t count) {
        const std::uint64_t start = next_;
        next_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
        if (next_ > first + range_.bytes) throw std::length_error("the bench's device memory is full");
        return reinterpret_cast<T*>(start);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
    }

    /// Host access to the elements at a device address.
    template <class T>
    std::span<T> at(T* address, std::size_t count) {
        return {reinterpret_cast<T*>(range_.host + (reinterpret_cast<std::uint64_t>(address) - first)), count};
    }

    cupool::ptx::MemoryRange find(std::uint64_t address) override {
        return address - range_.address < range_.bytes ? range_ : cupool::ptx::MemoryRange{};
    }

private:
    static constexpr std::uint64_t first = 0x5000'0000'0000;
    static constexpr std::uint64_t alignment = 256;

    std::vector<std::byte> bytes_;
    cupool::ptx::MemoryRange range_;
    std::uint64_t next_ = first;
};

/// \return the addresses of the module's variables, for its launches
std::vector<std::uint64_t> place_variables(const cupool::ptx::Program& program, Memory& memory) {
    std::vector<std::uint64_t> addresses;
    for (const auto& variable : program.variables()) {
        std::byte* const address = memory.take<std::byte>(variable.size);
        std::copy(variable.initial.begin(), variable.initial.end(), memory.at(address, variable.size).begin());
        addresses.push_back(reinterpret_cast<std::uint64_t>(address));
    }
    return addresses;
}

/// What the library plans for the sum of `point_count` points whose scalars are all 1, so that they are in one bucket of one row. The
/// library places it, too; what the sort would write is written here.
MsmKernelParams plan_one_bucket(std::uint32_t point_count, Memory& memory) {
    constexpr std::size_t coordinate_bytes = sizeof(cupool::BaseFieldElement<curve>);
    MsmPlan plan = cupool::detail::make_msm_plan({.scalar_count = point_count,
                                                  .scalars = cupool::detail::scalar_range<curve>(1),
                                                  .choice = {.width = 2},
                                                  .multiprocessors = 2,
                                                  .coordinate_bytes = coordinate_bytes});
    memory.take<std::byte>(cupool::detail::place_msm_sums(plan, coordinate_bytes, memory.next()));
    memory.take<std::byte>(cupool::detail::place_msm_workspace(plan, coordinate_bytes, memory.next()));
    MsmKernelParams& params = plan.params;
    require(params.rows.count == 1 && params.rounds.count == 0, "the plan does not have one row without batched-affine rounds");

    std::vector<Point> multiples = cupool::generator_multiples<curve>(1, point_count);
    cupool::points_to_montgomery_form<curve>(multiples);
    Point* const points = memory.take<Point>(point_count);
    std::copy(multiples.begin(), multiples.end(), memory.at(points, point_count).begin());
    params.operands.points = points;
    const std::span<std::uint32_t> slots = memory.at(params.sort.slots, params.sort.slot_count);
    std::iota(slots.begin(), slots.end(), 0u);
    const std::span<std::uint32_t> starts = memory.at(params.sort.bucket_starts, params.rows.bucket_count + 1);
    std::fill(starts.begin() + 1, starts.end(), point_count);
    return params;
}

/// The sum of the bucket: its last interval is in `finished`, the others are in `unfinished`.
Sum bucket_sum(const MsmKernelParams& params, Memory& memory) {
    Sum sum = memory.at(static_cast<Sum*>(params.accumulation.finished), params.accumulation.interval_count).back();
    for (const Sum& interval : memory.at(static_cast<Sum*>(params.accumulation.unfinished), params.accumulation.interval_count - 1))
        sum += interval;
    return sum;
}

/// msm_accumulate_slots, all of whose points are in one bucket: mixed XYZZ additions, and hardly anything else.
void xyzz_additions(benchmark::State& state) {
    constexpr std::uint32_t point_count = 1 << 14;
    constexpr std::uint32_t block_size = cupool::detail::point_block_size;
    const auto program = cupool::ptx::Program::parse(cupool::detail::msm_accumulate_slots_bn254_code.ptx);
    Memory memory(32 << 20);
    const std::vector<std::uint64_t> variables = place_variables(program, memory);
    const MsmKernelParams params = plan_one_bucket(point_count, memory);

    cupool::ptx::Launch launch;
    launch.entry = program.find_entry("msm_accumulate_slots").value();
    launch.grid = {(params.accumulation.interval_count + block_size - 1) / block_size};
    launch.block = {block_size};
    launch.parameters = std::as_bytes(std::span(&params, 1));
    launch.variable_addresses = variables;
    std::uint64_t lane_instructions = 0;
    for (auto _ : state) {
        const cupool::ptx::Outcome outcome = cupool::ptx::execute(program, launch, memory);
        require(static_cast<bool>(outcome), outcome.report.c_str());
        lane_instructions += outcome.lane_instructions;
    }
    const cupool::Scalar factor{{std::uint64_t{point_count} * (point_count + 1) / 2}};
    require(
        cupool::detail::store_affine<curve>(normalized(bucket_sum(params, memory)), false) == multiply(cupool::generator<curve>(), factor),
        "the bucket's sum is not its closed form");
    const std::uint32_t additions = point_count - params.accumulation.interval_count;  // a interval begins with its first point
    state.counters["lane_instructions"] = benchmark::Counter(static_cast<double>(lane_instructions), benchmark::Counter::kIsRate);
    state.counters["additions"] = benchmark::Counter(static_cast<double>(state.iterations() * additions), benchmark::Counter::kIsRate);
}
BENCHMARK(xyzz_additions)->Unit(benchmark::kMillisecond);

/// Copies, all kernels and the last steps of the host; the module is loaded already.
void simulated_msm(benchmark::State& state) {
    const cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY);
    cupool::LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    const auto driver = cupool::Driver::open(options);

    const MsmOperands<curve> operands(static_cast<std::size_t>(state.range(0)));
    cupool::MsmConfig config;
    config.ctx = cupool::DeviceContext::for_device(driver, 0);
    cupool::JacobianPoint<curve> result;
    const auto run = [&] { cupool::msm<curve>(operands.scalars(), operands.points(), config, result); };
    run();
    for (auto _ : state) run();
    operands.check(result);
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(simulated_msm)->Arg(1 << 10)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
