#pragma once

#include "vectors/job.hpp"

namespace cupool::detail {

/// An element-wise operation on the device of the job's context.
template <Curve C>
RunReport vectors_on_device(const VectorJob<C>& job);

}  // namespace cupool::detail
