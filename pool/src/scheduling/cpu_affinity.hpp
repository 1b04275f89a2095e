#pragma once

#include <string>
#include <vector>

namespace cupool::detail {

/// The processors on the NUMA node of a PCI device, read from sysfs; empty if they are unknown.
/// \param pci_bus_id  "domain:bus:device.function"
std::vector<int> processors_near(std::string pci_bus_id, const std::string& sysfs = "/sys");

/// Restricts the calling thread to those of these processors that it is already allowed to use. Does nothing if there are none.
void run_on_processors(const std::vector<int>& processors) noexcept;

}  // namespace cupool::detail
