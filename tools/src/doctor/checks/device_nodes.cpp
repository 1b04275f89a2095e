// The device nodes in /dev.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

constexpr const char* uvm_node = "/dev/nvidia-uvm";

/// The major number that /proc/devices gives a driver; 0 if there is none.
int registered_major(const HostSnapshot& host, const std::string& driver) {
    std::istringstream lines(host.text("/proc/devices"));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        int number = 0;
        std::string name;
        if (words >> number >> name && name == driver) return number;
    }
    return 0;
}

std::string group_name(const HostSnapshot& host, int group) {
    std::istringstream lines(host.text("/etc/group"));
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        const auto second = colon == std::string::npos ? colon : line.find(':', colon + 1);
        if (second != std::string::npos && std::atoi(line.c_str() + second + 1) == group) return line.substr(0, colon);
    }
    return {};
}

std::string octal(int mode) {
    std::ostringstream text;
    text << std::oct << mode;
    return "0" + text.str();
}

std::vector<std::string> needed_nodes(const HostSnapshot& host) {
    auto nodes = host.matching("/dev/nvidia[0-9]*");
    for (const std::string node : {"/dev/nvidiactl", uvm_node, "/dev/dxg", "/dev/nvmap", "/dev/nvhost-gpu"}) {
        if (host.exists(node)) nodes.push_back(node);
    }
    return nodes;
}

constexpr const char* selinux_state = "/sys/fs/selinux/enforce";

std::string selinux_mode(const HostSnapshot& host) { return trimmed(host.text(selinux_state)) == "0" ? "permissive" : "enforcing"; }

/// Whether the permission bits allow this user to read and write a node.
bool bits_allow(const HostSnapshot& host, const HostFile& file) {
    const auto has = [&](unsigned bits) { return (static_cast<unsigned>(file.mode) & bits) == bits; };
    const auto& groups = host.process.groups;
    const bool is_member = std::find(groups.begin(), groups.end(), file.group) != groups.end();
    return is_member ? has(060U) : has(06U);
}

std::string fix_of_security_module(const HostSnapshot& host) {
    if (is_container(host))
        return "sudo setsebool -P container_use_devices 1 on the host, or start the container with --security-opt label=disable";
    return "ausearch -m avc -ts recent names the rule (AppArmor: aa-status); sudo restorecon -v /dev/nvidia* if the labels are wrong, "
           "else allow it in the policy of the program";
}

/// How this user gets access to a node that it may not open.
std::string fix_of_forbidden(const HostSnapshot& host, const HostFile& file) {
    constexpr int nobody = 65534;  // the owner of files whose group has no number in a user namespace
    if (bits_allow(host, file)) return fix_of_security_module(host);
    if (file.group == nobody)
        return "The group of the nodes is unknown in this user namespace, as in a rootless container: start it with the groups of the user "
               "(podman: --group-add keep-groups), or give the nodes mode 0666 on the host";
    const bool group_helps = (static_cast<unsigned>(file.mode) & 060U) == 060U && file.group != 0;
    if (!group_helps)
        return "Give the nodes mode 0666 (module option NVreg_DeviceFileMode=0666 and udev rules), or a group of which this user is a "
               "member";
    const auto number = std::to_string(file.group);
    if (is_container(host)) return "Start the container with --group-add " + number + ", the group that owns the nodes";
    const auto name = group_name(host, file.group);
    if (name.empty())
        return "Join the group " + number + ", which owns the nodes: getent group " + number +
               " prints its name (make it with groupadd -g " + number +
               " if it has none), then sudo usermod -aG NAME USER, and log in again";
    return "sudo usermod -aG " + name + " USER, then log in again (group " + name + " owns the nodes)";
}

/// Whether a node's number is not that of the driver.
bool is_stale(const HostSnapshot& host, const std::string& node, const std::string& driver) {
    const auto* const file = host.file(node);
    const int major = registered_major(host, driver);
    return file != nullptr && file->major != 0 && major != 0 && file->major != major;
}

