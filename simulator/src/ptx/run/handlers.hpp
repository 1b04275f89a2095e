#pragma once

/// \file
/// Selection of handlers by family. Each function returns null for operations of another family and for unsupported combinations of types
/// and modifiers.

#include "ptx/instruction.hpp"

namespace cupool::ptx {

/// Arithmetic, logic, moves and conversions, in the fastest variant that this processor supports.
Handler select_arithmetic(const Selection& selection);

/// Conversions from or to floats. Their flags are stored in Instruction::choice2.
Handler select_float_conversion(const Selection& selection);
std::uint8_t conversion_flags(const Modifiers& modifiers);

/// Loads, stores, addresses, fences.
Handler select_memory(const Selection& selection);
Handler select_atomic(const Selection& selection);

/// Warp-level operations.
Handler select_warp(const Selection& selection);

/// Branches, calls, barriers, exits.
Handler select_control(const Selection& selection);

Handler select_handler(const Selection& selection);

/// Whether the operation can change the set of running lanes, or wait. Such an operation separates straight-line runs.
bool is_control(Operation operation);

// The two processor variants of the lane loops.
namespace baseline {
Handler select_arithmetic(const Selection& selection);
}
namespace avx2 {
Handler select_arithmetic(const Selection& selection);
}

}  // namespace cupool::ptx
