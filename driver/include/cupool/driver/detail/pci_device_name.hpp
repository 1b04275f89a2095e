#pragma once

#include <string>

namespace cupool::detail {

/// The name that sysfs has for a PCI device (a folder of /sys/bus/pci/devices): lower case, and a domain of 4 digits, where the driver may
/// report 8. \param id  "domain:bus:device.function", hexadecimal \return empty for any other text, which must not become part of a path
std::string sysfs_name_of_pci_device(std::string id);

}  // namespace cupool::detail
