#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cupool::detail {

using TrialClock = std::chrono::steady_clock;

/// Runs the command with the library's path as one more argument: see LoadOptions::trial_command. Starts it without fork handlers, and
/// kills it where it goes on after the deadline.
/// \return what is wrong with the library, or why it could not be tried; empty where the process came through
std::string find_trial_fault(const std::vector<std::string>& command, const std::string& library, TrialClock::time_point deadline);

}  // namespace cupool::detail
