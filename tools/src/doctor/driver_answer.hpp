#pragma once

#include <chrono>
#include <optional>

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// Asks the driver of this host in a child process, which loads it, calls cuInit, lists the devices,
/// opens a context on each and loads a small PTX module: a driver that crashes or hangs is an answer,
/// too. \param limit  time for all of it
DriverAnswer ask_driver(std::chrono::milliseconds limit);

/// The child of ask_driver(), if the command line is the one that it makes.
/// \return the exit status for main(); nullopt for any other command line
std::optional<int> answer_for_driver_if_asked(int argc, char** argv);

}  // namespace cupool::tools
