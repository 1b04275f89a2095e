#include "loading/host_facts.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace cupool::detail {

namespace {

/// The names in a folder that begin with a prefix, without folders ("nvidia-caps", with the nodes
/// of MIG, is one).
std::vector<std::string> names_in(const std::string& folder, std::string_view prefix) {
    std::vector<std::string> names;
    DIR* directory = ::opendir(folder.c_str());
    if (directory == nullptr) return names;
    while (const dirent* entry = ::readdir(directory)) {
        const std::string_view name = entry->d_name;
        if (name.substr(0, prefix.size()) == prefix && entry->d_type != DT_DIR) names.emplace_back(name);
    }
    ::closedir(directory);
    std::sort(names.begin(), names.end());
    return names;
}

bool may_open(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) == 0; }

/// The version in a file name: "580.65.06" in ".../libcuda.so.580.65.06"; empty for "libcuda.so.1".
std::string version_in_file_name(const std::string& path) {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    return find_version(name);
}

}  // namespace

std::string find_version(const std::string& text) {
    for (std::size_t start = 0; start < text.size();) {
        if (std::isdigit(static_cast<unsigned char>(text[start])) == 0) {
            ++start;
            continue;
        }
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", start), text.size());
        std::string number = text.substr(start, end - start);
        while (!number.empty() && number.back() == '.') number.pop_back();
        if (number.find('.') != std::string::npos) return number;
        start = end;
    }
    return {};
}

bool HostFacts::hides_every_device() const {
    // The driver stops reading the list at the first entry that is not a device.
    return visible_devices && (visible_devices->empty() || visible_devices->front() == '-' || *visible_devices == "NoDevFiles");
}

bool HostFacts::lacks_permission() const {
    return std::any_of(device_nodes.begin(), device_nodes.end(), [](const Node& node) { return !node.accessible; });
}

std::vector<Evidence> HostFacts::evidence() const {
    std::vector<Evidence> evidence;
    if (visible_devices) {
        evidence.push_back({"CUDA_VISIBLE_DEVICES",
                            "\"" + *visible_devices + "\"" + (hides_every_device() ? ": hides every device from this process" : "")});
    } else {
        evidence.push_back({"CUDA_VISIBLE_DEVICES", "not set"});
    }
    if (device_nodes.empty()) evidence.push_back({"/dev/nvidia*", "absent"});
    for (const Node& node : device_nodes)
        evidence.push_back({node.path, node.accessible ? "may be opened" : "may not be opened by this user"});
    evidence.push_back({"/proc/driver/nvidia/version", !has_kernel_driver              ? "absent: the kernel module is not loaded"
                                                       : kernel_driver_version.empty() ? "without a version"
                                                                                       : kernel_driver_version});
    return evidence;
}

HostFacts gather_host_facts(const std::string& root) {
    HostFacts facts;
    for (const std::string& name : names_in(root + "/dev", "nvidia")) {
        const std::string path = "/dev/" + name;
        facts.device_nodes.push_back({path, may_open(root + path)});
    }
    const std::string wsl_node = "/dev/dxg";
    if (::access((root + wsl_node).c_str(), F_OK) == 0) {
        facts.device_nodes.push_back({wsl_node, may_open(root + wsl_node)});
        facts.has_kernel_driver = true;
    }
    if (std::ifstream version(root + "/proc/driver/nvidia/version"); version) {
        facts.has_kernel_driver = true;
        std::string line;
        std::getline(version, line);
        facts.kernel_driver_version = find_version(line);
    }
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) facts.visible_devices = visible;
    return facts;
}

HostFacts simulated_host_facts(const HostFacts& host) {
    HostFacts facts;
    facts.device_nodes = {{"(simulated)", true}};
    facts.has_kernel_driver = true;
    facts.visible_devices = host.visible_devices;
    return facts;
}

ErrorCategory category_of_reason(Reason reason) {
    switch (reason) {
        case Reason::no_visible_device: return ErrorCategory::no_device;
        case Reason::not_ready: return ErrorCategory::not_ready;
        default: return ErrorCategory::driver_unavailable;
    }
}

Diagnosis diagnose_no_device(const HostFacts& facts) {
    if (facts.hides_every_device()) {
        return {Reason::no_visible_device,
                "CUDA_VISIBLE_DEVICES is \"" + *facts.visible_devices + "\", which hides every device; unset it or name devices in it"};
    }
    if (facts.lacks_permission())
        return {Reason::permission, "this user may not open the device nodes in /dev; see the evidence, and ask for their group or mode"};
    if (!facts.has_kernel_driver && facts.device_nodes.empty())
        return {Reason::kernel_driver, "libcuda is here but NVIDIA's kernel driver is not loaded; load it (modprobe nvidia) or install it"};
    if (facts.device_nodes.empty()) {
        return {
            Reason::no_visible_device,
            "NVIDIA's kernel driver is loaded but no device is handed to this process; in a container, run it with the GPUs (--gpus all)"};
    }
    if (facts.visible_devices) {
        return {Reason::no_visible_device,
                "the driver shows no device; CUDA_VISIBLE_DEVICES is \"" + *facts.visible_devices + "\", which may name none that exists"};
    }
    return {Reason::no_visible_device, "the driver works and shows no device"};
}

Diagnosis diagnose_initialization(abi::Status result, const HostFacts& facts, const std::string& library_path) {
    if (result == abi::Status::no_device) return diagnose_no_device(facts);
    const std::string finding = "cuInit answered " + describe(result);
    const std::string library_version = version_in_file_name(library_path);
    if (result == abi::Status::invalid_device) {
        return {Reason::no_visible_device, finding + (facts.visible_devices ? "; CUDA_VISIBLE_DEVICES is \"" + *facts.visible_devices +
                                                                                  "\", which may name a device twice"
                                                                            : "")};
    }
    if (!library_version.empty() && !facts.kernel_driver_version.empty() && library_version != facts.kernel_driver_version) {
        return {Reason::kernel_driver, finding + "; the kernel driver is " + facts.kernel_driver_version + " and " + library_path + " is " +
                                           library_version + ": reboot, or make the two agree"};
    }
    if (const std::optional<Reason> reason = reason_of(result)) return {*reason, finding};
    if (category_of(result) == ErrorCategory::not_ready) return {Reason::not_ready, finding};
    if (facts.lacks_permission()) return {Reason::permission, finding + "; this user may not open the device nodes in /dev"};
    return {Reason::kernel_driver,
            finding + (facts.has_kernel_driver ? "; the kernel driver is loaded but does not serve this process (see dmesg)"
                                               : "; the kernel driver is not loaded")};
}

}  // namespace cupool::detail
