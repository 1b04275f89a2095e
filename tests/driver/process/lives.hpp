// Ways in which a program with a driver begins, forks and ends. Each is the whole work of a child process: it returns the exit code.
#pragma once

#include <string>

namespace cupool::test {

/// Ends with objects alive in a static, a thread_local and a handler of atexit().
/// \param order  when each is set up: s, t, a, and i for the initialisation of the driver
int tear_down(const std::string& order);

/// Ends while a kernel runs.
int exit_during_kernel();

/// Forks before the driver is initialised, loaded or not: parent and child both work.
int fork_early(bool loaded);

/// Becomes a daemon before or after the driver is initialised, and says how the daemon fares.
int daemonise(bool initialised);

/// Loads a plugin that embeds cupool, uses and unloads it, three times, and forks.
int use_plugin(const std::string& path);

/// 64 threads use the driver for the first time at once.
int first_use();

}  // namespace cupool::test
