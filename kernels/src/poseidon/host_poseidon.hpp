#pragma once

#include "poseidon/job.hpp"

namespace cupool::detail {

/// On the host's cores. \pre the job is checked, and its context is the host
template <Curve C>
void poseidon_on_host(const PoseidonJob<C>& job);

}  // namespace cupool::detail
