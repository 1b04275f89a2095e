#pragma once

#include <cupool/driver/loader.hpp>
#include <optional>

namespace cupool::tools {

/// How the tools load a libcuda: the same program, started again, tries it first. See LoadOptions::trial_command.
LoadOptions careful_options();

/// Tries a library where the command line asks for it as careful_options() does.
/// \return the exit status for main(), or nothing where it asks for something else
std::optional<int> try_library_if_asked(int argc, char** argv);

}  // namespace cupool::tools
