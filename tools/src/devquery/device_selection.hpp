#pragma once

#include <CLI/CLI.hpp>
#include <cupool/driver/probe.hpp>
#include <vector>

namespace cupool::tools {

/// Adds --devices to a verb.
void add_devices_option(CLI::App& verb, std::vector<int>& ordinals);

/// The usable devices of the report that the option names, or all of them if it names none.
/// \throws UsageError for a device that is named twice, does not exist or cannot be used; Error if
/// no device can be used, or the driver answers nonsense about one
std::vector<ProbedDevice> selected_devices(const ProbeReport& report, const std::vector<int>& ordinals);

}  // namespace cupool::tools
