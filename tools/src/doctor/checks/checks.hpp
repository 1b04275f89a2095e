#pragma once

#include <optional>

#include "doctor/finding.hpp"
#include "doctor/host_snapshot.hpp"

namespace cupool::tools::checks {

/// Each check looks for one cause. diagnosis.cpp lists them in the order of their rank.
using Check = std::optional<Finding> (*)(const HostSnapshot&);

// process.cpp: the program that asks
std::optional<Finding> forked_child(const HostSnapshot& host);
std::optional<Finding> static_program(const HostSnapshot& host);
std::optional<Finding> driver_variable_wrong(const HostSnapshot& host);
std::optional<Finding> musl_host(const HostSnapshot& host);
std::optional<Finding> address_space_limited(const HostSnapshot& host);
std::optional<Finding> system_call_filter(const HostSnapshot& host);

// wsl.cpp
std::optional<Finding> wsl_without_gpu(const HostSnapshot& host);
std::optional<Finding> wsl_library_missing(const HostSnapshot& host);
std::optional<Finding> wsl_linux_driver(const HostSnapshot& host);

// container.cpp
std::optional<Finding> container_without_gpus(const HostSnapshot& host);
std::optional<Finding> container_lost_gpus(const HostSnapshot& host);
std::optional<Finding> devices_denied(const HostSnapshot& host);
std::optional<Finding> container_without_compute(const HostSnapshot& host);
std::optional<Finding> container_without_runtime(const HostSnapshot& host);
std::optional<Finding> private_devices(const HostSnapshot& host);

// kernel_module.cpp
std::optional<Finding> thunderbolt_not_authorised(const HostSnapshot& host);
std::optional<Finding> gpu_absent(const HostSnapshot& host);
std::optional<Finding> module_rejected(const HostSnapshot& host);
std::optional<Finding> gpu_unsupported(const HostSnapshot& host);
std::optional<Finding> nouveau_bound(const HostSnapshot& host);
std::optional<Finding> framebuffer_bound(const HostSnapshot& host);
std::optional<Finding> vfio_bound(const HostSnapshot& host);
std::optional<Finding> secure_boot(const HostSnapshot& host);
std::optional<Finding> module_blacklisted(const HostSnapshot& host);
std::optional<Finding> module_of_other_kernel(const HostSnapshot& host);
std::optional<Finding> module_not_built(const HostSnapshot& host);
std::optional<Finding> toolkit_without_driver(const HostSnapshot& host);
std::optional<Finding> no_driver(const HostSnapshot& host);
std::optional<Finding> module_not_loaded(const HostSnapshot& host);

// library.cpp
std::optional<Finding> stub_first(const HostSnapshot& host);
std::optional<Finding> library_wrong_architecture(const HostSnapshot& host);
std::optional<Finding> library_corrupt(const HostSnapshot& host);
std::optional<Finding> library_unreadable(const HostSnapshot& host);
std::optional<Finding> compat_shadows(const HostSnapshot& host);
std::optional<Finding> version_mismatch(const HostSnapshot& host);
std::optional<Finding> library_not_searched(const HostSnapshot& host);
std::optional<Finding> vgpu_manager(const HostSnapshot& host);
std::optional<Finding> library_missing(const HostSnapshot& host);
std::optional<Finding> no_ptx_jit(const HostSnapshot& host);

// device_nodes.cpp
std::optional<Finding> nodes_missing(const HostSnapshot& host);
std::optional<Finding> nodes_forbidden(const HostSnapshot& host);
std::optional<Finding> nodes_stale(const HostSnapshot& host);
std::optional<Finding> uvm_missing(const HostSnapshot& host);
std::optional<Finding> mig_nodes_missing(const HostSnapshot& host);
std::optional<Finding> uvm_stale(const HostSnapshot& host);
std::optional<Finding> unified_memory_failed(const HostSnapshot& host);

// visibility.cpp
std::optional<Finding> visible_devices_empty(const HostSnapshot& host);
std::optional<Finding> visible_devices_none(const HostSnapshot& host);
std::optional<Finding> visible_devices_malformed(const HostSnapshot& host);
std::optional<Finding> visible_devices_duplicate(const HostSnapshot& host);
std::optional<Finding> visible_devices_out_of_range(const HostSnapshot& host);
std::optional<Finding> visible_devices_unknown_uuid(const HostSnapshot& host);

// device_state.cpp
std::optional<Finding> gpu_off_bus(const HostSnapshot& host);
std::optional<Finding> gpu_firmware_missing(const HostSnapshot& host);
std::optional<Finding> gpu_firmware(const HostSnapshot& host);
std::optional<Finding> gpu_initialisation(const HostSnapshot& host);
std::optional<Finding> ecc_errors(const HostSnapshot& host);
std::optional<Finding> mig_without_instances(const HostSnapshot& host);
std::optional<Finding> mig_hides_gpus(const HostSnapshot& host);
std::optional<Finding> compute_mode_prohibited(const HostSnapshot& host);
std::optional<Finding> compute_mode_exclusive(const HostSnapshot& host);
std::optional<Finding> too_little_memory(const HostSnapshot& host);
std::optional<Finding> gpu_not_listed(const HostSnapshot& host);
std::optional<Finding> persistence_off(const HostSnapshot& host);

// driver.cpp: what the driver answered
std::optional<Finding> driver_hangs(const HostSnapshot& host);
std::optional<Finding> driver_crashes(const HostSnapshot& host);
std::optional<Finding> driver_nonsense(const HostSnapshot& host);
std::optional<Finding> driver_too_old(const HostSnapshot& host);
std::optional<Finding> confidential_gpu(const HostSnapshot& host);
std::optional<Finding> fabric_manager(const HostSnapshot& host);
std::optional<Finding> mps_daemon(const HostSnapshot& host);
std::optional<Finding> mps_busy(const HostSnapshot& host);
std::optional<Finding> device_refused(const HostSnapshot& host);
std::optional<Finding> driver_refused(const HostSnapshot& host);
std::optional<Finding> driver_not_asked(const HostSnapshot& host);

}  // namespace cupool::tools::checks
