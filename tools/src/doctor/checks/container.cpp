// Containers and cgroups, which give a process some of the host's devices.
#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

bool are_all_denied(const HostSnapshot& host, const std::string& pattern) {
    auto nodes = host.matching(pattern);
    std::erase_if(nodes, [&](const std::string& node) { return host.file(node)->type != "device"; });  // the folder nvidia-caps
    return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const std::string& node) { return is_denied(host, node); });
}

/// The nodes that a device cgroup forbids. A job with some of the GPUs does not need the others: nothing is denied to it then.
std::vector<std::string> denied_nodes(const HostSnapshot& host) {
    if (!is_denied(host, "/dev/nvidiactl") && !is_denied(host, "/dev/nvidia-uvm") && !are_all_denied(host, "/dev/nvidia[0-9]*")) return {};
    auto nodes = host.matching("/dev/nvidia*");
    std::erase_if(nodes, [&](const std::string& node) { return !is_denied(host, node); });
    return nodes;
}

std::vector<std::string> evidence_of_denied(const std::vector<std::string>& nodes) {
    std::vector<std::string> evidence;
    for (const auto& node : nodes) evidence.push_back(node + ": the kernel answers EPERM, which permission bits do not cause");
    return evidence;
}

/// Whether systemd may have taken the GPUs from a container: it takes all of them, and LXC is not concerned.
bool has_lost_gpus(const HostSnapshot& host) {
    const auto container = container_of(host);
    return (container == Container::kubernetes || container == Container::other) && are_all_denied(host, "/dev/nvidia*");
}

/// The snap in which the process runs; empty if it runs in none.
std::string snap_name(const HostSnapshot& host) {
    constexpr std::string_view mark = "/snap.";
    const auto groups = host.text("/proc/self/cgroup");
    const auto position = groups.find(mark);
    if (position == std::string::npos) return {};
    const auto begin = position + mark.size();
    return groups.substr(begin, groups.find('.', begin) - begin);
}

/// "c 195:* rwm, c 510:* rwm": what a device cgroup has to allow.
std::string rules_for(const HostSnapshot& host, const std::vector<std::string>& nodes) {
    std::set<int> numbers;
    for (const auto& node : nodes) numbers.insert(host.file(node)->major);
    std::string rules;
    for (const int number : numbers) rules += (rules.empty() ? "c " : ", c ") + std::to_string(number) + ":* rwm";
    return rules;
}

std::string fix_of_denied(const HostSnapshot& host, const std::vector<std::string>& nodes) {
    const auto snap = snap_name(host);
    if (!snap.empty()) return "sudo snap connect " + snap + ":opengl, which gives the snap the devices of the GPUs";
    switch (container_of(host)) {
        case Container::lxc:
            return "Allow them in the container's configuration (lxc.cgroup2.devices.allow: " + rules_for(host, nodes) +
                   ") and restart it; the number of nvidia-uvm may change when the host starts";
        case Container::none:
        case Container::apptainer:
            return "Request GPUs from the batch system (Slurm: --gres=gpu:1), or add DeviceAllow= lines to the systemd unit";
        default: return "Pass all nodes to the container, as --gpus all and CDI do, and restart it";
    }
}

/// How a container gets the nodes of GPUs.
std::string fix_of_missing_gpus(const HostSnapshot& host) {
    const auto granted = host.variable("NVIDIA_VISIBLE_DEVICES").value_or("");
    const bool is_granted = granted.starts_with("GPU-") || granted.starts_with("MIG-");
    switch (container_of(host)) {
        case Container::kubernetes:
            return is_granted ? "The device plugin has granted a GPU, but NVIDIA's runtime did not start the container: set "
                                "runtimeClassName: nvidia in the pod, or make nvidia the node's default runtime"
                              : "Request nvidia.com/gpu in the limits of the pod's container, and run NVIDIA's device plugin";
        case Container::apptainer: return "apptainer exec --nv (singularity exec --nv)";
        case Container::flatpak: return "flatpak override --user --device=all APPLICATION";
        case Container::lxc:
            return "Pass the nodes to the container: LXD and Incus: config device add NAME gpu gpu; Proxmox: pct set ID -dev0 "
                   "/dev/nvidia0, and so on for nvidiactl and nvidia-uvm";
        default: return "Start it with GPUs: docker run --gpus all (Jetson: --runtime nvidia), or podman run --device nvidia.com/gpu=all";
    }
}

