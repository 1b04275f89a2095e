#pragma once

/// \file
/// The handlers' families. Each answers none for what is not its own, or not a combination of types and modifiers that exists.

#include "ptx/instruction.hpp"

namespace cupool::ptx {

/// Arithmetic, logic, moves and conversions, in the fastest form that this processor runs.
Handler select_arithmetic(const Selection& selection);

/// Conversions from or to floats. Their flags go to Instruction::choice2.
Handler select_float_conversion(const Selection& selection);
std::uint8_t conversion_flags(const Modifiers& modifiers);

/// Loads, stores, addresses, fences.
Handler select_memory(const Selection& selection);
Handler select_atomic(const Selection& selection);

/// What lanes of a warp do together.
Handler select_warp(const Selection& selection);

/// Branches, calls, barriers, exits.
Handler select_control(const Selection& selection);

Handler select_handler(const Selection& selection);

/// Whether the operation can change which lanes run, or wait: it stands alone between straight runs.
bool is_control(Operation operation);

// The two builds of the same lane loops.
namespace baseline {
Handler select_arithmetic(const Selection& selection);
}
namespace avx2 {
Handler select_arithmetic(const Selection& selection);
}

}  // namespace cupool::ptx
