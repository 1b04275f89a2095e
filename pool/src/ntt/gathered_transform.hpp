#pragma once

#include <cupool/pool/pooled_ntt.hpp>

#include "ntt/pooled_ntt_domain.hpp"
#include "pool_state.hpp"

namespace cupool::detail {

/// One transform of elements in slices on several devices, or whose inputs and outputs lie on different ones: one device copies all inputs
/// to its own memory, transforms them, and copies the outputs to where they belong.
template <Curve C>
RunReport gathered_transform(PoolState& pool, PooledNttDomainState<C>& domain, std::size_t member, const PoolOperand<Scalar>& inputs,
                             NttDirection direction, const NttConfig& config, const PoolOutputOperand<Scalar>& outputs);

}  // namespace cupool::detail
