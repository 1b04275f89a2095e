#pragma once

#include <cupool/driver/device.hpp>
#include <cupool/driver/probe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "devquery/pci_devices.hpp"

namespace cupool::tools {

/// How one device reaches the memory of another.
struct TopologyLink {
    int from = 0;  ///< the ordinal of the device that accesses
    int to = 0;    ///< the ordinal of the device whose memory it is
    /// nullopt if the driver does not say.
    std::optional<Device::PeerLink> link;
    std::optional<PciDistance> distance;  ///< nullopt if Linux does not say
    std::string failure;                  ///< why there is no link; empty if there is one
};

/// How the usable devices of a host are connected.
struct Topology {
    struct Node {
        int ordinal = 0;
        std::string name;
        std::string pci_bus_id;
        PciDevice pci;  ///< for simulated devices only the NUMA node, as their driver reports it
    };

    std::vector<Node> devices;
    std::vector<TopologyLink> links;  ///< one for each ordered pair of different devices, by `from`, then `to`

    /// \pre there is such a pair
    const TopologyLink& link(std::size_t from, std::size_t to) const;
};

/// Queries the links between all usable devices; creates no context.
/// \param root  a prefix of the paths of sysfs
Topology read_topology(const ProbeReport& report, const std::string& root = {});

/// The devices, as indices, in groups whose members all have direct access to each other.
std::vector<std::vector<std::size_t>> groups_with_access(const Topology& topology);

}  // namespace cupool::tools
