#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// A GPU of NVIDIA on the PCI bus.
struct PciGpu {
    std::string address;  ///< "0000:01:00.0"
    std::string driver;   ///< the bound kernel driver; empty if there is none
};

/// What several checks derive from a snapshot.
bool is_wsl(const HostSnapshot& host);
/// The C library is musl and no glibc is installed.
bool is_musl(const HostSnapshot& host);
/// What separates the process from the host, as far as its repair differs.
enum class Container { none, kubernetes, apptainer, flatpak, lxc, other };
Container container_of(const HostSnapshot& host);
bool is_container(const HostSnapshot& host);
/// The systemd service in which the process runs; empty if it runs in none.
std::string systemd_service(const HostSnapshot& host);
bool is_virtual_machine(const HostSnapshot& host);
/// A Tegra system on chip, whose GPU is not on the PCI bus.
bool is_tegra(const HostSnapshot& host);

std::vector<PciGpu> pci_gpus(const HostSnapshot& host);
/// Whether the PCI bus could be looked at.
bool knows_pci(const HostSnapshot& host);
/// The GPUs on the bus that the driver does not list although the user did not choose so and no cgroup forbids them.
std::vector<PciGpu> unlisted_gpus(const HostSnapshot& host);
/// The number of GPUs that the kernel driver serves, or else that are on the bus.
std::size_t card_count(const HostSnapshot& host);

/// Whether a kernel module is loaded.
bool is_loaded(const HostSnapshot& host, const std::string& module);
/// Whether NVIDIA's kernel driver is loaded.
bool has_kernel_driver(const HostSnapshot& host);
/// The version of the loaded kernel driver; empty if unknown.
std::string kernel_driver_version(const HostSnapshot& host);
/// The module files of NVIDIA's driver for the running kernel, or for any other.
std::vector<std::string> module_files(const HostSnapshot& host, bool for_running_kernel);

/// The libcuda that a program gets first; null if it gets none. One without a version in its name, as
/// stubs have, counts only if there is no other.
const LibraryCandidate* first_library(const HostSnapshot& host);
/// Another libcuda of a driver, in a folder that is not searched or not searched first.
const LibraryCandidate* other_driver_library(const HostSnapshot& host);

/// Another libcuda of a driver, of the version of the loaded kernel module: its path, or empty.
std::string library_of_kernel_version(const HostSnapshot& host);

/// Whether the driver initialised and lists devices.
bool works(const HostSnapshot& host);
/// Whether a context could be opened on a device, as far as that was tried.
bool is_usable(const DeviceAnswer& device);
/// Whether a device cgroup forbids a node.
bool is_denied(const HostSnapshot& host, const std::string& node);
/// The number of entries of CUDA_VISIBLE_DEVICES; 0 if it is not set.
std::size_t chosen_count(const HostSnapshot& host);
/// Whether every listed device is usable, and at least one is listed.
bool is_healthy(const HostSnapshot& host);
/// Whether cuInit returned this status.
bool init_is(const HostSnapshot& host, int status);
/// Whether the process that asked the driver came to an end, but no libcuda could be loaded.
bool loads_no_library(const HostSnapshot& host);
/// Whether the driver was asked and found no device.
bool finds_no_device(const HostSnapshot& host);

/// The lines of the kernel log that contain a text.
std::vector<std::string> log_lines(const HostSnapshot& host, const std::string& text);
/// Whether a line of the kernel log may be about trouble that lasts: a listed GPU is unusable, or the
/// line names one that is not listed.
bool may_still_matter(const HostSnapshot& host, const std::string& line);
/// The numbers of the Xid errors in the log, with their lines.
std::vector<std::pair<int, std::string>> xids(const HostSnapshot& host);

/// "CUDA_ERROR_UNKNOWN (999): ..." as the driver layer describes it.
std::string status_text(int status);
std::string trimmed(const std::string& text);

}  // namespace cupool::tools
