#include "devquery/topology.hpp"

#include <algorithm>

namespace cupool::tools {
namespace {

std::optional<int> numa_node_by_driver(const Device& device) {
    try {
        const auto node = device.try_attribute(abi::DeviceAttribute::host_numa_id);
        return node && *node >= 0 ? node : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

Topology::Node node_of(const Device& device, const ProbedDevice& probed, const std::string& root) {
    Topology::Node node{probed.ordinal, probed.name, probed.pci_bus_id, {}};
    if (!device.driver()->report().simulated) node.pci = read_pci_device(probed.pci_bus_id, root);
    if (const auto numa_node = numa_node_by_driver(device)) node.pci.numa_node = numa_node;
    return node;
}

TopologyLink link_between(const Device& from, const Device& to) {
    TopologyLink link{from.ordinal(), to.ordinal(), {}, {}, {}};
    try {
        link.link = from.peer_link(to);
    } catch (const Error& error) {
        link.failure = error.code() ? error.call() + " answered " + describe(*error.code()) : error.message();
    }
    return link;
}

}  // namespace

const TopologyLink& Topology::link(std::size_t from, std::size_t to) const {
    return links[from * (devices.size() - 1) + to - (to > from ? 1 : 0)];
}

Topology read_topology(const ProbeReport& report, const std::string& root) {
    Topology topology;
    std::vector<Device> handles;
    for (const auto& probed : report.devices) {
        if (!probed.usable()) continue;
        handles.emplace_back(report.driver, probed.ordinal);
        topology.devices.push_back(node_of(handles.back(), probed, root));
    }
    for (std::size_t from = 0; from < handles.size(); ++from) {
        for (std::size_t to = 0; to < handles.size(); ++to) {
            if (from == to) continue;
            topology.links.push_back(link_between(handles[from], handles[to]));
            topology.links.back().distance = distance_between(topology.devices[from].pci, topology.devices[to].pci);
        }
    }
    return topology;
}

std::vector<std::vector<std::size_t>> groups_with_access(const Topology& topology) {
    const auto reaches = [&](std::size_t from, std::size_t to) {
        const auto& link = topology.link(from, to).link;
        return link && link->can_access;
    };
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t device = 0; device < topology.devices.size(); ++device) {
        const auto fits = [&](const std::vector<std::size_t>& group) {
            return std::all_of(group.begin(), group.end(),
                               [&](std::size_t member) { return reaches(device, member) && reaches(member, device); });
        };
        const auto group = std::find_if(groups.begin(), groups.end(), fits);
        if (group == groups.end()) {
            groups.push_back({device});
        } else {
            group->push_back(device);
        }
    }
    return groups;
}

}  // namespace cupool::tools
