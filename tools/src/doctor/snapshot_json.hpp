#pragma once

#include <string>

#include "doctor/host_snapshot.hpp"
#include "io/report_json.hpp"

namespace cupool::tools {

/// The version of the format; see docs/devquery.md.
constexpr int snapshot_version = 1;

Json snapshot_to_json(const HostSnapshot& snapshot);

/// Reads a snapshot over an existing one: members that the text does not have keep their value, files
/// and variables are added, and null removes them. \throws BadInput naming the member
void merge_snapshot(HostSnapshot& snapshot, const std::string& text);

/// Reads a file with a snapshot. \throws BadInput naming the file and the member
void merge_snapshot_file(HostSnapshot& snapshot, const std::string& path);

}  // namespace cupool::tools
