#include "bench/multiply_rate.hpp"

#include <cupool/driver/device.hpp>

namespace cupool::tools {

std::optional<double> multiply_slots_a_millisecond(const Device& device) {
    if (device.compute_capability() != Device::ComputeCapability{9, 0}) return std::nullopt;
    constexpr double slots_a_clock = 64;
    return slots_a_clock * device.multiprocessor_count() * device.attribute(abi::DeviceAttribute::clock_rate_khz);
}

std::optional<double> multiply_milliseconds(double slots, const DevicePool& pool, std::span<const int> ordinals) {
    if (ordinals.empty()) return std::nullopt;
    double rate = 0;
    for (const int ordinal : ordinals) {
        const auto own = multiply_slots_a_millisecond(pool.context(ordinal).context().device());
        if (!own) return std::nullopt;
        rate += *own;
    }
    return slots / rate;
}

}  // namespace cupool::tools
