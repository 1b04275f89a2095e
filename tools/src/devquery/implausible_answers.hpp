#pragma once

#include <string>
#include <vector>

namespace cupool::tools {

struct DeviceReport;

/// Finds answers of a driver that cannot be true, such as two devices with the same UUID, or fewer
/// than one multiprocessor. Only devices that answered are judged. \return printable sentences
std::vector<std::string> implausible_answers(const DeviceReport& report);

}  // namespace cupool::tools
