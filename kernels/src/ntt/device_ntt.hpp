#pragma once

#include "ntt/job.hpp"

namespace cupool::detail {

/// The transforms of a job on the device of its context.
template <Curve C>
RunReport ntt_on_device(const NttJob<C>& job);

}  // namespace cupool::detail
