#pragma once

#include "program/outcome.hpp"

namespace cupool::tools {

/// Adds what devquery does without a verb: it lists the devices, or says why there is none.
void add_device_list(CLI::App& app, Outcome& outcome);

}  // namespace cupool::tools