/// The extension of Flatpak with the libraries of the host's driver.
std::string flatpak_extension(const HostSnapshot& host) {
    auto version = kernel_driver_version(host);
    std::replace(version.begin(), version.end(), '.', '-');
    return "org.freedesktop.Platform.GL.nvidia-" + (version.empty() ? "VERSION" : version);
}

/// How a container gets the driver's libraries.
std::string fix_of_missing_libraries(const HostSnapshot& host) {
    switch (container_of(host)) {
        case Container::kubernetes: return "Set runtimeClassName: nvidia in the pod, also if it is privileged";
        case Container::apptainer: return "Start it with --nv: apptainer exec --nv (singularity exec --nv)";
        case Container::flatpak: return "flatpak update, which installs " + flatpak_extension(host);
        case Container::lxc:
            return "Set nvidia.runtime=true (LXD, Incus), or install the driver in the container in the host's version and "
                   "without its kernel module";
        default: return "Start it with --gpus all, or --device nvidia.com/gpu=all (podman), also if it is privileged";
    }
}

/// Whether it is a container with the nodes of GPUs and without a libcuda of a driver, even in a folder that is not searched.
bool has_nodes_without_library(const HostSnapshot& host) {
    if (works(host) || !is_container(host) || host.matching("/dev/nvidia[0-9]*").empty()) return false;
    const auto* const first = first_library(host);
    return (first == nullptr || first->is_stub()) && other_driver_library(host) == nullptr;
}

bool names(const std::optional<std::string>& list, const std::string& entry) {
    return list && (list->find(entry) != std::string::npos || list->find("all") != std::string::npos);
}

/// tmpfs or another file system that is mounted on /dev in place of the kernel's own; empty if unknown or none.
std::string private_dev(const HostSnapshot& host) {
    std::istringstream mounts(host.text("/proc/self/mountinfo"));
    std::string found;
    for (std::string line; std::getline(mounts, line);) {
        // number, parent, device, root, mount point, options, optional fields, "-", type, ...
        std::istringstream words(line);
        std::string word;
        for (int i = 0; i < 5; ++i) words >> word;
        if (word != "/dev") continue;
        const auto separator = line.find(" - ");
        if (separator == std::string::npos) continue;
        std::istringstream rest(line.substr(separator + 3));
        rest >> found;
    }
    return found == "devtmpfs" ? std::string() : found;
}

}  // namespace

std::optional<Finding> container_without_gpus(const HostSnapshot& host) {
    if (works(host) || is_tegra(host) || !is_container(host)) return std::nullopt;
    const auto gpu_nodes = is_wsl(host) ? "/dev/dxg" : "/dev/nvidia[0-9]*";
    if (!host.matching(gpu_nodes).empty()) return std::nullopt;
    const bool host_has_driver = has_kernel_driver(host);
    if (!host_has_driver && knows_pci(host)) return std::nullopt;  // the host itself has no driver or no GPU
    Finding finding{"container-without-gpus", "The container was started without GPUs", fix_of_missing_gpus(host),
                    host_has_driver ? Confidence::certain : Confidence::likely, Reason::no_visible_device};
    finding.evidence = {"this is a container", is_wsl(host) ? "no /dev/dxg" : "no /dev/nvidia0, /dev/nvidia1, ..."};
    const auto version = kernel_driver_version(host);
    if (host_has_driver) finding.evidence.push_back("the host's kernel driver is loaded" + (version.empty() ? "" : ": " + version));
    if (const auto chosen = host.variable("NVIDIA_VISIBLE_DEVICES")) finding.evidence.push_back("NVIDIA_VISIBLE_DEVICES=" + *chosen);
    return finding;
}

