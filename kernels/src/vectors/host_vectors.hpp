#pragma once

#include "vectors/job.hpp"

namespace cupool::detail {

/// An element-wise operation on the host's cores. \pre all operands are in host memory
template <Curve C>
void vectors_on_host(const VectorJob<C>& job);

}  // namespace cupool::detail
