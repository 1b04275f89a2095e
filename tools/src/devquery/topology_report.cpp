#include "devquery/topology_report.hpp"

#include <algorithm>
#include <cupool/driver/printable_text.hpp>

#include "devquery/verb_json.hpp"
#include "io/text_table.hpp"

namespace cupool::tools {
namespace {

std::string gpu(const Topology& topology, std::size_t device) { return "GPU " + std::to_string(topology.devices[device].ordinal); }

/// "===" for direct access with atomics, "---" without atomics, "..." through host memory, and the rank of a direct link.
std::string link_cell(const TopologyLink& link) {
    if (!link.link) return "?";
    if (!link.link->can_access) return "...";
    return (link.link->native_atomics ? "=== " : "--- ") + std::to_string(link.link->performance_rank);
}

std::string matrix(const Topology& topology, std::size_t width) {
    std::vector<TextTable::Column> columns = {{"from \\ to", 0}};
    for (std::size_t to = 0; to < topology.devices.size(); ++to) columns.push_back({gpu(topology, to), 0});
    columns.push_back({"NUMA", 0});
    columns.push_back({"PCI address", 1});
    columns.push_back({"name", 2});
    TextTable table(std::move(columns));
    for (std::size_t from = 0; from < topology.devices.size(); ++from) {
        const auto& device = topology.devices[from];
        std::vector<std::string> row = {gpu(topology, from)};
        for (std::size_t to = 0; to < topology.devices.size(); ++to)
            row.push_back(from == to ? "self" : link_cell(topology.link(from, to)));
        row.push_back(device.pci.numa_node ? std::to_string(*device.pci.numa_node) : "-");
        row.push_back(printable_text(device.pci_bus_id));
        row.push_back(printable_text(device.name));
        table.add_row(std::move(row));
    }
    return table.text(width);
}

std::string group_lines(const Topology& topology) {
    std::string lines;
    for (const auto& group : groups_with_access(topology)) {
        std::string members;
        for (const auto device : group) members += (members.empty() ? "" : ", ") + gpu(topology, device);
        lines += (group.size() > 1 ? "direct access to each other: " : "no direct access:            ") + members + '\n';
    }
    return lines;
}

std::string distance_lines(const Topology& topology) {
    std::string lines;
    for (std::size_t from = 0; from < topology.devices.size(); ++from) {
        for (std::size_t to = from + 1; to < topology.devices.size(); ++to) {
            if (const auto distance = topology.link(from, to).distance)
                lines += gpu(topology, from) + " and " + gpu(topology, to) + " over PCI: " + to_string(*distance) + '\n';
        }
    }
    return lines;
}

std::string failure_lines(const Topology& topology) {
    std::string lines;
    for (const auto& link : topology.links) {
        if (link.failure.empty()) continue;
        lines += "GPU " + std::to_string(link.from) + " to GPU " + std::to_string(link.to) + ": " + printable_text(link.failure) + '\n';
    }
    return lines;
}

constexpr const char* legend =
    "=== direct access with atomics, --- without, ... through host memory;\n"
    "the number ranks the links of this host, the lowest is the fastest.\n";

Json link_json(const TopologyLink& link) {
    Json json = {{"from", link.from},        {"to", link.to},          {"access", Json()},
                 {"native_atomics", Json()}, {"array_access", Json()}, {"performance_rank", Json()}};
    if (link.link) {
        json["access"] = link.link->can_access;
        json["native_atomics"] = link.link->native_atomics;
        json["array_access"] = link.link->array_access;
        json["performance_rank"] = link.link->performance_rank;
    }
    json["pci_distance"] = link.distance ? Json(to_string(*link.distance)) : Json();
    json["failure"] = link.failure.empty() ? Json() : Json(link.failure);
    return json;
}

}  // namespace

std::string topology_picture(const Topology& topology, std::size_t width) {
    auto text = matrix(topology, width);
    if (topology.devices.size() < 2) return text;
    for (const auto& section : {std::string(legend), group_lines(topology), distance_lines(topology), failure_lines(topology)}) {
        if (!section.empty()) text += '\n' + section;
    }
    return text;
}

std::string topology_json(const Topology& topology, const ProbeReport& report) {
    auto json = verb_json("topo", report);
    json["devices"] = Json::array();
    for (const auto& device : topology.devices) {
        json["devices"].push_back({{"ordinal", device.ordinal},
                                   {"name", device.name},
                                   {"pci_bus_id", device.pci_bus_id},
                                   {"pci_path", device.pci.path},
                                   {"numa_node", device.pci.numa_node ? Json(*device.pci.numa_node) : Json()}});
    }
    json["links"] = Json::array();
    for (const auto& link : topology.links) json["links"].push_back(link_json(link));
    return json_text(json, 2);
}

}  // namespace cupool::tools
