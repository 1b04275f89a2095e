#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "program/outcome.hpp"

namespace cupool::tools {

/// Adds the command `doctor`, which looks for the reason why GPUs cannot be used.
/// \param outcome  gets the result if the command line has this command
void add_doctor(CLI::App& app, std::optional<Outcome>& outcome);

}  // namespace cupool::tools
