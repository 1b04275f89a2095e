#pragma once

#include <string>

namespace cupool {

/// The body of the process that LoadOptions::trial_command starts: it loads the library, calls
/// cuInit, lists the devices, and reports each step to its parent over stdout. Output of the
/// library itself goes to stderr, which the parent discards. A corrupt library may end the process
/// in any way. Call it first in main().
/// \param path  the file of the library: the last argument of the trial command
/// \return the exit status for main()
int try_library(const std::string& path);

}  // namespace cupool