std::string stale_line(const HostSnapshot& host, const std::string& node, const std::string& driver) {
    return node + " has major number " + std::to_string(host.file(node)->major) + ", and " + driver + " is registered as " +
           std::to_string(registered_major(host, driver)) + " in /proc/devices";
}

}  // namespace

std::optional<Finding> nodes_missing(const HostSnapshot& host) {
    if (works(host) || is_wsl(host) || is_tegra(host) || !has_kernel_driver(host)) return std::nullopt;
    std::vector<std::string> evidence;
    if (!host.exists("/dev/nvidiactl")) evidence.push_back("/dev/nvidiactl is absent");
    if (host.matching("/dev/nvidia[0-9]*").empty()) evidence.push_back("/dev/nvidia0, /dev/nvidia1, ... are absent");
    if (evidence.empty()) return std::nullopt;
    evidence.push_back("the kernel driver is loaded");
    const auto unit = systemd_service(host);
    const auto fix_of_unit = unit.empty() ? "" : "; if they exist outside " + unit + ", set PrivateDevices=no in this unit";
    return Finding{
        "device-nodes-missing",
        "The kernel driver is loaded, but its device nodes are missing",
        "sudo nvidia-modprobe -c 0 -u (0: the number of the GPU), or run nvidia-smi once as root; in a container pass the nodes" +
            fix_of_unit,
        Confidence::certain,
        Reason::no_visible_device,
        std::move(evidence)};
}

std::optional<Finding> nodes_forbidden(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    Finding finding{"device-nodes-forbidden", "This user may not open the device nodes of the GPU", "", Confidence::certain,
                    Reason::permission};
    for (const auto& node : needed_nodes(host)) {
        const auto& file = *host.file(node);
        if (file.access != "none" && file.access != "r") continue;
        finding.fix = fix_of_forbidden(host, file);
        const bool allowed = bits_allow(host, file);
        if (allowed) finding.cause = "A security module (SELinux or AppArmor) keeps this process from the device nodes of the GPU";
        const auto name = group_name(host, file.group);
        finding.evidence.push_back(
            node + ": mode " + octal(file.mode) + ", group " + std::to_string(file.group) + (name.empty() ? "" : " (" + name + ")") +
            "; this user may " + (file.access == "r" ? "only read it" : "not open it") + (allowed ? ", although the mode allows it" : ""));
    }
    if (finding.evidence.empty()) return std::nullopt;
    for (auto& line : log_lines(host, "avc: ")) finding.evidence.push_back("kernel log: " + line);
    if (host.exists(selinux_state)) finding.evidence.push_back("SELinux is " + selinux_mode(host));
    return finding;
}

std::optional<Finding> nodes_stale(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    std::vector<std::string> evidence;
    for (const auto& node : host.matching("/dev/nvidia[0-9]*")) {
        for (const std::string driver : {"nvidia-frontend", "nvidia"}) {
            if (is_stale(host, node, driver)) evidence.push_back(stale_line(host, node, driver));
        }
    }
    if (evidence.empty()) return std::nullopt;
    return Finding{"device-nodes-stale",
                   "The device nodes of the GPUs have numbers that the kernel driver no longer has",
                   "Delete them and make them again: sudo rm /dev/nvidia*; sudo nvidia-modprobe -c 0 -u; restart containers",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> uvm_missing(const HostSnapshot& host) {
    if (works(host) || is_wsl(host) || is_tegra(host) || !has_kernel_driver(host) || host.exists(uvm_node)) return std::nullopt;
    const bool loaded = is_loaded(host, "nvidia_uvm");
    Finding finding{"uvm-missing", "The node /dev/nvidia-uvm, which every CUDA program needs, is missing",
                    loaded ? "sudo nvidia-modprobe -u -c 0" : "sudo modprobe nvidia_uvm && sudo nvidia-modprobe -u -c 0",
                    Confidence::certain, Reason::kernel_driver};
    if (is_container(host))
        finding.fix = "Pass /dev/nvidia-uvm to the container (NVIDIA's runtime does), after sudo nvidia-modprobe -u -c 0 on the host";
    finding.evidence = {"/dev/nvidia-uvm is absent", loaded ? "the module nvidia_uvm is loaded" : "the module nvidia_uvm is not loaded"};
    return finding;
}

std::optional<Finding> mig_nodes_missing(const HostSnapshot& host) {
    const auto instances = host.matching("/proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*");
    if (!finds_no_device(host) || instances.empty()) return std::nullopt;
    const auto nodes = host.matching("/dev/nvidia-caps/nvidia-cap*");
    const bool can_open_one = std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
        const auto& access = host.file(node)->access;
        return access == "r" || access == "rw";
    });
    if (can_open_one) return std::nullopt;
    Finding finding{"mig-nodes-missing", "MIG instances exist, but this process has no nodes in /dev/nvidia-caps to open them", "",
                    Confidence::certain, Reason::no_visible_device};
    finding.fix = is_container(host) ? "Give the container an instance: --gpus '\"device=MIG-...\"' or a resource nvidia.com/mig-...; LXC: "
                                       "pass the nodes of /dev/nvidia-caps, too"
                                     : "sudo nvidia-modprobe -f " + instances.front() +
                                           "/access, and -f with the file access above it, for each "
                                           "instance; or run nvidia-smi -L once as root";
    finding.evidence = {instances.front() + " exists",
                        nodes.empty() ? "no node in /dev/nvidia-caps" : "this user may not read " + nodes.front()};
    return finding;
}

