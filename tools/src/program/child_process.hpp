#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cupool::tools {

/// How a child process went.
struct ChildResult {
    enum class End { exited, signalled, timed_out, not_started };

    End end = End::not_started;
    int number = 0;      ///< the exit status, the signal, or the errno of a failed start
    std::string output;  ///< its stdout
};

/// Runs a command with a time limit. Its stdin is empty and its stderr is discarded. After the limit
/// it is killed; one that is blocked in the kernel is left behind.
/// \param command  the path of an executable, then arguments
ChildResult run_child(std::vector<std::string> command, std::chrono::milliseconds limit);

/// "SIGSEGV"
std::string signal_name(int number);

}  // namespace cupool::tools
