#pragma once

#include <cstddef>
#include <cstdint>

#include <cupool/simulator/simulator.hpp>

#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

// Durations on the virtual clock. The constants are measurements of an H200; only their ratios matter.

/// Duration of a kernel that executes `thread_instructions`, summed over its threads; a multiprocessor executes 64 per clock.
inline Time kernel_time(const CupoolSimDevice& device, std::uint64_t thread_instructions) {
    constexpr std::int64_t overhead = 2'000;
    constexpr double per_clock = 64;
    const double per_nanosecond = device.clock_khz * 1e-6 * device.multiprocessor_count * per_clock;
    return Time(overhead + static_cast<std::int64_t>(static_cast<double>(thread_instructions) / per_nanosecond));
}

/// Duration of a transfer between host and device, or between devices.
inline Time link_time(std::size_t bytes) {
    constexpr std::size_t bytes_per_nanosecond = 55;
    return Time(1'000 + bytes / bytes_per_nanosecond);
}

/// Duration of a copy or memset within the memory of a device.
inline Time memory_time(const CupoolSimDevice& device, std::size_t bytes) {
    constexpr double bytes_per_clock = 2'200;
    return Time(1'000 + static_cast<std::int64_t>(static_cast<double>(bytes) / bytes_per_clock / (device.clock_khz * 1e-6)));
}

}  // namespace cupool::simulator
