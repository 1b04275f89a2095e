// Sums over 1, 2, 4 ... devices: the speedup by size. The array lies in slices on the devices, or in page-locked host memory. Sums of u32
// in 64 bits are checked against a plain loop, and sums of f32 must have the same bits on any number of devices.
//
//   cupool_reduce_speedup [FIRST [LAST [RUNS]]]     exponents of the numbers of bytes, default 22 to 34; 15 timed runs

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupool/cupool.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "growing_pools.hpp"
#include "require.hpp"

namespace {

using namespace cupool;

/// Page-locked memory that arrays repeat, so that an array of 16 GiB needs no 16 GiB of the host.
constexpr std::size_t most_host_bytes = std::size_t{1} << 28;

template <class T>
std::vector<T> random_numbers(std::size_t count) {
    std::mt19937_64 random(1);
    std::vector<T> numbers(count);
    for (T& number : numbers) number = static_cast<T>(random() >> 40);
    return numbers;
}

/// Slices of equal size, one on each device; the array repeats `numbers`.
template <class T>
std::vector<DeviceBuffer<T>> slices_of(const DevicePool& pool, std::span<const T> numbers, std::size_t count) {
    std::vector<DeviceBuffer<T>> slices;
    std::size_t begin = 0;  // of the slice within the array
    for (const DeviceContext& context : pool) {
        slices.emplace_back(count / pool.device_count(), context);
        for (std::size_t done = 0; done < slices.back().size();) {
            const std::span<const T> rest = numbers.subspan((begin + done) % numbers.size());
            const std::size_t part = std::min(rest.size(), slices.back().size() - done);
            copy(slices.back().span().subspan(done, part), rest.first(part), context.stream());
            done += part;
        }
        begin += slices.back().size();
        context.stream().synchronize();
    }
    return slices;
}

/// \return the median of the wall-clock times in milliseconds; each result is compared with the one before
template <class T, class R>
double measure(const DevicePool& pool, const PoolOperand<T>& input, unsigned runs, std::optional<R>& expected) {
    std::vector<double> times;
    for (unsigned i = 0; i <= runs; ++i) {  // the first is not counted
        R result{};
        const auto start = std::chrono::steady_clock::now();
        pool.reduce(input, ReduceOperation::sum, result);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        if (expected) require(std::memcmp(&result, &*expected, sizeof(R)) == 0, "a sum differs");
        expected = result;
        if (i != 0) times.push_back(time.count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// A row of the table: the time over each pool, and how many times as fast as one device that is.
template <class T, class R>
void print_row(const char* type, unsigned exponent, const std::vector<DevicePool>& pools, std::span<const T> numbers, bool is_in_slices,
               unsigned runs) {
    const std::size_t count = (std::size_t{1} << exponent) / sizeof(T);
    const std::span<const T> host = numbers.first(std::min(count, numbers.size()));
    std::optional<R> expected;
    if constexpr (std::is_integral_v<T>) expected = std::accumulate(host.begin(), host.end(), R{0}) * (count / host.size());
    std::printf("  %s, %-14s 2^%-2u bytes", type, is_in_slices ? "in slices" : "in host memory", exponent);
    double on_one = 0;
    for (const DevicePool& pool : pools) {
        double milliseconds = 0;
        if (is_in_slices) {
            const std::vector<DeviceBuffer<T>> slices = slices_of<T>(pool, host, count);
            milliseconds = measure<T, R>(pool, slices, runs, expected);
        } else {
            milliseconds = measure<T, R>(pool, host, runs, expected);
        }
        if (on_one == 0) on_one = milliseconds;
        std::printf("  %zu: %8.4f ms (%.2f)", pool.device_count(), milliseconds, on_one / milliseconds);
    }
    std::printf("\n");
    std::fflush(stdout);
}

template <class T, class R>
void print_table(const char* type, const std::vector<DevicePool>& pools, unsigned first, unsigned last, unsigned runs) {
    const std::size_t most = std::min(most_host_bytes, std::size_t{1} << last) / sizeof(T);
    PinnedBuffer<T> numbers(most, pools[0].context_at(0).context());
    const std::vector<T> random = random_numbers<T>(most);
    std::copy(random.begin(), random.end(), numbers.data());
    const std::span<const T> given(numbers.data(), most);
    for (unsigned exponent = first; exponent <= last; exponent += 2) print_row<T, R>(type, exponent, pools, given, true, runs);
    for (unsigned exponent = first; exponent <= last && (std::size_t{1} << exponent) <= most_host_bytes; exponent += 2) {
        print_row<T, R>(type, exponent, pools, given, false, runs);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int index, unsigned otherwise) {
        return argc > index ? static_cast<unsigned>(std::atoi(argv[index])) : otherwise;
    };
    try {
        const std::vector<DevicePool> pools = growing_pools();
        std::printf("devices: median milliseconds of %u calls (and the speedup over one device)\n", number(3, 15));
        print_table<std::uint32_t, std::uint64_t>("u32 in 64 bits", pools, number(1, 22), number(2, 34), number(3, 15));
        print_table<float, float>("f32", pools, number(1, 22), number(2, 34), number(3, 15));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_reduce_speedup: %s\n", error.what());
        return 1;
    }
}
