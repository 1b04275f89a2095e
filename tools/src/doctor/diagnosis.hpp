#pragma once

#include <vector>

#include "doctor/finding.hpp"
#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// All findings about a host, the root cause first. Remarks (possible) come last.
std::vector<Finding> diagnose(const HostSnapshot& host);

/// Whether something is wrong: a finding is certain or likely.
bool has_trouble(const std::vector<Finding>& findings);

/// The exit code: none without trouble, partial if a GPU is usable all the same, else the reason of
/// the first finding.
Reason reason_of(const HostSnapshot& host, const std::vector<Finding>& findings);

}  // namespace cupool::tools
