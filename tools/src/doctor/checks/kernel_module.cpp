// NVIDIA's kernel module: why it does not serve the GPU.
#include <algorithm>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

constexpr const char* no_gpu_on_bus = "no display controller of vendor 0x10de in /sys/bus/pci/devices";
constexpr const char* log_as_root = "the kernel log: sudo dmesg | grep -i -e nvidia -e NVRM -e nouveau";

/// Whether these checks apply: NVIDIA's module is not loaded and nothing replaces it.
bool lacks_module(const HostSnapshot& host) { return !works(host) && !is_wsl(host) && !is_tegra(host) && !has_kernel_driver(host); }

std::string as_root(const HostSnapshot& host) { return host.kernel_log_readable ? "" : log_as_root; }

std::string running_kernel(const HostSnapshot& host) { return trimmed(host.text("/proc/sys/kernel/osrelease")); }

/// The last byte of the EFI variable is 1 if Secure Boot is on.
bool secure_boot_is_on(const HostSnapshot& host) {
    for (const auto& path : host.matching("/sys/firmware/efi/efivars/SecureBoot-*")) {
        const auto value = host.text(path);
        if (!value.empty() && value.back() == '\1') return true;
    }
    return host.text("/sys/kernel/security/lockdown").find("[integrity]") != std::string::npos;
}

std::vector<std::string> gpus_bound_to(const HostSnapshot& host, const std::string& driver) {
    std::vector<std::string> lines;
    for (const auto& gpu : pci_gpus(host)) {
        if (gpu.driver == driver) lines.push_back("GPU " + gpu.address + " is bound to " + driver);
    }
    return lines;
}

bool has_toolkit(const HostSnapshot& host) {
    return !host.matching("/usr/local/cuda*").empty() || host.exists("/usr/bin/nvcc") || host.exists("/opt/cuda/bin/nvcc");
}

bool has_driver_library(const HostSnapshot& host) {
    const auto* const first = first_library(host);
    return (first != nullptr && !first->is_stub() && !first->is_compat()) || other_driver_library(host) != nullptr;
}

bool has_module_source(const HostSnapshot& host) {
    return std::any_of(host.files.begin(), host.files.end(), [](const auto& file) {
        return (file.first.starts_with("/usr/src/nvidia") || file.first.starts_with("/var/lib/dkms/nvidia")) && file.second.type != "file";
    });
}

/// Whether a libcuda was loaded, from wherever it came.
bool has_answer(const HostSnapshot& host) {
    return !host.driver.library.empty() || host.driver.init || host.driver.outcome == "hung" || host.driver.outcome == "crashed";
}

/// Whether the files of a driver are on disk.
bool is_installed(const HostSnapshot& host) {
    return has_driver_library(host) || has_module_source(host) || !module_files(host, true).empty() || !module_files(host, false).empty();
}

/// The lines that keep a module from being loaded by itself: "blacklist nvidia", "install nvidia /bin/false".
std::vector<std::string> blacklisting(const HostSnapshot& host) {
    std::vector<std::string> found;
    for (const auto& [path, file] : host.files) {
        if (path.find("/modprobe.d/") == std::string::npos) continue;
        for (const std::string line :
             {"blacklist nvidia\n", "install nvidia /bin/false\n", "install nvidia /bin/true\n", "alias nvidia off\n"}) {
            if ((file.text + '\n').find(line) != std::string::npos) found.push_back(path + ": " + trimmed(line));
        }
    }
    const auto words = ' ' + trimmed(host.text("/proc/cmdline")) + ' ';
    for (const std::string option : {"module_blacklist=", "modprobe.blacklist=", "rd.driver.blacklist="}) {
        const auto begin = words.find(option);
        if (begin == std::string::npos) continue;
        const auto value = words.substr(begin + option.size(), words.find(' ', begin) - begin - option.size());
        if ((',' + value + ',').find(",nvidia,") != std::string::npos) found.push_back("kernel command line: " + option + value);
    }
    return found;
}

}  // namespace

std::optional<Finding> thunderbolt_not_authorised(const HostSnapshot& host) {
    if (works(host) || !pci_gpus(host).empty()) return std::nullopt;
    std::vector<std::string> evidence;
    for (const auto& path : host.matching("/sys/bus/thunderbolt/devices/*/authorized")) {
        if (trimmed(host.text(path)) == "0") evidence.push_back(path + " is 0");
    }
    if (evidence.empty()) return std::nullopt;
    evidence.push_back(no_gpu_on_bus);
    return Finding{"thunderbolt-not-authorised",
                   "A Thunderbolt device is not authorised, so a GPU behind it is not on the PCI bus",
                   "boltctl list shows it; sudo boltctl enroll UUID authorises it, now and after each reboot",
                   Confidence::likely,
                   Reason::no_visible_device,
                   std::move(evidence)};
}

