#include <algorithm>
#include <array>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <memory>
#include <optional>
#include <random>

#include "bench/bench.hpp"
#include "bench/msm_bound.hpp"
#include "bench/msm_inputs.hpp"
#include "bench/operand_memory.hpp"
#include "checks/msm_check.hpp"
#include "options/curve_option.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 28;

struct BenchMsmOptions {
    std::string curve = "bn254";
    std::string points_memory;  ///< empty: the same as bench.memory
    std::string results_memory = "host";
    std::string inputs = "uniform";
    int tables = 0;
    int width = 0;
    std::size_t msms = 1;
    std::uint64_t budget = 0;
    BenchOptions bench;
};

/// The kind of MSM to measure at every size.
struct MsmBench {
    MsmInputs inputs;
    OperandMemory scalars_memory;
    OperandMemory points_memory;
    OperandMemory results_memory;
    int tables;            ///< of prepared bases; 0 if the bases are not prepared
    int width;             ///< bits of a digit; 0 to choose it by size
    std::size_t msms;      ///< in one call, all over the same points
    std::uint64_t budget;  ///< bytes of device memory that an MSM may use; 0 for no limit
    const BenchOptions& options;
    const DevicePool& pool;

    /// Whether the benchmark calls the only member of the pool directly.
    bool is_of_one_member() const { return tables != 0 || msms > 1 || results_memory == OperandMemory::device; }
};

/// The operands in the memory that the options name. Points in device memory are in Montgomery
/// form, like bases that stay there.
template <Curve C>
class PlacedOperands {
public:
    PlacedOperands(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmBench& bench)
        : bench_(bench),
          scalars_(scalars, bench.scalars_memory, bench.pool),
          points_(bench.points_memory == OperandMemory::device ? montgomery_form(points) : points, bench.points_memory, bench.pool),
          sums_(bench.msms) {
        if (bench.results_memory == OperandMemory::device) results_.emplace(bench.msms, bench.pool.context_at(0));
        if (bench.tables == 0) return;
        PrepareConfig prepare;
        prepare.ctx = bench.pool.context_at(0);
        prepare.c = bench.width;
        prepare.precompute_factor = bench.tables;
        prepared_.emplace(Operand<AffinePoint<C>>(points), prepare);
    }

    /// The part that is timed.
    void run() {
        if (!scalars_.is_on_device() && !points_.is_on_device() && !bench_.is_of_one_member()) {
            MsmConfig config;
            config.c = bench_.width;
            config.memory_budget = bench_.budget;
            bench_.pool.msm<C>(scalars_.host(), points_.host(), config, sums_[0]);
        } else if (results_) {
            run_on_one_member(results_->span());
        } else {
            run_on_one_member(std::span(sums_));
        }
    }

    /// The results of the last run.
    std::vector<AffinePoint<C>> sums() {
        if (results_) copy(std::span(sums_), results_->span(), results_->stream());
        const bool is_montgomery = points_.is_on_device() && !prepared_;
        std::vector<AffinePoint<C>> points;
        for (const auto& sum : sums_) points.push_back(to_affine(is_montgomery ? standard_form(sum) : sum));
        return points;
    }

private:
    template <class Results>
    void run_on_one_member(Results results) {
        MsmConfig config;
        config.ctx = bench_.pool.context_at(0);
        config.c = bench_.width;
        config.memory_budget = bench_.budget;
        config.are_scalars_on_device = scalars_.is_on_device();
        config.are_results_on_device = results_.has_value();
        if (prepared_) {
            msm<C>(operand(scalars_), *prepared_, config, results);
            return;
        }
        config.are_points_on_device = points_.is_on_device();
        config.are_points_montgomery_form = points_.is_on_device();
        msm<C>(operand(scalars_), operand(points_), config, results);
    }
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

    const MsmBench& bench_;
    std::vector<AffinePoint<C>> montgomery_form_;
    PlacedArray<Scalar> scalars_;
    PlacedArray<AffinePoint<C>> points_;
    std::optional<PreparedBases<C>> prepared_;
    std::vector<JacobianPoint<C>> sums_;
    std::optional<DeviceBuffer<JacobianPoint<C>>> results_;  ///< if they stay on the device
};

