#pragma once

#include <cupool/driver/probe.hpp>
#include <string>

namespace cupool::tools {

/// What a probe found, for people. \param colors  whether terminal escapes may mark what is usable and what is not
std::string device_table(const ProbeReport& report, bool colors);

/// What a probe found, for programs: the object that docs/devquery.md describes.
std::string device_json(const ProbeReport& report);

}  // namespace cupool::tools
