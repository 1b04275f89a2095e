#pragma once

#include "poseidon/instance.hpp"

namespace cupool::detail {

/// The constants of a permutation as PoseidonLayout or Poseidon2Layout has them.
template <Curve C>
FieldVector<ScalarField<C>> poseidon_constants(const PoseidonInstance<C>& instance);

}  // namespace cupool::detail
