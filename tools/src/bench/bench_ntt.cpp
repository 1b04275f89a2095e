#include <cupool/pool/pooled_ntt.hpp>
#include <memory>
#include <random>

#include "bench/bench.hpp"
#include "bench/multiply_rate.hpp"
#include "bench/operand_memory.hpp"
#include "bench/random_scalars.hpp"
#include "options/curve_option.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 28;

struct BenchNttOptions {
    std::string curve;
    bool inverse = false;
    std::uint64_t coset = 1;
    BenchOptions bench;
};

/// The transform to measure, over a pool.
template <Curve C>
class NttJob {
public:
    NttJob(const std::vector<Scalar>& inputs, OperandMemory memory, const BenchNttOptions& options, const DevicePool& pool)
        : inputs_(inputs),
          placed_(inputs, memory, pool),
          options_(options),
          pool_(pool),
          domain_(pool, inputs.size()),
          outputs_(inputs.size()) {
        if (placed_.is_on_device()) device_outputs_ = DeviceBuffer<Scalar>(inputs.size(), pool.context_at(0));
    }

    /// The part that is timed.
    void run() {
        NttConfig config{.coset_gen = Scalar{{options_.coset}}};
        config.are_inputs_on_device = config.are_outputs_on_device = placed_.is_on_device();
        const auto outputs = placed_.is_on_device() ? PoolOutputOperand<Scalar>(device_outputs_) : PoolOutputOperand<Scalar>(outputs_);
        report_ = ntt<C>(placed_.operand(), direction(), domain_, config, outputs);
    }

    /// The first outputs, transformed back, are the inputs; later ones are the first.
    bool is_right() {
        if (placed_.is_on_device()) copy(std::span(outputs_), device_outputs_.span(), pool_.context_at(0).stream());
        if (expected_.empty()) {
            if (transformed(outputs_, pool_, opposite_direction()) != inputs_) return false;
            expected_ = outputs_;
        }
        return outputs_ == expected_;
    }

    std::string check() const {
        const DevicePool other = open_second_pool(pool_.engine(), options_.bench.engine);
        if (transformed(inputs_, other, direction()) != expected_) throw CheckFailed("the transform on " + to_string(other) + " differs");
        return "the same transform on " + to_string(other);
    }

    /// The devices that took part.
    const std::vector<int>& devices() const { return report_.devices; }

private:
    NttDirection direction() const { return options_.inverse ? NttDirection::inverse : NttDirection::forward; }
    NttDirection opposite_direction() const { return options_.inverse ? NttDirection::forward : NttDirection::inverse; }

    std::vector<Scalar> transformed(const std::vector<Scalar>& inputs, const DevicePool& pool, NttDirection direction) const {
        std::vector<Scalar> outputs(inputs.size());
        const NttConfig config{.coset_gen = Scalar{{options_.coset}}};
        ntt<C>(inputs, direction, PooledNttDomain<C>(pool, inputs.size()), config, outputs);
        return outputs;
    }

    const std::vector<Scalar>& inputs_;
    PlacedArray<Scalar> placed_;
    const BenchNttOptions& options_;
    const DevicePool& pool_;
    PooledNttDomain<C> domain_;
    RunReport report_;
    std::vector<Scalar> outputs_;
    DeviceBuffer<Scalar> device_outputs_;
    std::vector<Scalar> expected_;
};

/// A transform of N elements has N / 2 products for each of its log2 N levels.
double ntt_multiply_slots(unsigned exponent) {
    return static_cast<double>(std::size_t{1} << exponent) / 2 * exponent * product_slots_of_four_limbs;
}

template <Curve C>
BenchResult bench_size(unsigned exponent, const BenchNttOptions& options, const DevicePool& pool, OperandMemory memory,
                       std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " elements");
    progress.show();
    const auto inputs = uniform_scalars<C>(std::size_t{1} << exponent, random);
    NttJob<C> job(inputs, memory, options, pool);
    BenchResult measured{exponent, 1, {}, {}, {}};
    measured.timing = measure(
        options.bench.runs, progress, [&] { job.run(); },
        [&] {
            if (!job.is_right())
                throw CheckFailed("the transform of 2^" + std::to_string(exponent) + " elements, transformed back, is not its inputs");
        });
    measured.bound = multiply_milliseconds(ntt_multiply_slots(exponent), pool, job.devices());
    if (options.bench.check) measured.checked_by = job.check();
    return measured;
}

template <Curve C>
std::string bench_ntt(const BenchNttOptions& options) {
    if constexpr (!NttCurve<C>) {
        throw UsageError("the scalars of " + to_string(C) + " are those of its G1; give that to --curve");
    } else {
        const auto pool = open_pool(options.bench.engine);
        const auto memory = operand_memory("--memory", options.bench.memory, pool);
        std::mt19937_64 random(std::random_device{}());
        std::vector<BenchResult> results;
        for (const auto exponent : options.bench.sizes) results.push_back(bench_size<C>(exponent, options, pool, memory, random));
        Json subject{{"benchmark", "ntt"}, {"curve", to_string(C)}, {"direction", options.inverse ? "inverse" : "forward"}};
        if (options.coset != 1) subject["coset"] = options.coset;
        return bench_output(subject, "elements", options.bench, pool, results);
    }
}

}  // namespace

void add_bench_ntt_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchNttOptions>();
    options->bench.sizes = {16, 20, 22};
    auto& command = *bench.add_subcommand("ntt", "transforms of random scalars, each transformed back");
    add_scalar_field_option(command, options->curve, "bn254|bls12-381|bls12-377");
    add_bench_options(command, options->bench, largest_exponent);
    command.add_flag("--inverse", options->inverse, "inverse transforms");
    command.add_option("--coset", options->coset, "on the coset of this generator")->capture_default_str()->type_name("G");
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return bench_ntt<C>(*options); }); });
}

}  // namespace cupool::tools
