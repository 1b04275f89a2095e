#pragma once

#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// The optional checks of launches. Memory that was allocated while the initialisation check was off counts as initialised.
ptx::Checks checks();
void set_checks(ptx::Checks checks);

}  // namespace cupool::simulator
