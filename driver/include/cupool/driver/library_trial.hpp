#pragma once

#include <string>

namespace cupool {

/// What the process does that LoadOptions::trial_command starts: loads the library, resolves its entry points, asks for its version, and
/// tells the process that waits for it that it came through. Never calls cuInit. A library that is corrupt ends the process as it likes.
/// \param path  the library's file, as the trial command's last argument gives it
/// \return the exit status for main()
int try_library(const std::string& path);

}  // namespace cupool
