#pragma once

#include <cstddef>
#include <cstdint>

#include <cupool/simulator/simulator.hpp>

#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

// How long devices take by the virtual clock. Figures are an H200's, as measured; only their proportions matter.

/// A kernel that executes so many instructions, counted in each thread: a multiprocessor does 64 a clock.
inline Time kernel_time(const CupoolSimDevice& device, std::uint64_t thread_instructions) {
    constexpr std::int64_t overhead = 2'000;
    constexpr double per_clock = 64;
    const double per_nanosecond = device.clock_khz * 1e-6 * device.multiprocessor_count * per_clock;
    return Time(overhead + static_cast<std::int64_t>(static_cast<double>(thread_instructions) / per_nanosecond));
}

/// Bytes that go between host and device, or between devices.
inline Time link_time(std::size_t bytes) {
    constexpr std::size_t bytes_per_nanosecond = 55;
    return Time(1'000 + bytes / bytes_per_nanosecond);
}

/// Bytes that are copied or set within a device's memory.
inline Time memory_time(const CupoolSimDevice& device, std::size_t bytes) {
    constexpr double bytes_per_clock = 2'200;
    return Time(1'000 + static_cast<std::int64_t>(static_cast<double>(bytes) / bytes_per_clock / (device.clock_khz * 1e-6)));
}

}  // namespace cupool::simulator
