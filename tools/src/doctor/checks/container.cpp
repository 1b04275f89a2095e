// Containers and cgroups, which give a process some of the host's devices.
#include <sstream>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

bool is_kubernetes(const HostSnapshot& host) {
    return host.exists("/var/run/secrets/kubernetes.io") || host.exists("/run/secrets/kubernetes.io") ||
           host.text("/proc/self/cgroup").find("kubepods") != std::string::npos;
}

std::vector<std::string> denied_nodes(const HostSnapshot& host) {
    std::vector<std::string> nodes;
    for (const auto& path : host.matching("/dev/nvidia*")) {
        if (host.file(path)->access == "denied") nodes.push_back(path + ": the kernel answers EPERM, which permission bits do not cause");
    }
    return nodes;
}

/// Whether it is a container with the nodes of GPUs and without a libcuda of a driver.
bool has_nodes_without_library(const HostSnapshot& host) {
    if (works(host) || !is_container(host) || host.matching("/dev/nvidia[0-9]*").empty()) return false;
    const auto* const first = first_library(host);
    return first == nullptr || first->is_stub();
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
    if (works(host) || is_wsl(host) || is_tegra(host) || !is_container(host)) return std::nullopt;
    if (!host.matching("/dev/nvidia[0-9]*").empty()) return std::nullopt;
    const bool host_has_driver = has_kernel_driver(host);
    if (!host_has_driver && knows_pci(host)) return std::nullopt;  // the host itself has no driver or no GPU
    Finding finding{"container-without-gpus", "The container was started without GPUs",
                    is_kubernetes(host) ? "Request nvidia.com/gpu in the limits of the pod's container, and run NVIDIA's device plugin"
                                        : "Start it with GPUs: docker run --gpus all, or podman run --device nvidia.com/gpu=all",
                    host_has_driver ? Confidence::certain : Confidence::likely, Reason::no_visible_device};
    finding.evidence = {"this is a container", "no /dev/nvidia0, /dev/nvidia1, ..."};
    const auto version = kernel_driver_version(host);
    if (host_has_driver) finding.evidence.push_back("the host's kernel driver is loaded" + (version.empty() ? "" : ": " + version));
    if (const auto chosen = host.variable("NVIDIA_VISIBLE_DEVICES")) finding.evidence.push_back("NVIDIA_VISIBLE_DEVICES=" + *chosen);
    return finding;
}

std::optional<Finding> container_lost_gpus(const HostSnapshot& host) {
    if (works(host) || !is_container(host)) return std::nullopt;
    auto evidence = denied_nodes(host);
    if (evidence.empty()) return std::nullopt;
    return Finding{"container-lost-gpus",
                   "The container has lost its GPUs: its cgroup forbids their devices since systemd reloaded its units",
                   "Restart the container; to prevent it, use CDI or the cgroupfs driver, or pass each node with --device",
                   Confidence::certain,
                   Reason::permission,
                   std::move(evidence)};
}

std::optional<Finding> devices_denied(const HostSnapshot& host) {
    if (works(host) || is_container(host)) return std::nullopt;
    auto evidence = denied_nodes(host);
    if (evidence.empty()) return std::nullopt;
    return Finding{"devices-denied",
                   "The process's cgroup forbids the devices of the GPUs",
                   "Request GPUs from the batch system (Slurm: --gres=gpu:1), or add DeviceAllow= lines to the systemd unit",
                   Confidence::certain,
                   Reason::permission,
                   std::move(evidence)};
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
                   "The container has the devices of the GPUs, as a privileged one has, but NVIDIA's container runtime did not start it: "
                   "that would add the driver's libraries",
                   "Start it with --gpus all, or --device nvidia.com/gpu=all (podman), also if it is privileged; in Kubernetes with "
                   "runtimeClassName: nvidia",
                   Confidence::likely,
                   Reason::no_library,
                   {"GPU nodes exist, and no libcuda is found",
                    chosen ? "NVIDIA_DRIVER_CAPABILITIES=" + *chosen : "NVIDIA_DRIVER_CAPABILITIES is not set"}};
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
