#pragma once

#include <string>
#include <vector>

namespace cupool::detail {

/// The files that may hold the plugin for this process's MPI library, the first that exists to be opened; see MpiOptions::plugin.
std::vector<std::string> plugin_candidates();

/// Which library that is, and how that is known, for messages: "Open MPI (OMPI_COMM_WORLD_SIZE is set)".
std::string plugin_choice_reason();

}  // namespace cupool::detail
