#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cupool::tools {

/// How far two devices are apart on the PCI buses of a host, the nearest first.
enum class PciDistance {
    same_card,    ///< the same function, as of MIG instances
    one_switch,   ///< below one PCI switch or bridge
    switches,     ///< below one port of the root complex, over several switches
    host_bridge,  ///< over the root complex of one host bridge
    numa_node,    ///< over several host bridges of one NUMA node
    system,       ///< over the links between NUMA nodes
};

/// "one switch", "NUMA node", ...
const char* to_string(PciDistance distance);

/// What Linux says of a PCI device.
struct PciDevice {
    std::vector<std::string> path;  ///< the buses and bridges from the host bridge to the device; empty if unknown
    std::optional<int> numa_node;   ///< nullopt if the host has no NUMA nodes, or it is unknown
};

/// Reads /sys/bus/pci/devices. Never throws for what is missing there.
/// \param pci_bus_id  "domain:bus:device.function"
/// \param root  a prefix of all paths
PciDevice read_pci_device(const std::string& pci_bus_id, const std::string& root = {});

/// nullopt if a path is unknown.
std::optional<PciDistance> distance_between(const PciDevice& one, const PciDevice& other);

}  // namespace cupool::tools
