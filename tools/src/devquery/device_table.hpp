#pragma once

#include <cstddef>
#include <string>

#include "devquery/device_report.hpp"

namespace cupool::tools {

/// How a table is printed.
struct TableStyle {
    bool colors = false;    ///< whether terminal escapes mark what is good and what is not
    std::size_t width = 0;  ///< of the output in characters; 0 means unlimited
};

/// A report for people.
std::string device_table(const DeviceReport& report, const TableStyle& style);

}  // namespace cupool::tools
