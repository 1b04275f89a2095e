#pragma once

#include <cupool/pool/pooled_ntt.hpp>
#include <vector>

#include "batch/batch_parts.hpp"
#include "ntt/pooled_ntt_domain.hpp"
#include "pool_state.hpp"

namespace cupool::detail {

/// Whether the driver copies some of so many columns, whose rows are as long as that.
bool can_divide_columns(const DeviceContext& context, std::size_t batch_size);

/// A batch of transforms in host memory, of which element i of transform b is at i * batch_size + b: the members divide the columns.
/// \param step_bytes  of the columns that a device takes at once, unless one is larger
/// \pre inputs and outputs are in host memory, are the same or do not overlap, and can_divide_columns()
template <Curve C>
RunReport transform_columns(PoolState& pool, PooledNttDomainState<C>& domain, const std::vector<std::size_t>& members,
                            std::span<const Scalar> inputs, NttDirection direction, const NttConfig& config, std::span<Scalar> outputs,
                            std::size_t step_bytes = max_step_bytes);

}  // namespace cupool::detail
