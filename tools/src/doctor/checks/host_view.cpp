#include "doctor/checks/host_view.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cupool/driver/error.hpp>
#include <sstream>
#include <string_view>

namespace cupool::tools {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// The device node of a GPU, as the kernel driver numbers it; empty if unknown.
std::string node_of(const HostSnapshot& host, const PciGpu& gpu) {
    constexpr std::string_view name = "Device Minor:";
    const auto information = host.text("/proc/driver/nvidia/gpus/" + gpu.address + "/information");
    const auto position = information.find(name);
    if (position == std::string::npos) return {};
    const auto begin = position + name.size();
    return "/dev/nvidia" + trimmed(information.substr(begin, information.find('\n', begin) - begin));
}

/// The first word of a text that looks like a version, as "580.65.06".
std::string first_version(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const bool digits = word.find_first_not_of("0123456789.") == std::string::npos;
        if (digits && word.find('.') != std::string::npos && std::isdigit(static_cast<unsigned char>(word.front())) != 0) return word;
    }
    return {};
}

}  // namespace

bool is_wsl(const HostSnapshot& host) { return contains(lower(host.text("/proc/sys/kernel/osrelease")), "microsoft"); }

bool is_musl(const HostSnapshot& host) {
    return !host.matching("/lib/ld-musl-*.so.1").empty() && host.matching("/lib64/ld-linux-*").empty() &&
           host.matching("/lib/ld-linux-*").empty();
}

Container container_of(const HostSnapshot& host) {
    const auto groups = host.text("/proc/self/cgroup");
    const auto has_file = [&](const char* path) { return host.exists(path); };
    const auto has_group = [&](const char* mark) { return contains(groups, mark); };
    if (has_file("/var/run/secrets/kubernetes.io") || has_file("/run/secrets/kubernetes.io") || has_group("/kubepods"))
        return Container::kubernetes;
    if (has_file("/.singularity.d")) return Container::apptainer;
    if (has_file("/.flatpak-info")) return Container::flatpak;
    if (host.text("/run/systemd/container").starts_with("lxc") || has_group("/lxc/")) return Container::lxc;
    const auto systemd = host.text("/run/systemd/container");  // in WSL it says "wsl", and there is no container
    const bool has_mark = has_file("/.dockerenv") || has_file("/run/.containerenv") ||
                          (has_file("/run/systemd/container") && !systemd.starts_with("wsl")) || has_group("/docker") ||
                          has_group("libpod") || has_group("containerd");
    return has_mark ? Container::other : Container::none;
}

bool is_container(const HostSnapshot& host) { return container_of(host) != Container::none; }

std::string systemd_service(const HostSnapshot& host) {
    std::istringstream groups(host.text("/proc/self/cgroup"));
    for (std::string line; std::getline(groups, line);) {
        const auto unit = line.substr(line.find_last_of('/') + 1);
        if (unit.ends_with(".service")) return unit;
    }
    return {};
}

bool is_virtual_machine(const HostSnapshot& host) { return contains(host.text("/proc/cpuinfo"), " hypervisor"); }

bool is_tegra(const HostSnapshot& host) { return host.exists("/dev/nvhost-gpu") || host.exists("/dev/nvmap"); }

std::vector<PciGpu> pci_gpus(const HostSnapshot& host) {
    std::vector<PciGpu> gpus;
    for (const auto& path : host.matching("/sys/bus/pci/devices/*/class")) {
        if (!host.text(path).starts_with("0x03")) continue;  // display controllers; bridges and audio have other classes
        const auto folder = path.substr(0, path.find_last_of('/'));
        const auto* const driver = host.file(folder + "/driver");
        const auto target = driver == nullptr ? std::string() : driver->target;
        gpus.push_back({folder.substr(folder.find_last_of('/') + 1), target.substr(target.find_last_of('/') + 1)});
    }
    return gpus;
}

bool knows_pci(const HostSnapshot& host) { return host.exists("/sys/bus/pci/devices"); }

std::vector<PciGpu> unlisted_gpus(const HostSnapshot& host) {
    const auto& devices = host.driver.devices;
    if (!works(host) || is_container(host) || is_wsl(host) || host.driver.simulated) return {};
    if (host.variable("CUDA_VISIBLE_DEVICES") && devices.size() >= chosen_count(host)) return {};
    auto gpus = pci_gpus(host);
    std::erase_if(gpus, [&](const PciGpu& gpu) {
        return is_denied(host, node_of(host, gpu)) || std::any_of(devices.begin(), devices.end(), [&](const DeviceAnswer& device) {
                   return device.pci_bus_id.empty() || device.pci_bus_id.ends_with(gpu.address.substr(gpu.address.find(':')));
               });
    });
    return gpus;
}

std::size_t card_count(const HostSnapshot& host) {
    const auto served = host.matching("/proc/driver/nvidia/gpus/*/information").size();
    if (served != 0) return served;
    const auto nodes = host.matching("/dev/nvidia[0-9]*").size();
    return nodes != 0 ? nodes : pci_gpus(host).size();
}

bool is_loaded(const HostSnapshot& host, const std::string& module) {
    if (host.exists("/sys/module/" + module)) return true;
    std::istringstream lines(host.text("/proc/modules"));
    for (std::string line; std::getline(lines, line);) {
        if (line.substr(0, line.find(' ')) == module) return true;
    }
    return false;
}

