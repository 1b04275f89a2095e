#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cupool::detail {

using TrialClock = std::chrono::steady_clock;

/// Runs the command with the path of the library as an additional argument: see
/// LoadOptions::trial_command. It starts the process without fork handlers and kills it at the
/// deadline.
/// \return what is wrong with the library, or why it could not be tried; empty if the trial
/// succeeded
std::string find_trial_fault(const std::vector<std::string>& command, const std::string& library, TrialClock::time_point deadline);

}  // namespace cupool::detail