std::optional<Finding> gpu_absent(const HostSnapshot& host) {
    if (works(host) || is_wsl(host) || is_tegra(host) || !knows_pci(host) || !pci_gpus(host).empty()) return std::nullopt;
    if (!host.matching("/proc/driver/nvidia/gpus/*/information").empty() || !host.matching("/dev/nvidia[0-9]*").empty())
        return std::nullopt;
    return Finding{"gpu-absent",
                   "No NVIDIA GPU is on the PCI bus of this host",
                   "Choose a host or an instance type with a GPU; in a virtual machine pass the GPU through; else check slot and power",
                   Confidence::certain,
                   Reason::no_visible_device,
                   {no_gpu_on_bus}};
}

std::optional<Finding> module_rejected(const HostSnapshot& host) {
    if (!lacks_module(host)) return std::nullopt;
    std::vector<std::string> evidence;
    for (const std::string text : {"is rejected", "Key was rejected", "key not available", "module loading is restricted"}) {
        for (auto& line : log_lines(host, text)) evidence.push_back("kernel log: " + line);
    }
    if (evidence.empty()) return std::nullopt;
    return Finding{"secure-boot",
                   "Secure Boot refused NVIDIA's kernel module, because its signature is missing or its key is not enrolled",
                   "Enroll the module's key (mokutil --import /var/lib/dkms/mok.pub, reboot), use signed modules, or turn Secure Boot off",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> gpu_unsupported(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    std::vector<std::string> evidence;
    bool open_modules = false;
    for (const std::string text :
         {"not supported by the", "requires use of the NVIDIA open kernel modules", "not supported by open", "legacy drivers"}) {
        for (auto& line : log_lines(host, text)) {
            open_modules = open_modules || line.find("open") != std::string::npos;
            evidence.push_back("kernel log: " + line);
        }
    }
    if (evidence.empty()) return std::nullopt;
    return Finding{"gpu-unsupported",
                   "The installed driver does not support this GPU",
                   open_modules ? "Install the other kind of kernel module: open for Blackwell and newer, proprietary before Turing"
                                : "Install a driver branch that supports the GPU: a newer one, or a legacy branch for an old GPU",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> nouveau_bound(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    auto evidence = gpus_bound_to(host, "nouveau");
    Confidence confidence = Confidence::certain;
    if (evidence.empty() && lacks_module(host) && is_loaded(host, "nouveau")) {
        evidence = {"the module nouveau is loaded, nvidia is not"};
        confidence = Confidence::likely;
    }
    if (evidence.empty()) return std::nullopt;
    Finding finding{
        "nouveau-bound", "The open-source driver nouveau has taken the GPU, so NVIDIA's cannot",
        "Put \"blacklist nouveau\" and \"options nouveau modeset=0\" into a file of /etc/modprobe.d, update the initramfs, reboot",
        confidence, Reason::kernel_driver};
    if (!is_installed(host)) finding.fix = "Install NVIDIA's driver, which disables nouveau, and reboot";
    finding.evidence = std::move(evidence);
    return finding;
}

std::optional<Finding> framebuffer_bound(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    auto evidence = gpus_bound_to(host, "nvidiafb");
    for (auto& line : gpus_bound_to(host, "rivafb")) evidence.push_back(std::move(line));
    if (evidence.empty()) return std::nullopt;
    return Finding{"framebuffer-bound",
                   "A framebuffer driver of the kernel has taken the GPU, so NVIDIA's cannot",
                   "Put \"blacklist nvidiafb\" and \"blacklist rivafb\" into a file of /etc/modprobe.d, update the initramfs, reboot",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> vfio_bound(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    auto evidence = gpus_bound_to(host, "vfio-pci");
    for (auto& line : gpus_bound_to(host, "pci-stub")) evidence.push_back(std::move(line));
    if (evidence.empty()) return std::nullopt;
    return Finding{"vfio-bound",
                   "The GPU is reserved for virtual machines",
                   "Use it in the virtual machine, or remove it from vfio-pci.ids and the options of vfio-pci and reboot",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> secure_boot(const HostSnapshot& host) {
    if (!lacks_module(host) || !secure_boot_is_on(host) || module_files(host, true).empty() || !blacklisting(host).empty())
        return std::nullopt;
    if (module_rejected(host)) return std::nullopt;  // the kernel log says it already
    Finding finding{"secure-boot", "Secure Boot is on and NVIDIA's kernel module is not loaded: its signature was probably refused",
                    "Enroll the module's key (mokutil --import /var/lib/dkms/mok.pub, reboot), use signed modules, or turn Secure Boot off",
                    Confidence::likely, Reason::kernel_driver};
    finding.evidence = {"the EFI variable SecureBoot is 1, or the kernel is locked down", module_files(host, true).front() + " exists",
                        "the module nvidia is not loaded"};
    finding.as_root = as_root(host);
    return finding;
}

std::optional<Finding> module_blacklisted(const HostSnapshot& host) {
    if (!lacks_module(host)) return std::nullopt;
    auto evidence = blacklisting(host);
    if (evidence.empty()) return std::nullopt;
    return Finding{"module-blacklisted",
                   "The configuration keeps NVIDIA's kernel module from being loaded",
                   "Remove the entry (with prime-select: prime-select nvidia), update the initramfs, reboot",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> module_of_other_kernel(const HostSnapshot& host) {
    if (!lacks_module(host)) return std::nullopt;
    std::vector<std::string> evidence;
    for (const std::string text : {"nvidia: version magic", "nvidia: disagrees about version of symbol", "nvidia: Unknown symbol"}) {
        for (auto& line : log_lines(host, text)) evidence.push_back("kernel log: " + line);
    }
    if (evidence.empty()) return std::nullopt;
    if (!running_kernel(host).empty()) evidence.push_back("the running kernel is " + running_kernel(host));
    return Finding{"module-other-kernel",
                   "The kernel refuses NVIDIA's kernel module, because it was built for another kernel",
                   "Build it again: install the headers of the running kernel, then dkms remove and dkms install --force (or reinstall the "
                   "driver); where packages bring the module, install that of this kernel",
                   Confidence::certain,
                   Reason::kernel_driver,
                   std::move(evidence)};
}

std::optional<Finding> module_not_built(const HostSnapshot& host) {
    if (!lacks_module(host) || running_kernel(host).empty() || !module_files(host, true).empty()) return std::nullopt;
    const auto others = module_files(host, false);
    if (others.empty() && !has_module_source(host)) return std::nullopt;
    Finding finding{"module-not-built",
                    "The driver has no kernel module for the running kernel: the kernel was upgraded, or the build failed",
                    "Install the headers of the running kernel, then dkms autoinstall (or reinstall the driver), then modprobe nvidia",
                    others.empty() ? Confidence::likely : Confidence::certain, Reason::kernel_driver};
    finding.evidence = {"the running kernel is " + running_kernel(host) + ", and no nvidia.ko is in its folder of /lib/modules",
                        others.empty() ? "the sources of the module are in /usr/src" : others.front() + " is for another kernel"};
    finding.as_root = "the log of the build: /var/lib/dkms/nvidia/*/build/make.log";
    return finding;
}

std::optional<Finding> toolkit_without_driver(const HostSnapshot& host) {
    if (!lacks_module(host) || is_installed(host) || has_answer(host) || !has_toolkit(host)) return std::nullopt;
    Finding finding{
        "toolkit-without-driver", "The CUDA toolkit is installed, but NVIDIA's driver is not: they are separate packages",
        "Install the driver (Ubuntu: ubuntu-drivers install; Debian: nvidia-driver; else NVIDIA's package cuda-drivers), reboot",
        Confidence::certain, Reason::no_library};
    const auto folders = host.matching("/usr/local/cuda*");
    finding.evidence = {folders.empty() ? "nvcc is installed" : folders.front() + " exists", "no libcuda of a driver",
                        "no kernel module nvidia"};
    return finding;
}

std::optional<Finding> no_driver(const HostSnapshot& host) {
    if (!lacks_module(host) || is_installed(host) || has_answer(host) || has_toolkit(host)) return std::nullopt;
    return Finding{"no-driver",
                   "NVIDIA's driver is not installed",
                   "Install it (Ubuntu: ubuntu-drivers install; Debian: nvidia-driver; else NVIDIA's package cuda-drivers), reboot",
                   Confidence::certain,
                   Reason::no_library,
                   {"no libcuda", "no kernel module nvidia, loaded or on disk"}};
}

std::optional<Finding> module_not_loaded(const HostSnapshot& host) {
    if (!lacks_module(host) || !is_installed(host)) return std::nullopt;
    Finding finding{"module-not-loaded", "NVIDIA's driver is installed, but its kernel module is not loaded",
                    "sudo modprobe nvidia; if that fails, its message and dmesg tell why", Confidence::certain, Reason::kernel_driver};
    const auto files = module_files(host, true);
    finding.evidence = {"/proc/driver/nvidia/version is absent"};
    if (!files.empty()) finding.evidence.push_back(files.front() + " exists");
    finding.as_root = as_root(host);
    return finding;
}

}  // namespace cupool::tools::checks
