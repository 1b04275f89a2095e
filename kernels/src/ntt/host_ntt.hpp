#pragma once

#include "ntt/job.hpp"

namespace cupool::detail {

/// The transforms of a job on the host's cores. \pre inputs and outputs are in host memory
template <Curve C>
void ntt_on_host(const NttJob<C>& job);

}  // namespace cupool::detail
