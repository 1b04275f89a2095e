#include <array>
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
    std::string points_memory;  ///< empty: as bench.memory
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

/// The operands, laid where the options ask for them: points in device memory are in Montgomery form, as bases that stay there would be.
template <Curve C>
class PlacedOperands {
public:
    PlacedOperands(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, OperandMemory scalars_memory,
                   OperandMemory points_memory, const DevicePool& pool)
        : scalars_(scalars, scalars_memory, pool),
          points_(points_memory == OperandMemory::device ? montgomery_form(points) : points, points_memory, pool) {}

    AffinePoint<C> msm(const DevicePool& pool) const {
        JacobianPoint<C> sum;
        MsmConfig config;
        if (!scalars_.is_on_device() && !points_.is_on_device()) {
            pool.msm<C>(scalars_.host(), points_.host(), config, sum);
            return to_affine(sum);
        }
        config.ctx = pool.context_at(0);
        config.are_scalars_on_device = scalars_.is_on_device();
        config.are_points_on_device = points_.is_on_device();
        config.are_points_montgomery_form = points_.is_on_device();
        cupool::msm<C>(operand(scalars_), operand(points_), config, sum);
        return to_affine(points_.is_on_device() ? standard_form(sum) : sum);
    }

private:
    std::span<const AffinePoint<C>> montgomery_form(std::span<const AffinePoint<C>> points) {
        montgomery_form_.assign(points.begin(), points.end());
        points_to_montgomery_form<C>(montgomery_form_);
        return montgomery_form_;
    }
    static JacobianPoint<C> standard_form(const JacobianPoint<C>& point) {
        std::array<AffinePoint<C>, 2> coordinates{{{point.x, point.y}, {point.z, {}}}};
        points_from_montgomery_form<C>(coordinates);
        return {coordinates[0].x, coordinates[0].y, coordinates[1].x};
    }
    template <class T>
    static Operand<T> operand(const PlacedArray<T>& array) {
        return array.is_on_device() ? Operand<T>(array.device()) : Operand<T>(array.host());
    }

    std::vector<AffinePoint<C>> montgomery_form_;
    PlacedArray<Scalar> scalars_;
    PlacedArray<AffinePoint<C>> points_;
};

template <Curve C>
BenchResult bench_size(unsigned exponent, std::span<const AffinePoint<C>> points, const DevicePool& pool, OperandMemory scalars_memory,
                       OperandMemory points_memory, const BenchOptions& options, std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " points");
    progress.show();
    const auto scalars = random_scalars<C>(points.size(), random);
    const auto expected = multiply(generator<C>(), weighted_sum<C>(scalars));
    const PlacedOperands<C> operands(scalars, points, scalars_memory, points_memory, pool);
    AffinePoint<C> sum;
    BenchResult result{exponent, {}, {}};
    result.timing = measure(
        options.runs, progress, [&] { sum = operands.msm(pool); },
        [&] {
            if (sum != expected) throw CheckFailed("the MSM of 2^" + std::to_string(exponent) + " points is not its closed form");
        });
    if (options.check) result.checked_by = check_msm<C>(points, scalars, expected, pool, options.engine);
    return result;
}

template <Curve C>
std::string bench_msm(const BenchMsmOptions& options) {
    const auto pool = open_pool(options.bench.engine);
    const auto& points_memory = options.points_memory.empty() ? options.bench.memory : options.points_memory;
    const auto scalars_at = operand_memory("--memory", options.bench.memory, pool);
    const auto points_at = operand_memory("--points", points_memory, pool);
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
        results.push_back(bench_size<C>(exponent, std::span(points).first(std::size_t{1} << exponent), pool, scalars_at, points_at,
                                        options.bench, random));
    }
    return bench_output({{"benchmark", "msm"}, {"curve", options.curve}, {"points_memory", points_memory}}, "points", options.bench, pool,
                        results);
}

}  // namespace

void add_bench_msm_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchMsmOptions>();
    options->bench.sizes = {10, 14, 16};
    auto& command =
        *bench.add_subcommand("msm", "MSMs of the points (i + 1) * G by uniform scalars, each held against (sum s_i (i + 1) mod r) * G");
    add_curve_option(command, options->curve);
    add_bench_options(command, options->bench, largest_exponent);
    command
        .add_option("--points", options->points_memory, "where the points lie, if not where the scalars do; on a device in Montgomery form")
        ->check(CLI::IsMember({"host", "pinned", "device"}).description(""))
        ->type_name("host|pinned|device");
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return bench_msm<C>(*options); }); });
}

}  // namespace cupool::tools
