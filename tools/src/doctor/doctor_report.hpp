#pragma once

#include <string>
#include <vector>

#include "doctor/finding.hpp"
#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// The diagnosis for people.
std::string doctor_text(const HostSnapshot& host, const std::vector<Finding>& findings);

/// The diagnosis for programs: the JSON object that docs/devquery.md describes.
std::string doctor_json(const HostSnapshot& host, const std::vector<Finding>& findings);

}  // namespace cupool::tools
