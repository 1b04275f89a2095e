#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "devquery/bandwidth.hpp"

namespace cupool::tools {

/// The measurements as a table. \param width  of the output in characters; 0 means unlimited
std::string bandwidth_table(const std::vector<CopyMeasurement>& measurements, const BandwidthOptions& options, std::size_t width);

/// The JSON object that docs/devquery.schema.json describes as `bw`.
std::string bandwidth_json(const std::vector<CopyMeasurement>& measurements, const BandwidthOptions& options, const ProbeReport& report);

}  // namespace cupool::tools
