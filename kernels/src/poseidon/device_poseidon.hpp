#pragma once

#include "poseidon/job.hpp"

namespace cupool::detail {

/// \pre the job is checked, and its context is a device
template <Curve C>
RunReport poseidon_on_device(const PoseidonJob<C>& job);

}  // namespace cupool::detail
