#pragma once

#include <string>

namespace cupool {

/// What the process does that LoadOptions::trial_command starts: loads the library, calls cuInit, lists the devices, and reports each step
/// to the process that waits for it, over stdout. What the library itself prints goes to stderr, which that process has sent nowhere.
/// A library that is corrupt ends the process as it likes. To be called first thing in main().
/// \param path  the library's file, as the trial command's last argument gives it
/// \return the exit status for main()
int try_library(const std::string& path);

}  // namespace cupool
