#include "bench/memory_bound.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <cupool/driver/device.hpp>
#include <system_error>
#include <thread>
#include <vector>

namespace cupool::tools {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// 64 bytes, which the compiler reads with the widest registers that it may use.
typedef std::uint64_t Words __attribute__((vector_size(64)));

/// The OR of a block, in four independent chains; ignores a remainder of less than 256 bytes.
[[gnu::always_inline]] inline std::uint64_t read_by_words(const std::byte* bytes, std::size_t count) {
    constexpr std::size_t prefetch_bytes = 8192;
    Words all[4] = {};
    for (std::size_t i = 0; i + sizeof all <= count; i += sizeof all) {
        for (std::size_t line = 0; line < sizeof all; line += 64)
            __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(bytes + i) + prefetch_bytes + line));
        Words read[4];
        std::memcpy(&read, bytes + i, sizeof read);
        for (int chain = 0; chain < 4; ++chain) all[chain] |= read[chain];
    }
    const Words one = (all[0] | all[1]) | (all[2] | all[3]);
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= one[i];
    return bits;
}

std::uint64_t read_plainly(const std::byte* bytes, std::size_t count) { return read_by_words(bytes, count); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t read_by_avx2(const std::byte* bytes, std::size_t count) { return read_by_words(bytes, count); }
#endif

using Read = std::uint64_t (*)(const std::byte*, std::size_t);

Read best_read() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return &read_by_avx2;
#endif
    return &read_plainly;
}

}  // namespace

double plain_read_milliseconds(std::span<const std::byte> bytes, unsigned threads) {
    const Read read = best_read();
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> bits{0};  // written so that the compiler cannot drop a read
    const auto work = [&] {
        std::uint64_t own = 0;
        for (std::size_t begin = next.fetch_add(block_bytes); begin < bytes.size(); begin = next.fetch_add(block_bytes))
            own |= read(&bytes[begin], std::min(block_bytes, bytes.size() - begin));
        bits |= own;
    };
    const std::size_t blocks = (bytes.size() + block_bytes - 1) / block_bytes;
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> helpers;
    helpers.reserve(threads);
    try {
        while (helpers.size() + 1 < std::min<std::size_t>(threads, blocks)) helpers.emplace_back(work);
    } catch (const std::system_error&) {
        // The system refuses more threads: the existing ones do the work.
    }
    work();
    for (auto& helper : helpers) helper.join();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median_plain_read_milliseconds(std::span<const std::byte> bytes, unsigned threads, int runs) {
    std::vector<double> times;
    plain_read_milliseconds(bytes, threads);
    for (int run = 0; run < runs; ++run) times.push_back(plain_read_milliseconds(bytes, threads));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

std::optional<double> device_read_milliseconds(std::size_t bytes, const Device& device) {
    const auto clock = device.try_attribute(abi::DeviceAttribute::memory_clock_rate_khz);
    const auto width = device.try_attribute(abi::DeviceAttribute::memory_bus_width_bits);
    if (clock.value_or(0) == 0 || width.value_or(0) == 0) return std::nullopt;
    const double bytes_of_millisecond = 2.0 * *clock * (*width / 8.0);
    return static_cast<double>(bytes) / bytes_of_millisecond;
}

}  // namespace cupool::tools
