#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/compile/basic_blocks.hpp"

namespace cupool::ptx {

enum class RegisterClass : std::uint8_t { narrow, wide, predicate, count };

struct Allocation {
    std::vector<std::uint32_t> slots;                                                  ///< of each virtual register, within its class
    std::array<std::uint32_t, static_cast<std::size_t>(RegisterClass::count)> used{};  ///< slots of each class
    std::uint32_t max_live = 0;                                                        ///< 32-bit registers that are live at once
    std::vector<bool> live_at_start;  ///< of each virtual register: it may be read before it is written
};

/// Lets virtual registers whose live ranges do not meet share a slot, so that a warp's registers stay in the processor's caches: linear
/// scan over live intervals (Poletto and Sarkar, "Linear Scan Register Allocation", 1999).
Allocation allocate_registers(const std::vector<RegisterAccess>& code, const std::vector<RegisterClass>& classes);

}  // namespace cupool::ptx
