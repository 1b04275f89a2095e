#pragma once

#include <string>

#include "devquery/device_report.hpp"

namespace cupool::tools {

/// A report for programs: the JSON object that docs/devquery.schema.json describes.
std::string device_json(const DeviceReport& report);

}  // namespace cupool::tools
