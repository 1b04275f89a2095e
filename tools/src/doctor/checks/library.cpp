// The libcuda that programs get.
#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

std::string place(const LibraryCandidate& library) {
    const bool is_link = !library.resolved.empty() && library.resolved != library.path;
    return library.path + " (" + library.source + ")" + (is_link ? " is " + library.resolved : "");
}

bool is_broken(const LibraryCandidate& library) {
    return library.resolved.empty() || library.elf == "empty" || library.elf == "truncated" || library.elf == "no ELF";
}

/// Whether the kernel driver is there, and no libcuda of a driver, even in a folder that is not searched.
bool lacks_library(const HostSnapshot& host) {
    return !works(host) && !is_wsl(host) && has_kernel_driver(host) && first_library(host) == nullptr &&
           other_driver_library(host) == nullptr;
}

}  // namespace

std::optional<Finding> stub_first(const HostSnapshot& host) {
    constexpr int stub_library = 34;
    if (works(host)) return std::nullopt;
    const auto* const first = first_library(host);
    const bool is_stub = first != nullptr && first->is_stub();
    const bool answers_as_stub = init_is(host, stub_library) || host.driver.explanation.find("stub") != std::string::npos;
    if (!is_stub && !answers_as_stub) return std::nullopt;
    Finding finding{"stub-first", "Programs get the toolkit's stub of libcuda, which is for linking only",
                    "Remove the folder with \"stubs\" from LD_LIBRARY_PATH and ld.so.conf, and links to the stub named libcuda.so.1",
                    Confidence::certain, Reason::library_unusable};
    for (const auto& library : host.libraries) {
        if (library.is_stub() && library.source != "not searched") finding.evidence.push_back("found: " + place(library));
    }
    if (is_stub && first->source == "LD_LIBRARY_PATH")
        finding.evidence.push_back("LD_LIBRARY_PATH=" + host.variable("LD_LIBRARY_PATH").value_or(""));
    const auto& asked = host.driver.library;
    if (answers_as_stub) finding.evidence.push_back((asked.empty() ? "the library" : asked) + " answers as a stub");
    const auto* const other = other_driver_library(host);
    if (other != nullptr) finding.evidence.push_back("the driver's library is " + other->path);
    return finding;
}

std::optional<Finding> library_wrong_architecture(const HostSnapshot& host) {
    const auto* const first = first_library(host);
    if (works(host) || first == nullptr || is_broken(*first) || first->elf.empty() || host.process.architecture.empty())
        return std::nullopt;
    if (first->elf == host.process.architecture) return std::nullopt;
    return Finding{"library-wrong-architecture",
                   "The libcuda that programs find is for another architecture",
                   "Remove its folder from LD_LIBRARY_PATH, and install the driver's library for " + host.process.architecture,
                   Confidence::certain,
                   Reason::library_unusable,
                   {place(*first) + " is for " + first->elf, "this program is for " + host.process.architecture}};
}

std::optional<Finding> library_corrupt(const HostSnapshot& host) {
    const auto* const first = first_library(host);
    if (works(host) || first == nullptr || !first->readable || !is_broken(*first)) return std::nullopt;
    const auto fault = first->resolved.empty()  ? "is a link that leads nowhere"
                       : first->elf == "no ELF" ? "is not a library"
                                                : "is " + first->elf;
    return Finding{
        "library-corrupt",
        "The libcuda that programs find is damaged",
        "Reinstall the driver's libraries; in an image, delete the file, which NVIDIA's runtime mounts when the container starts",
        Confidence::certain,
        Reason::library_unusable,
        {first->path + " (" + first->source + ") " + fault}};
}

std::optional<Finding> library_unreadable(const HostSnapshot& host) {
    const auto* const first = first_library(host);
    if (works(host) || first == nullptr || first->readable || first->resolved.empty()) return std::nullopt;
    return Finding{"library-unreadable", "This user may not read libcuda",   "sudo chmod 0755 " + first->resolved, Confidence::certain,
                   Reason::permission,   {place(*first) + " cannot be read"}};
}

std::optional<Finding> compat_shadows(const HostSnapshot& host) {
    constexpr int system_driver_mismatch = 803;
    constexpr int compat_not_supported = 804;
    const auto* const first = first_library(host);
    if (works(host) || first == nullptr || !first->is_compat() || is_broken(*first)) return std::nullopt;
    const bool is_confirmed = init_is(host, system_driver_mismatch) || init_is(host, compat_not_supported);
    Finding finding{"compat-shadows",
                    "NVIDIA's forward-compatibility package (cuda-compat) hides the driver's libcuda and does not work here",
                    "Remove cuda-compat, or its folder from LD_LIBRARY_PATH and /etc/ld.so.conf.d; else upgrade the driver. It supports "
                    "data-centre GPUs only",
                    is_confirmed ? Confidence::certain : Confidence::likely, Reason::kernel_driver};
    finding.evidence = {place(*first) + " comes first"};
    if (!kernel_driver_version(host).empty()) finding.evidence.push_back("the kernel driver is " + kernel_driver_version(host));
    if (host.driver.init) finding.evidence.push_back("cuInit: " + status_text(*host.driver.init));
    return finding;
}

