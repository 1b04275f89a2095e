#pragma once

#include <string>
#include <vector>

namespace cupool::detail {

/// The processors on the NUMA node of a PCI device, as Linux tells in sysfs; empty where it tells nothing.
/// \param pci_bus_id  "domain:bus:device.function"
std::vector<int> processors_near(std::string pci_bus_id, const std::string& sysfs = "/sys");

/// Lets the calling thread run only on those of these processors that it may run on already; where there are none, it runs where it did.
void run_on_processors(const std::vector<int>& processors) noexcept;

}  // namespace cupool::detail
