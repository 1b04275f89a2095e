#pragma once

#include "program/outcome.hpp"

namespace cupool::tools {

/// Adds the verb `doctor`, which looks for the reason why GPUs cannot be used. If the command line names it, it runs and fills `outcome`.
void add_doctor_verb(CLI::App& app, Outcome& outcome);

}  // namespace cupool::tools
