#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cupool::detail {

/// How long a library may take to load: a real one takes less than a second, a corrupt one may loop for ever.
inline constexpr std::chrono::seconds trial_patience{20};

/// Runs the command with the library's path as one more argument: see LoadOptions::trial_command. Starts it without fork handlers.
/// \return what became of the process, as a finding about the library; empty where it came through
std::string find_trial_fault(const std::vector<std::string>& command, const std::string& library,
                             std::chrono::milliseconds patience = trial_patience);

}  // namespace cupool::detail