std::optional<Finding> uvm_stale(const HostSnapshot& host) {
    constexpr int unknown = 999;
    if (works(host) || is_wsl(host) || !host.exists(uvm_node) || is_denied(host, uvm_node)) return std::nullopt;
    const bool wrong_number = is_stale(host, uvm_node, "nvidia-uvm");
    const bool knows_modules = host.exists("/proc/modules") || host.exists("/sys/module/nvidia");
    const bool not_loaded = has_kernel_driver(host) && knows_modules && !is_loaded(host, "nvidia_uvm");
    if (!wrong_number && !not_loaded && !init_is(host, unknown)) return std::nullopt;
    Finding finding{
        "uvm-stale", "The kernel module nvidia_uvm does not serve /dev/nvidia-uvm: it is stale, as after a suspend or an upgrade",
        "Stop all CUDA programs, then sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm && sudo nvidia-modprobe -u -c 0; else reboot",
        wrong_number || not_loaded ? Confidence::certain : Confidence::likely, Reason::kernel_driver};
    if (wrong_number && is_container(host)) {
        finding.cause = "The container has /dev/nvidia-uvm with a number that the driver no longer has: the host gave it another one";
        finding.fix = "Make the container again, with podman after sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml on the host";
    }
    if (wrong_number) finding.evidence.push_back(stale_line(host, uvm_node, "nvidia-uvm"));
    if (not_loaded) finding.evidence.push_back("/dev/nvidia-uvm exists, and the module nvidia_uvm is not loaded");
    if (host.driver.init) finding.evidence.push_back("cuInit: " + status_text(*host.driver.init));
    finding.as_root = "the kernel log: sudo dmesg | grep -i -e nvidia-uvm -e NVRM";
    return finding;
}

std::optional<Finding> unified_memory_failed(const HostSnapshot& host) {
    constexpr int not_initialized = 3;
    const auto hmm = host.text("/sys/module/nvidia_uvm/parameters/uvm_disable_hmm");
    if (works(host) || host.driver.forked || !init_is(host, not_initialized) || !hmm.starts_with("N")) return std::nullopt;
    return Finding{
        "unified-memory-failed",
        "The module nvidia_uvm does not initialise, as happens where it shares page tables with the kernel (HMM)",
        "Write \"options nvidia_uvm uvm_disable_hmm=1\" into a file of /etc/modprobe.d, reload nvidia_uvm; look into the kernel log",
        Confidence::likely,
        Reason::kernel_driver,
        {"cuInit: " + status_text(not_initialized), "nvidia_uvm has uvm_disable_hmm=N"}};
}

}  // namespace cupool::tools::checks