template <Curve C>
BenchResult bench_size(unsigned exponent, std::span<const AffinePoint<C>> points, const MsmBench& bench, std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " points");
    progress.show();
    const auto scalars = bench_scalars<C>(bench.inputs, bench.msms * points.size(), random);
    std::vector<AffinePoint<C>> expected;
    for (std::size_t msm = 0; msm < bench.msms; ++msm)
        expected.push_back(bench_sum<C>(bench.inputs, std::span(scalars).subspan(msm * points.size(), points.size())));
    PlacedOperands<C> operands(scalars, points, bench);
    BenchResult result{exponent, bench.msms, {}, {}, {}};
    result.timing = measure(
        bench.options.runs, progress, [&] { operands.run(); },
        [&] {
            if (operands.sums() != expected)
                throw CheckFailed("the MSM of 2^" + std::to_string(exponent) + " points is not its closed form");
        });
    if (bench.inputs == MsmInputs::uniform && !bench.is_of_one_member())
        result.bound = msm_bound_milliseconds(C, points.size(), bench.pool);
    if (bench.options.check) {
        const auto first = std::span(scalars).first(points.size());
        result.checked_by = check_msm<C>(points, first, expected[0], bench.pool.engine(), bench.options.engine);
    }
    return result;
}

template <Curve C>
std::string bench_msm(const BenchMsmOptions& options) {
    const auto pool = open_pool(options.bench.engine);
    const auto& points_memory = options.points_memory.empty() ? options.bench.memory : options.points_memory;
    const MsmBench bench{msm_inputs(options.inputs),
                         operand_memory("--memory", options.bench.memory, pool),
                         operand_memory("--points", points_memory, pool),
                         operand_memory("--results", options.results_memory, pool),
                         options.tables,
                         options.width,
                         options.msms,
                         options.budget,
                         options.bench,
                         pool};
    if (bench.is_of_one_member() && pool.device_count() != 1)
        throw UsageError("--tables and --msms are for one GPU; choose it with --devices");
    const auto& sizes = options.bench.sizes;
    std::vector<AffinePoint<C>> points;
    {
        Progress progress("making points");
        progress.show();
        points = bench_points<C>(bench.inputs, std::size_t{1} << *std::max_element(sizes.begin(), sizes.end()));
    }
    std::mt19937_64 random(std::random_device{}());
    std::vector<BenchResult> results;
    for (const auto exponent : sizes) {
        results.push_back(bench_size<C>(exponent, std::span(points).first(std::size_t{1} << exponent), bench, random));
    }
    return bench_output({{"benchmark", "msm"},
                         {"curve", options.curve},
                         {"inputs", options.inputs},
                         {"points_memory", points_memory},
                         {"results_memory", options.results_memory},
                         {"tables", options.tables},
                         {"width", options.width},
                         {"msms", options.msms},
                         {"budget", options.budget}},
                        "points", options.bench, pool, results);
}

}  // namespace

void add_bench_msm_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchMsmOptions>();
    options->bench.sizes = {10, 14, 16};
    auto& command = *bench.add_subcommand("msm", "MSMs of multiples of G by random scalars, each held against its closed form");
    add_curve_option(command, options->curve);
    add_bench_options(command, options->bench, largest_exponent);
    command
        .add_option("--points", options->points_memory, "where the points lie, if not where the scalars do; on a device in Montgomery form")
        ->check(CLI::IsMember({"host", "pinned", "device"}).description(""))
        ->type_name("host|pinned|device");
    command.add_option("--results", options->results_memory, "where the results go, as far as the clock runs")
        ->capture_default_str()
        ->check(CLI::IsMember({"host", "device"}).description(""))
        ->type_name("host|device");
    command
        .add_option("--inputs", options->inputs,
                    "the scalars: uniform below r, 90% zeros, 90% ones, all equal, below 2^32; or uniform with every point the same")
        ->capture_default_str()
        ->check(CLI::IsMember(msm_input_names()).description(""))
        ->type_name("uniform|zeros|ones|equal|small|same-point");
    command
        .add_option("--tables", options->tables,
                    "prepare the points beforehand on one GPU, with so many tables of multiples (1: none but themselves)")
        ->check(CLI::Range(1, 64).description(""))
        ->type_name("N");
    command.add_option("--width", options->width, "bits of the digits into which scalars are cut; 0 chooses by size")
        ->capture_default_str()
        ->check(CLI::Range(0, 21).description(""))
        ->type_name("N");
    command.add_option("--msms", options->msms, "MSMs in one call on one GPU, over the same points")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 16).description(""))
        ->type_name("N");
    command
        .add_option("--budget", options->budget,
                    "bytes of device memory that the MSM may take on each GPU beside operands that lie there; 0 for no limit")
        ->capture_default_str()
        ->type_name("BYTES");
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return bench_msm<C>(*options); }); });
}

}  // namespace cupool::tools
