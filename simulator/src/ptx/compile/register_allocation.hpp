#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/compile/basic_blocks.hpp"

namespace cupool::ptx {

enum class RegisterClass : std::uint8_t { narrow, wide, predicate, count };

struct Allocation {
    std::vector<std::uint32_t> slots;                                                  ///< by virtual register: slot within its class
    std::array<std::uint32_t, static_cast<std::size_t>(RegisterClass::count)> used{};  ///< by class: number of slots
    std::uint32_t max_live = 0;                                                        ///< maximum number of live 32-bit registers
    std::vector<bool> live_at_start;  ///< by virtual register: whether it may be read before it is written
};

/// Assigns slots so that virtual registers with disjoint live ranges share one, which keeps a warp's registers in the processor's caches.
/// Linear scan over live intervals (Poletto and Sarkar, "Linear Scan Register Allocation", 1999).
Allocation allocate_registers(const std::vector<RegisterAccess>& code, const std::vector<RegisterClass>& classes);

}  // namespace cupool::ptx
