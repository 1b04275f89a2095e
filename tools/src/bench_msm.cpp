#include <cupool/kernels/point.hpp>
#include <memory>
#include <random>

#include "src/bench.hpp"
#include "src/closed_form.hpp"
#include "src/curve_option.hpp"
#include "src/msm_check.hpp"
#include "src/operand_memory.hpp"
#include "src/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 28;

struct BenchMsmOptions {
    std::string curve = "bn254";
    BenchOptions bench;
};

/// Uniform below r, by rejection.
template <Curve C>
std::vector<Scalar> random_scalars(std::size_t count, std::mt19937_64& random) {
    const std::uint64_t top_limb = ~std::uint64_t{0} >> (256 - scalar_bits<C>);
    std::vector<Scalar> scalars(count);
    for (auto& scalar : scalars) {
        do {
            for (auto& limb : scalar.limbs) limb = random();
            scalar.limbs[3] &= top_limb;
        } while (!is_reduced_scalar<C>(scalar));
    }
    return scalars;
}

template <Curve C>
void run_msm(const DevicePool& pool, const PlacedArray<Scalar>& scalars, const PlacedArray<AffinePoint<C>>& points,
             JacobianPoint<C>& result) {
    MsmConfig config;
    if (!points.is_on_device()) {
        pool.msm<C>(scalars.host(), points.host(), config, result);
        return;
    }
    config.ctx = pool.context_at(0);
    config.are_scalars_on_device = true;
    config.are_points_on_device = true;
    msm<C>(scalars.device(), points.device(), config, result);
}

template <Curve C>
BenchResult bench_size(unsigned exponent, std::span<const AffinePoint<C>> points, const DevicePool& pool, OperandMemory memory,
                       const BenchOptions& options, std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " points");
    progress.show();
    const auto scalars = random_scalars<C>(points.size(), random);
    const auto expected = multiply(generator<C>(), weighted_sum<C>(scalars));
    const PlacedArray<Scalar> placed_scalars(scalars, memory, pool);
    const PlacedArray<AffinePoint<C>> placed_points(points, memory, pool);
    JacobianPoint<C> sum;
    BenchResult result{exponent, {}, {}};
    result.timing = measure(
        options.runs, progress, [&] { run_msm<C>(pool, placed_scalars, placed_points, sum); },
        [&] {
            if (to_affine(sum) != expected)
                throw CheckFailed("the MSM of 2^" + std::to_string(exponent) + " points is not its closed form");
        });
    if (options.check) result.checked_by = check_msm<C>(points, scalars, expected, pool, options.engine);
    return result;
}

template <Curve C>
std::string bench_msm(const BenchMsmOptions& options) {
    const auto pool = open_pool(options.bench.engine);
    const auto memory = operand_memory(options.bench.memory, pool);
    const auto& sizes = options.bench.sizes;
    std::vector<AffinePoint<C>> points;
    {
        Progress progress("making points");
        progress.show();
        points = generator_multiples<C>(1, std::size_t{1} << *std::max_element(sizes.begin(), sizes.end()));
    }
    std::mt19937_64 random(std::random_device{}());
    std::vector<BenchResult> results;
    for (const auto exponent : sizes) {
        results.push_back(
            bench_size<C>(exponent, std::span(points).first(std::size_t{1} << exponent), pool, memory, options.bench, random));
    }
    return bench_output({{"benchmark", "msm"}, {"curve", options.curve}}, "points", options.bench, pool, results);
}

}  // namespace

void add_bench_msm_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchMsmOptions>();
    options->bench.sizes = {10, 14, 16};
    auto& command =
        *bench.add_subcommand("msm", "MSMs of the points (i + 1) * G by uniform scalars, each held against (sum s_i (i + 1) mod r) * G");
    add_curve_option(command, options->curve);
    add_bench_options(command, options->bench, largest_exponent);
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return bench_msm<C>(*options); }); });
}

}  // namespace cupool::tools
