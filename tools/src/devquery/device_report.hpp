#pragma once

#include <cupool/driver/probe.hpp>
#include <string>

namespace cupool::tools {

/// A probe's report for people. \param colors  whether terminal escapes mark usable and unusable devices
std::string device_table(const ProbeReport& report, bool colors);

/// A probe's report for programs: the JSON object that docs/devquery.md describes.
std::string device_json(const ProbeReport& report);

}  // namespace cupool::tools
