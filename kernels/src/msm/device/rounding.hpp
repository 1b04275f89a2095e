#pragma once

#include <cstdint>

namespace cupool::detail {

constexpr std::uint32_t divided_up(std::uint32_t value, std::uint32_t divisor) { return value / divisor + (value % divisor != 0); }

constexpr std::uint32_t rounded_up(std::uint32_t value, std::uint32_t divisor) { return divided_up(value, divisor) * divisor; }

/// Bits that tell so many values apart.
constexpr unsigned bits_for(std::uint32_t values) {
    unsigned bits = 0;
    while (std::uint64_t{1} << bits < values) ++bits;
    return bits;
}

}  // namespace cupool::detail
