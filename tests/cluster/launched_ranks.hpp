// Starting cupool_mpi_program by the launchers of the MPI libraries that are there.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace cupool::test {

/// An MPI library with its plugin and its launcher.
struct MpiLauncher {
    std::string name;    ///< "Open MPI", "MPICH"
    std::string plugin;  ///< the file
    std::vector<std::string> command;
    std::vector<std::string> keep_others;  ///< its options that leave the other ranks alone when one dies; empty if it has none that works
};

/// Those that are there, or none.
std::vector<MpiLauncher> launchers();
/// Why there are not more, for the message of a test that is skipped.
std::string missing_launchers();

/// What came of a program of several ranks.
struct RanksResult {
    int exit_code = -1;               ///< of the launcher; -1 where it was killed at the end of the patience
    std::map<int, std::string> told;  ///< what each rank has written
    std::size_t left_over = 0;        ///< ranks that still ran after the launcher's end, and a while more
    std::string output;               ///< of the launcher
};

/// Starts it, and waits until it has ended, or as many ranks as `awaited` have told their results, but no longer than two minutes. Nothing
/// of it runs any more when this returns. \param variables  NAME=value
RanksResult run_ranks(const MpiLauncher& launcher, int ranks, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& variables = {}, std::size_t awaited = 1000);

}  // namespace cupool::test
