#include <cstring>
#include <memory>
#include <random>

#include "src/bench.hpp"
#include "src/operand_memory.hpp"
#include "src/outcome.hpp"
#include "src/reduce_check.hpp"
#include "src/reduce_options.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 34;

struct BenchReduceOptions {
    ReduceOptions reduce{"f32", "sum"};
    BenchOptions bench;
};

/// Integers of every value; floats of one magnitude, so that no sum overflows.
template <class T>
std::vector<T> random_elements(std::size_t count, std::mt19937_64& random) {
    std::vector<T> elements(count);
    for (auto& element : elements) {
        if constexpr (std::is_integral_v<T>) {
            element = static_cast<T>(random());
        } else {
            element = std::uniform_real_distribution<T>(-1, 1)(random);
        }
    }
    return elements;
}

template <class T>
T run_reduce(const DevicePool& pool, const PlacedArray<T>& elements, ReduceOperation operation) {
    T result{};
    if (elements.is_on_device()) {
        reduce<T>(elements.device(), operation, pool.context_at(0), result);
    } else {
        pool.reduce<T>(elements.host(), operation, result);
    }
    return result;
}

template <class T>
BenchResult bench_size(unsigned exponent, const BenchReduceOptions& options, const DevicePool& pool, OperandMemory memory,
                       std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " elements");
    progress.show();
    const auto operation = options.reduce.reduce_operation();
    const auto elements = random_elements<T>(std::size_t{1} << exponent, random);
    const PlacedArray<T> placed(elements, memory, pool);
    T result{};
    BenchResult measured{exponent, 1, {}, {}, {}};
    measured.timing = measure(
        options.bench.runs, progress, [&] { result = run_reduce<T>(pool, placed, operation); },
        [&] {
            if (!agrees_with_plain_loop<T>(elements, operation, result)) {
                throw CheckFailed("the reduction of 2^" + std::to_string(exponent) + " elements is not what a plain loop gives");
            }
        });
    if (options.bench.check) measured.checked_by = check_reduce<T>(elements, operation, result, pool, options.bench.engine);
    return measured;
}

template <class T>
std::string bench_reduce(const BenchReduceOptions& options) {
    const auto pool = open_pool(options.bench.engine);
    const auto memory = operand_memory("--memory", options.bench.memory, pool);
    std::mt19937_64 random(std::random_device{}());
    std::vector<BenchResult> results;
    for (const auto exponent : options.bench.sizes) results.push_back(bench_size<T>(exponent, options, pool, memory, random));
    return bench_output({{"benchmark", "reduce"}, {"type", options.reduce.type}, {"op", options.reduce.operation}}, "elements",
                        options.bench, pool, results);
}

}  // namespace

void add_bench_reduce_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchReduceOptions>();
    options->bench.sizes = {16, 20, 24};
    auto& command = *bench.add_subcommand("reduce", "reductions of random elements, each held against a plain loop");
    add_reduce_options(command, options->reduce);
    add_bench_options(command, options->bench, largest_exponent);
    command.callback(
        [options, &output] { output = with_element_type(options->reduce.type, [&]<class T>() { return bench_reduce<T>(*options); }); });
}

}  // namespace cupool::tools
