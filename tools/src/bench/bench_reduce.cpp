#include <memory>
#include <optional>
#include <random>

#include "bench/bench.hpp"
#include "bench/memory_bound.hpp"
#include "bench/operand_memory.hpp"
#include "checks/reduce_check.hpp"
#include "options/reduce_options.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 34;

struct BenchReduceOptions {
    ReduceOptions reduce{"f32", "sum"};
    BenchOptions bench;
};

/// Random elements: integers of any value, floats of one magnitude so that no sum overflows.
template <class T>
std::vector<T> random_elements(std::size_t count, std::mt19937_64& random) {
    std::vector<T> elements(count);
    for (auto& element : elements) {
        if constexpr (std::is_integral_v<T>) {
            element = static_cast<T>(random());
        } else {
            element = static_cast<T>(std::uniform_real_distribution<decltype(number_of(element))>(-1, 1)(random));
        }
    }
    return elements;
}

/// The reduction to measure, over elements of type T in the memory that the options name.
template <class T, class R>
class ReduceJob {
public:
    ReduceJob(std::span<const T> elements, OperandMemory memory, const BenchReduceOptions& options, const DevicePool& pool)
        : elements_(elements),
          placed_(elements, memory, pool),
          options_(options),
          pool_(pool),
          config_{.ctx = pool.context_at(0), .compensated = options.reduce.compensated} {}

    /// The part that is timed.
    void run() {
        if (options_.reduce.is_arg_operation()) {
            arg_reduce<T>(operand(), options_.reduce.arg_operation(), config_, found_);
        } else if (placed_.is_on_device() || config_.compensated) {
            reduce<T, R>(operand(), options_.reduce.reduce_operation(), config_, result_);
        } else {
            pool_.reduce<T, R>(placed_.host(), options_.reduce.reduce_operation(), result_);
        }
    }

    bool agrees_with_plain_loop() const {
        if (options_.reduce.is_arg_operation()) return tools::agrees_with_plain_loop<T>(elements_, options_.reduce.arg_operation(), found_);
        return tools::agrees_with_plain_loop<T, R>(elements_, options_.reduce.reduce_operation(), config_.compensated, result_);
    }

    std::string check() const {
        const auto& engine = options_.bench.engine;
        if (options_.reduce.is_arg_operation())
            return check_arg_reduce<T>(elements_, options_.reduce.arg_operation(), found_, pool_.engine(), engine);
        return check_reduce<T, R>(elements_, options_.reduce.reduce_operation(), config_.compensated, result_, pool_.engine(), engine);
    }

    /// The time to read the elements from the memory that holds them: by the cores of the host, or by
    /// the device.
    std::optional<double> bound() const {
        if (pool_.is_host())
            return median_plain_read_milliseconds(std::as_bytes(elements_), config_.ctx.host_threads(), options_.bench.runs);
        if (placed_.is_on_device()) return device_read_milliseconds(elements_.size_bytes(), config_.ctx.context().device());
        return std::nullopt;
    }

private:
    Operand<T> operand() const { return placed_.is_on_device() ? Operand<T>(placed_.device()) : Operand<T>(placed_.host()); }

    std::span<const T> elements_;
    PlacedArray<T> placed_;
    const BenchReduceOptions& options_;
    const DevicePool& pool_;
    ReduceConfig config_;
    R result_{};
    IndexedValue<T> found_;
};

template <class T, class R>
BenchResult bench_size(unsigned exponent, const BenchReduceOptions& options, const DevicePool& pool, OperandMemory memory,
                       std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " elements");
    progress.show();
    const auto elements = random_elements<T>(std::size_t{1} << exponent, random);
    ReduceJob<T, R> job(elements, memory, options, pool);
    BenchResult measured{exponent, 1, {}, {}, {}};
    measured.timing = measure(
        options.bench.runs, progress, [&] { job.run(); },
        [&] {
            if (!job.agrees_with_plain_loop()) {
                throw CheckFailed("the reduction of 2^" + std::to_string(exponent) + " elements is not what a plain loop gives");
            }
        });
    measured.bound = job.bound();
    if (options.bench.check) measured.checked_by = job.check();
    return measured;
}

template <class T, class R>
std::string bench_reduce(const BenchReduceOptions& options) {
    const auto pool = open_pool(options.bench.engine);
    const auto memory = operand_memory("--memory", options.bench.memory, pool);
    std::mt19937_64 random(std::random_device{}());
    std::vector<BenchResult> results;
    for (const auto exponent : options.bench.sizes) results.push_back(bench_size<T, R>(exponent, options, pool, memory, random));
    Json subject{{"benchmark", "reduce"}, {"type", options.reduce.type}, {"op", options.reduce.operation}};
    if (options.reduce.wide) subject["wide"] = true;
    if (options.reduce.compensated) subject["compensated"] = true;
    return bench_output(subject, "elements", options.bench, pool, results);
}

}  // namespace

void add_bench_reduce_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchReduceOptions>();
    options->bench.sizes = {16, 20, 24};
    auto& command = *bench.add_subcommand("reduce", "reductions of random elements, each held against a plain loop");
    add_reduce_options(command, options->reduce);
    add_bench_options(command, options->bench, largest_exponent);
    command.callback([options, &output] {
        options->reduce.require_consistent();
        output = with_reduce_types(options->reduce, [&]<class T, class R>() { return bench_reduce<T, R>(*options); });
    });
}

}  // namespace cupool::tools