bool has_kernel_driver(const HostSnapshot& host) {
    if (host.exists("/proc/driver/nvidia/version") || is_loaded(host, "nvidia")) return true;
    return !host.exists("/proc/modules") && host.exists("/dev/nvidiactl");  // the modules are unknown
}

std::string kernel_driver_version(const HostSnapshot& host) {
    const auto text = host.text("/proc/driver/nvidia/version");
    const auto version = first_version(text.substr(0, text.find('\n')));
    return version.empty() ? first_version(host.text("/sys/module/nvidia/version")) : version;
}

std::vector<std::string> module_files(const HostSnapshot& host, bool for_running_kernel) {
    const auto running = "/lib/modules/" + trimmed(host.text("/proc/sys/kernel/osrelease")) + "/";
    std::vector<std::string> files;
    for (const auto& [path, facts] : host.files) {
        const bool is_module =
            path.starts_with("/lib/modules/") && contains(path.substr(path.find_last_of('/') + 1), "nvidia") && contains(path, ".ko");
        if (is_module && path.starts_with(running) == for_running_kernel) files.push_back(path);
    }
    return files;
}

const LibraryCandidate* first_library(const HostSnapshot& host) {
    const LibraryCandidate* unversioned = nullptr;
    for (const auto& library : host.libraries) {
        if (library.name != "libcuda.so.1" || library.source == "not searched") continue;
        if (library.path.ends_with(library.name)) return &library;
        if (unversioned == nullptr) unversioned = &library;
    }
    return unversioned;
}

const LibraryCandidate* other_driver_library(const HostSnapshot& host) {
    const auto* const first = first_library(host);
    for (const auto& library : host.libraries) {
        const bool is_driver = library.name == "libcuda.so.1" && !library.is_stub() && !library.is_compat() && !library.resolved.empty();
        if (is_driver && (first == nullptr || library.path != first->path)) return &library;
    }
    return nullptr;
}

std::string library_of_kernel_version(const HostSnapshot& host) {
    const auto version = kernel_driver_version(host);
    const auto* const first = first_library(host);
    if (version.empty() || first == nullptr) return {};
    for (const auto& library : host.libraries) {
        const bool is_driver = library.name == first->name && !library.is_stub() && !library.is_compat() && library.path != first->path;
        if (is_driver && library.version == version && !library.resolved.empty()) return library.path;
    }
    const auto folder = first->resolved.substr(0, first->resolved.find_last_of('/') + 1);
    const auto beside = folder + "libcuda.so." + version;
    return host.exists(beside) && beside != first->resolved ? beside : std::string();
}

bool works(const HostSnapshot& host) { return host.driver.outcome == "answered" && init_is(host, 0) && !host.driver.devices.empty(); }

bool is_usable(const DeviceAnswer& device) { return device.compute_mode != "prohibited" && device.context.value_or(0) == 0; }

bool is_denied(const HostSnapshot& host, const std::string& node) {
    const auto* const file = host.file(node);
    return file != nullptr && file->access == "denied";
}

std::size_t chosen_count(const HostSnapshot& host) {
    const auto list = host.variable("CUDA_VISIBLE_DEVICES").value_or("");
    return list.empty() ? 0 : static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
}

bool is_healthy(const HostSnapshot& host) {
    return works(host) && std::all_of(host.driver.devices.begin(), host.driver.devices.end(), is_usable);
}

bool init_is(const HostSnapshot& host, int status) { return host.driver.init == status; }

bool loads_no_library(const HostSnapshot& host) {
    const bool lacks_library = host.driver.reason == "no_library" || host.driver.reason == "library_unusable";
    return host.driver.outcome == "answered" && !host.driver.init && lacks_library;
}

bool finds_no_device(const HostSnapshot& host) {
    constexpr int no_device = 100;
    return host.driver.outcome == "answered" && (init_is(host, no_device) || (init_is(host, 0) && host.driver.devices.empty()));
}

std::vector<std::string> log_lines(const HostSnapshot& host, const std::string& text) {
    std::vector<std::string> lines;
    for (const auto& line : host.kernel_log) {
        if (contains(lower(line), lower(text))) lines.push_back(trimmed(line));
    }
    return lines;
}

bool may_still_matter(const HostSnapshot& host, const std::string& line) {
    if (!is_healthy(host)) return true;
    const auto missing = unlisted_gpus(host);
    return std::any_of(missing.begin(), missing.end(), [&](const PciGpu& gpu) {
        return contains(line, gpu.address.substr(0, gpu.address.find('.')));  // Xid lines name no function
    });
}

std::vector<std::pair<int, std::string>> xids(const HostSnapshot& host) {
    std::vector<std::pair<int, std::string>> found;
    for (const auto& line : log_lines(host, "NVRM: Xid")) {
        const auto close = line.find("):");
        if (close == std::string::npos) continue;
        const int number = std::atoi(line.c_str() + close + 2);
        if (number > 0) found.emplace_back(number, line);
    }
    return found;
}

std::string status_text(int status) { return describe(static_cast<abi::Status>(status)); }

std::string trimmed(const std::string& text) {
    constexpr const char* blanks = " \t\r\n";
    const auto begin = text.find_first_not_of(blanks);
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace cupool::tools
