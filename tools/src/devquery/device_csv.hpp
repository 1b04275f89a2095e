#pragma once

#include <string>

#include "devquery/device_report.hpp"

namespace cupool::tools {

/// A report as RFC 4180 defines CSV: a header row and a row for each device. Unknown values are
/// empty. With has_all, each attribute is a column. Texts are printable.
std::string device_csv(const DeviceReport& report);

}  // namespace cupool::tools
