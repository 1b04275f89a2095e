// Reductions on the host's cores beside a plain read of the same array: how much of the memory
// bandwidth they reach. The read uses threads in the same way: the same number, started for each run,
// each of which takes the next MiB when it has finished one.
//
//   cupool_host_reduce [LOG2_BYTES [RUNS [THREADS]]]     default 30 11 and all cores

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <exception>
#include <span>
#include <vector>

#include "bench/memory_bound.hpp"
#include "require.hpp"
#include "support/parallel_for.hpp"

namespace {

using namespace cupool;

constexpr std::size_t block_bytes = std::size_t{1} << 20;

template <class Function>
double seconds(const Function& function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Bench {
    std::size_t bytes;
    int runs;
    unsigned threads;
};

/// Element i is i mod 5 - 2, so that all sums are small and exact.
float element_at(std::size_t i) { return static_cast<float>(i % 5) - 2; }

/// Measures `reduce`, which takes the array, in turn with a plain read of the array. The threads
/// that read the array also write it first.
template <class T, class Reduce>
void measure(const char* what, const Bench& bench, const Reduce& reduce) {
    std::vector<T> elements(bench.bytes / sizeof(T));
    detail::parallel_for_blocks(elements.size(), block_bytes / sizeof(T), bench.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) elements[i] = static_cast<T>(element_at(i));
    });
    const std::span<const T> input(elements);
    std::vector<double> reads;
    std::vector<double> reductions;
    for (int run = 0; run <= bench.runs; ++run) {
        const double read = tools::plain_read_milliseconds(std::as_bytes(input), bench.threads) / 1000;
        const double reduction = seconds([&] { reduce(input); });
        if (run == 0) continue;
        reads.push_back(read);
        reductions.push_back(reduction);
    }
    const double gigabytes = static_cast<double>(bench.bytes) / 1e9;
    const double read = median(reads);
    const double reduction = median(reductions);
    std::printf("%-16s %12.1f %12.1f %11.1f %%\n", what, gigabytes / read, gigabytes / reduction, 100 * read / reduction);
}

/// The sum of the first `count` elements.
float sum_of(std::size_t count) {
    float sum = 0;
    for (std::size_t i = count - count % 5; i < count; ++i) sum += element_at(i);
    return sum;
}

template <class T, class R = T>
void measure_sum(const char* what, const Bench& bench, bool compensated = false) {
    ReduceConfig config{.ctx = DeviceContext::host(bench.threads), .compensated = compensated};
    measure<T>(what, bench, [&](std::span<const T> input) {
        R sum{};
        reduce<T, R>(input, ReduceOperation::sum, config, sum);
        require(sum == static_cast<R>(sum_of(input.size())), "a sum is wrong");
    });
}

void run(const Bench& bench) {
    std::printf("2^%d bytes, %u threads, medians of %d\n", static_cast<int>(std::bit_width(bench.bytes)) - 1, bench.threads, bench.runs);
    std::printf("%-16s %12s %12s %13s\n", "", "read GB/s", "ours GB/s", "share");
    measure_sum<float>("sum f32", bench);
    measure_sum<double>("sum f64", bench);
    measure_sum<std::int32_t>("sum i32", bench);
    measure_sum<std::int64_t>("sum i64", bench);
    measure_sum<double>("f64 compensated", bench, true);
    measure_sum<Float16, float>("sum f16 to f32", bench);
    measure_sum<std::int8_t, std::int64_t>("sum i8 to i64", bench);
    measure<float>("min f32", bench, [&](std::span<const float> input) {
        float least = 0;
        reduce<float>(input, ReduceOperation::min, DeviceContext::host(bench.threads), least);
        require(least == -2, "a minimum is wrong");
    });
    measure<float>("argmax f32", bench, [&](std::span<const float> input) {
        IndexedValue<float> greatest;
        arg_reduce<float>(input, ArgOperation::max, {.ctx = DeviceContext::host(bench.threads)}, greatest);
        require(greatest == IndexedValue<float>{2, 4}, "an argmax is wrong");
    });
}

std::size_t argument(int count, char** arguments, int index, std::size_t otherwise) {
    return index < count ? std::strtoul(arguments[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const std::size_t exponent = argument(count, arguments, 1, 30);
        const std::size_t runs = argument(count, arguments, 2, 11);
        const std::size_t threads = argument(count, arguments, 3, DeviceContext::host().host_threads());
        require(exponent >= 8 && exponent < 40 && runs > 0 && runs < 100000 && threads > 0 && threads < 4096,
                "usage: cupool_host_reduce [LOG2_BYTES [RUNS [THREADS]]], with 8 to 39 for LOG2_BYTES");
        run({std::size_t{1} << exponent, static_cast<int>(runs), static_cast<unsigned>(threads)});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_host_reduce: %s\n", error.what());
        return 1;
    }
    return 0;
}
