#pragma once

#include <vector>

#include "ptx/compile/decoded_instruction.hpp"

namespace cupool::ptx {

/// Does to a function's floating-point instructions what ptxas 13.0 does at -O3 and a result shows:
/// - with `contract`, a product and a sum without a rounding become one fused operation (docs/lab-notebook/contraction.md has the rules);
/// - of f64, the operands of commutative operations are put in the order of their definitions, which decides which of two NaNs comes out;
/// - the minimum or maximum of a value and itself is that value.
/// A function with more than ValueNumbering::max_table_entries stays as it is. `types` are the virtual registers', to which registers for
/// copies may be added.
void compile_floats(std::vector<DecodedInstruction>& code, std::vector<Type>& types, bool contract);

}  // namespace cupool::ptx
