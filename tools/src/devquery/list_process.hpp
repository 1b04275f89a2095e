#pragma once

#include <optional>

#include "devquery/device_list.hpp"

namespace cupool::tools {

/// Lists the devices in a second process of this program, which a library that crashes or hangs cannot take down with it. Loading the
/// driver here after a trial (careful_options()) tells why a library cannot be used, but initialises the driver twice.
/// \return the list, if that process has written all of it within some seconds
std::optional<Outcome> list_in_child(const ListOptions& options);

/// Lists the devices for the parent if the command line is the one that list_in_child() makes.
/// \return the exit status for main(); nullopt for any other command line
std::optional<int> list_for_parent_if_asked(int argc, char** argv);

}  // namespace cupool::tools
