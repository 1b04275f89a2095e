#pragma once

#include <cstdint>
#include <vector>

namespace cupool::ptx {

/// What an instruction does to virtual registers, and where control goes from it.
struct RegisterAccess {
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    bool guarded = false;                ///< a write may not happen: it ends no live range
    bool falls_through = true;           ///< the next instruction may follow
    std::vector<std::uint32_t> targets;  ///< positions that may follow besides
};

struct Allocation {
    std::vector<std::uint32_t> slots;  ///< of each virtual register, within the class of its width
    std::uint32_t slots32 = 0;
    std::uint32_t slots64 = 0;
    std::uint32_t most_live = 0;  ///< 32-bit registers that are live at once
};

/// Lets virtual registers whose live ranges do not meet share a slot, so that a warp's registers stay in the processor's caches: linear
/// scan over live intervals (Poletto and Sarkar, "Linear Scan Register Allocation", 1999). `wide` says which registers have 64 bits.
Allocation allocate_registers(const std::vector<RegisterAccess>& code, const std::vector<bool>& wide);

}  // namespace cupool::ptx
