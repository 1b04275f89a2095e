#pragma once

#include <cupool/pool/pooled_ntt.hpp>
#include <vector>

#include "ntt/pooled_ntt_domain.hpp"
#include "pool_state.hpp"

namespace cupool::detail {

/// A batch of transforms in host memory, of which element i of transform b is at i * batch_size + b: the members divide the columns.
/// \pre inputs and outputs are in host memory, are the same or do not overlap, and the pool has devices
template <Curve C>
RunReport transform_columns(PoolState& pool, PooledNttDomainState<C>& domain, const std::vector<std::size_t>& members,
                            std::span<const Scalar> inputs, NttDirection direction, const NttConfig& config, std::span<Scalar> outputs);

}  // namespace cupool::detail
