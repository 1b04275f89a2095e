#pragma once

#include "program/outcome.hpp"

namespace cupool::tools {

/// Adds what devquery does without a verb: it lists the devices, or says why there is none.
void add_device_list(CLI::App& app, Outcome& outcome);

/// Each function adds a verb. If the command line names it, it runs and fills `outcome`.
/// \{
void add_topo_verb(CLI::App& app, Outcome& outcome);
void add_bandwidth_verb(CLI::App& app, Outcome& outcome);
void add_self_test_verb(CLI::App& app, Outcome& outcome);
void add_workers_verb(CLI::App& app, Outcome& outcome);
void add_watch_verb(CLI::App& app, Outcome& outcome);
/// \}

}  // namespace cupool::tools
