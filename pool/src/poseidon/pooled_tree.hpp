#pragma once

#include "pool_state.hpp"
#include "poseidon/pooled_poseidon_state.hpp"

namespace cupool::detail {

/// See poseidon_merkle_tree() over a pool. \pre config is checked but for what the leaves and outputs decide
template <Curve C>
RunReport pooled_merkle_tree(PoolState& pool, PooledPoseidonState<C>& poseidon, const PoolOperand<Scalar>& leaves, unsigned keep_rows,
                             const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs);

}  // namespace cupool::detail
