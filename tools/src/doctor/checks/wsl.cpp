// Windows Subsystem for Linux, where the driver is that of Windows.
#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

std::string kernel_line(const HostSnapshot& host) { return "kernel " + trimmed(host.text("/proc/sys/kernel/osrelease")); }

bool is_windows_library(const LibraryCandidate& library) { return library.path.starts_with("/usr/lib/wsl/"); }

}  // namespace

std::optional<Finding> wsl_without_gpu(const HostSnapshot& host) {
    if (!is_wsl(host) || is_container(host) || host.exists("/dev/dxg")) return std::nullopt;
    return Finding{"wsl-without-gpu",
                   "WSL passes no GPU to Linux: it is WSL 1, or too old, or Windows has no driver that supports it",
                   "In Windows: wsl --update, wsl --set-version DISTRIBUTION 2, install NVIDIA's driver for Windows, wsl --shutdown",
                   Confidence::certain,
                   Reason::kernel_driver,
                   {kernel_line(host), "/dev/dxg is absent"}};
}

std::optional<Finding> wsl_library_missing(const HostSnapshot& host) {
    if (!is_wsl(host) || works(host)) return std::nullopt;
    if (is_container(host) && !host.exists("/dev/dxg")) return std::nullopt;  // it was started without GPUs
    for (const auto& library : host.libraries) {
        if (library.name == "libcuda.so.1" && is_windows_library(library) && !library.resolved.empty()) return std::nullopt;
    }
    return Finding{"wsl-library-missing",
                   "Windows gives WSL no libcuda: NVIDIA's driver for Windows is missing or too old",
                   "Install NVIDIA's current driver in Windows, then wsl --shutdown",
                   Confidence::likely,
                   Reason::no_library,
                   {kernel_line(host), "/usr/lib/wsl/lib/libcuda.so.1 is absent"}};
}

std::optional<Finding> wsl_linux_driver(const HostSnapshot& host) {
    if (!is_wsl(host) || works(host)) return std::nullopt;
    const auto* const first = first_library(host);
    if (first == nullptr || is_windows_library(*first) || first->is_stub() || first->resolved.starts_with("/usr/lib/wsl/"))
        return std::nullopt;
    return Finding{"wsl-linux-driver",
                   "A Linux driver is installed in WSL and hides the libcuda of Windows",
                   "Remove the Linux driver in WSL (apt remove --purge '^libnvidia-.*' '^nvidia-.*'); install toolkits without a driver",
                   Confidence::certain,
                   Reason::kernel_driver,
                   {kernel_line(host), first->path + " (" + first->source + ") comes before /usr/lib/wsl/lib"}};
}

}  // namespace cupool::tools::checks
