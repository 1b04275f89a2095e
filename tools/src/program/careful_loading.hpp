#pragma once

#include <cupool/driver/loader.hpp>
#include <optional>

namespace cupool::tools {

/// The options with which the tools load a libcuda: a second process of the same program tries it
/// first. See LoadOptions::trial_command.
LoadOptions careful_options();

/// Tries a library if the command line is the one that careful_options() makes.
/// \return the exit status for main(); nullopt for any other command line
std::optional<int> try_library_if_asked(int argc, char** argv);

}  // namespace cupool::tools
