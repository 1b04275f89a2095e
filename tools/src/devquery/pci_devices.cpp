#include "devquery/pci_devices.hpp"

#include <algorithm>
#include <cupool/driver/detail/pci_device_name.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace cupool::tools {
namespace {

std::vector<std::string> path_of(const std::filesystem::path& device) {
    std::error_code error;
    const auto target = std::filesystem::canonical(device, error);
    if (error) return {};
    std::vector<std::string> path;
    for (const auto& part : target) {
        if (part.string().compare(0, 3, "pci") == 0) path.clear();
        path.push_back(part.string());
    }
    if (path.front().compare(0, 3, "pci") != 0) return {};
    return path;
}

std::optional<int> numa_node_of(const std::filesystem::path& device) {
    std::ifstream file(device / "numa_node");
    int node = -1;
    if (!(file >> node) || node < 0) return std::nullopt;
    return node;
}

}  // namespace

const char* to_string(PciDistance distance) {
    switch (distance) {
        case PciDistance::same_card: return "same card";
        case PciDistance::one_switch: return "one switch";
        case PciDistance::switches: return "switches";
        case PciDistance::host_bridge: return "host bridge";
        case PciDistance::numa_node: return "NUMA node";
        case PciDistance::system: return "system";
    }
    return "unknown";
}

PciDevice read_pci_device(const std::string& pci_bus_id, const std::string& root) {
    const auto name = detail::sysfs_name_of_pci_device(pci_bus_id);
    if (name.empty()) return {};
    const auto device = std::filesystem::path(root + "/sys/bus/pci/devices") / name;
    return {path_of(device), numa_node_of(device)};
}

std::optional<PciDistance> distance_between(const PciDevice& one, const PciDevice& other) {
    if (one.path.empty() || other.path.empty()) return std::nullopt;
    const auto parted = std::mismatch(one.path.begin(), one.path.end(), other.path.begin(), other.path.end());
    const auto shared = static_cast<std::size_t>(parted.first - one.path.begin());
    if (shared == one.path.size() && shared == other.path.size()) return PciDistance::same_card;
    if (shared == 0) {
        const bool is_same_node = one.numa_node && one.numa_node == other.numa_node;
        return is_same_node ? PciDistance::numa_node : PciDistance::system;
    }
    if (shared == 1) return PciDistance::host_bridge;
    // Below a switch each device has the switch's port between them, or none if the bridge has no ports of its own.
    constexpr std::size_t device_and_port = 2;
    const bool is_one_switch = one.path.size() - shared <= device_and_port && other.path.size() - shared <= device_and_port;
    return is_one_switch ? PciDistance::one_switch : PciDistance::switches;
}

}  // namespace cupool::tools
