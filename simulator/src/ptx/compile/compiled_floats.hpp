#pragma once

#include <vector>

#include "ptx/compile/decoded_instruction.hpp"

namespace cupool::ptx {

/// Applies the floating-point transformations of ptxas 13.0 at -O3 that affect results:
/// - if `contract` is set, a product and a sum without rounding modifiers become one fused operation (rules in
///   docs/lab-notebook/contraction.md);
/// - operands of commutative f64 operations are sorted by definition, which decides which of two NaNs is returned;
/// - the minimum or maximum of a value and itself becomes that value.
/// A function that exceeds ValueNumbering::max_table_entries is left unchanged. `types` are the types of the virtual registers; registers
/// for copies may be appended.
void compile_floats(std::vector<DecodedInstruction>& code, std::vector<Type>& types, bool contract);

}  // namespace cupool::ptx
