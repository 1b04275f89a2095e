#pragma once

#include "devquery/watch.hpp"

namespace cupool::tools {

/// The time of day, as "15:04:05".
std::string watch_time();

/// A table of all devices, and a line for each whose memory is unknown.
std::string watch_table(const std::vector<DeviceSample>& samples, std::size_t width);

std::string watch_xid_line(const DeviceXid& xid);

/// One JSON object, on one line.
/// \{
std::string watch_json(const std::vector<DeviceSample>& samples, const std::string& management_finding, const ProbeReport& report);
std::string watch_xid_json(const DeviceXid& xid, const ProbeReport& report);
/// \}

}  // namespace cupool::tools