std::optional<Finding> container_lost_gpus(const HostSnapshot& host) {
    if (works(host) || !has_lost_gpus(host)) return std::nullopt;
    return Finding{"container-lost-gpus",
                   "The container has lost its GPUs: its cgroup forbids their devices since systemd reloaded its units",
                   "Restart the container; to prevent it, use CDI or the cgroupfs driver, or pass each node with --device",
                   Confidence::certain,
                   Reason::permission,
                   evidence_of_denied(denied_nodes(host))};
}

std::optional<Finding> devices_denied(const HostSnapshot& host) {
    const auto nodes = denied_nodes(host);
    if (works(host) || nodes.empty() || has_lost_gpus(host)) return std::nullopt;
    return Finding{"devices-denied",           "The process's cgroup forbids the devices of the GPUs",
                   fix_of_denied(host, nodes), Confidence::certain,
                   Reason::permission,         evidence_of_denied(nodes)};
}

std::optional<Finding> container_without_compute(const HostSnapshot& host) {
    const auto chosen = host.variable("NVIDIA_DRIVER_CAPABILITIES");
    if (!has_nodes_without_library(host) || !chosen || names(chosen, "compute")) return std::nullopt;
    return Finding{"container-without-compute",
                   "The container has the devices of the GPUs but not the driver's compute libraries",
                   "Start it with NVIDIA_DRIVER_CAPABILITIES=compute,utility (or all) and NVIDIA's container runtime",
                   Confidence::certain,
                   Reason::no_library,
                   {"GPU nodes exist, and no libcuda is found", "NVIDIA_DRIVER_CAPABILITIES=" + *chosen}};
}

std::optional<Finding> container_without_runtime(const HostSnapshot& host) {
    const auto chosen = host.variable("NVIDIA_DRIVER_CAPABILITIES");
    if (!has_nodes_without_library(host) || (chosen && !names(chosen, "compute"))) return std::nullopt;
    return Finding{"container-without-runtime",
                   container_of(host) == Container::other || container_of(host) == Container::kubernetes
                       ? "The container has the devices of the GPUs, as a privileged one has, but NVIDIA's container runtime did not start "
                         "it: that would add the driver's libraries"
                       : "The container has the devices of the GPUs, but not the driver's libraries",
                   fix_of_missing_libraries(host),
                   Confidence::likely,
                   Reason::no_library,
                   {"GPU nodes exist, and no libcuda is found", chosen ? "NVIDIA_DRIVER_CAPABILITIES=" + *chosen : ""}};
}

std::optional<Finding> private_devices(const HostSnapshot& host) {
    if (works(host) || is_wsl(host) || is_container(host) || !has_kernel_driver(host)) return std::nullopt;
    const auto type = private_dev(host);
    if (type.empty() || !host.matching("/dev/nvidia[0-9]*").empty()) return std::nullopt;
    const auto unit = systemd_service(host);
    Finding finding{"private-devices",
                    "This process has a /dev of its own, without the GPUs, as PrivateDevices=yes in a systemd unit makes it",
                    "Set PrivateDevices=no in the unit (systemctl edit " + (unit.empty() ? "UNIT" : unit) +
                        ") and restart it; outside systemd, pass the nodes of the GPUs to the sandbox",
                    unit.empty() ? Confidence::likely : Confidence::certain, Reason::no_visible_device};
    finding.evidence = {"/dev is a file system of type " + type + ", not the kernel's devtmpfs", "no /dev/nvidia0, /dev/nvidia1, ...",
                        "the kernel driver is loaded"};
    if (!unit.empty()) finding.evidence.push_back("the process belongs to " + unit);
    return finding;
}

}  // namespace cupool::tools::checks
