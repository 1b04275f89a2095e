#pragma once

#include <cupool/driver/probe.hpp>
#include <string>
#include <vector>

#include "devquery/device_table.hpp"
#include "devquery/self_test.hpp"

namespace cupool::tools {

/// The results as a table, and the findings.
std::string self_test_table(const std::vector<DeviceSelfTest>& results, const TableStyle& style);

/// The JSON object that docs/devquery.schema.json describes as `selftest`.
std::string self_test_json(const std::vector<DeviceSelfTest>& results, const ProbeReport& report);

}  // namespace cupool::tools
