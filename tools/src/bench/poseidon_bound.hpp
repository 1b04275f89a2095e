#pragma once

#include <cupool/kernels/poseidon.hpp>

namespace cupool::tools {

/// The slots of the multiply pipes (multiply_rate.hpp) that a permutation takes: three products for a fifth power, two of them squares, and
/// for a sum of n products as many halves of a product as n + 1. A full round of Poseidon has a sum of t products for each element, a
/// partial round one sum of 2 t - 1 (docs/poseidon.md). Poseidon2's matrices take products only in partial rounds of width 4 and above, one
/// for each element. Additions count nothing.
double poseidon_multiply_slots(PoseidonVariant variant, unsigned width, unsigned partial_rounds);

}  // namespace cupool::tools