std::optional<Finding> version_mismatch(const HostSnapshot& host) {
    constexpr int system_driver_mismatch = 803;
    if (works(host) || is_wsl(host)) return std::nullopt;
    const auto* const first = first_library(host);
    const auto kernel = kernel_driver_version(host);
    const auto library = first == nullptr ? std::string() : first->version;
    const bool versions_differ =
        !library.empty() && !kernel.empty() && library != kernel && first != nullptr && !first->is_compat() && !first->is_stub();
    auto log = log_lines(host, "API mismatch");
    if (!versions_differ && log.empty() && !init_is(host, system_driver_mismatch)) return std::nullopt;
    Finding finding{"version-mismatch",
                    "The driver's library and the loaded kernel module have different versions: the driver was upgraded without a reboot",
                    "Reboot, or stop all users of the GPU and reload the module (modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia; "
                    "modprobe nvidia)",
                    versions_differ || !log.empty() ? Confidence::certain : Confidence::likely, Reason::kernel_driver};
    const auto fitting = library_of_kernel_version(host);
    if (!fitting.empty() && versions_differ) {
        finding.cause =
            "Programs get a libcuda of another version than the loaded kernel module, and one of the module's version is there, too";
        finding.fix = "Remove the package of " + first->resolved +
                      " (dpkg -S or rpm -qf names it), then sudo ldconfig, so that programs get " + fitting + "; or, if " + library +
                      " is the driver that you want, reboot";
    } else if (is_container(host)) {
        finding.fix =
            "Restart the container, so that it gets the host's libraries; remove driver packages from the image; else reboot the host";
    }
    if (!library.empty()) finding.evidence.push_back(first->path + " (" + first->source + ") comes first and is " + library);
    if (!fitting.empty() && versions_differ) finding.evidence.push_back(fitting + " is " + kernel);
    if (!kernel.empty()) finding.evidence.push_back("the kernel module is " + kernel);
    for (auto& line : log) finding.evidence.push_back("kernel log: " + line);
    if (host.driver.init) finding.evidence.push_back("cuInit: " + status_text(*host.driver.init));
    return finding;
}

std::optional<Finding> library_not_searched(const HostSnapshot& host) {
    if (works(host) || first_library(host) != nullptr) return std::nullopt;
    const auto* const other = other_driver_library(host);
    if (other == nullptr) return std::nullopt;
    const auto folder = other->path.substr(0, other->path.find_last_of('/'));
    return Finding{"library-not-searched",
                   "libcuda is installed in a folder that the dynamic loader does not search",
                   "Write " + folder + " into a file of /etc/ld.so.conf.d and run ldconfig, or set LD_LIBRARY_PATH=" + folder,
                   Confidence::certain,
                   Reason::no_library,
                   {other->path + " exists", "its folder is not in LD_LIBRARY_PATH, ld.so.conf or the default folders"}};
}

std::optional<Finding> vgpu_manager(const HostSnapshot& host) {
    if (!lacks_library(host) || !is_loaded(host, "nvidia_vgpu_vfio")) return std::nullopt;
    return Finding{"vgpu-manager",
                   "This host has NVIDIA's vGPU manager, a driver without CUDA that gives the GPUs to virtual machines",
                   "Use CUDA in a virtual machine with a vGPU and the guest driver; or install the data-centre driver here instead",
                   Confidence::certain,
                   Reason::no_library,
                   {"the module nvidia_vgpu_vfio is loaded", "no libcuda of a driver"}};
}

std::optional<Finding> library_missing(const HostSnapshot& host) {
    if (!lacks_library(host) || is_loaded(host, "nvidia_vgpu_vfio")) return std::nullopt;
    const auto version = kernel_driver_version(host);
    return Finding{"library-missing",
                   "NVIDIA's kernel module is loaded, but libcuda is not installed",
                   "Install the driver's compute libraries of " + (version.empty() ? "the module's version" : "version " + version) +
                       " (Ubuntu: libnvidia-compute-NNN; Debian: libcuda1; Fedora: nvidia-driver-cuda-libs)",
                   Confidence::certain,
                   Reason::no_library,
                   {"the kernel driver is " + (version.empty() ? "loaded" : version),
                    "no libcuda.so.1 in the folders that the dynamic loader searches"}};
}

std::optional<Finding> no_ptx_jit(const HostSnapshot& host) {
    constexpr int jit_compiler_not_found = 221;
    if (host.driver.jit != jit_compiler_not_found) return std::nullopt;
    Finding finding{"no-ptx-jit", "The driver's compiler for PTX, libnvidia-ptxjitcompiler, is missing",
                    "Install it in the version of the driver (Ubuntu: libnvidia-compute-NNN; Debian: libnvidia-ptxjitcompiler1); in a "
                    "container: capability compute",
                    Confidence::certain, Reason::driver_too_old};
    finding.evidence = {"loading a PTX module: " + status_text(jit_compiler_not_found)};
    for (const auto& library : host.libraries) {
        if (library.name.starts_with("libnvidia-ptxjitcompiler")) finding.evidence.push_back("found: " + place(library));
    }
    return finding;
}

}  // namespace cupool::tools::checks
