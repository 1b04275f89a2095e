#pragma once

#include <CLI/CLI.hpp>
#include <cupool/kernels/curve.hpp>
#include <string>

namespace cupool::tools {

/// Adds --curve to a command. It is required unless `name` has a default.
void add_curve_option(CLI::App& command, std::string& name);

/// The same for a command over scalars, to which the curve gives their field. \param names  of the curves that the command takes
void add_scalar_field_option(CLI::App& command, std::string& name, const std::string& names);

/// \throws BadInput unknown_name
Curve curve_of_option(const std::string& name);

}  // namespace cupool::tools
