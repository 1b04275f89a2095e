#pragma once

#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// What launches look for, besides what they always do. Memory that was allocated without the check for initialisation counts as
/// initialised.
ptx::Checks checks();
void set_checks(ptx::Checks checks);

}  // namespace cupool::simulator
