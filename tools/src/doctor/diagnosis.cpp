#include "doctor/diagnosis.hpp"

#include <algorithm>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools {
namespace {

/// In the order of their rank: a cause before its consequences.
constexpr checks::Check all_checks[] = {
    checks::forked_child,
    checks::static_program,
    checks::driver_variable_wrong,
    // Environments in which the rest means something else.
    checks::wsl_without_gpu,
    checks::wsl_linux_driver,
    checks::wsl_library_missing,
    checks::container_without_gpus,
    checks::container_lost_gpus,
    checks::devices_denied,
    // Hardware, then the kernel module. A configuration that forbids the module may also take the GPU off the bus (prime-select).
    checks::module_blacklisted,
    checks::thunderbolt_not_authorised,
    checks::gpu_absent,
    checks::gpu_off_bus,
    checks::module_rejected,
    checks::gpu_unsupported,
    checks::vfio_bound,
    checks::framebuffer_bound,
    checks::secure_boot,
    checks::module_of_other_kernel,
    checks::module_not_built,
    checks::nouveau_bound,  // which takes the GPU where there is no module
    checks::toolkit_without_driver,
    checks::no_driver,
    checks::gpu_firmware_missing,
    checks::gpu_firmware,
    checks::gpu_initialisation,  // without which the module unloads itself
    checks::module_not_loaded,
    // The library.
    checks::musl_host,
    checks::stub_first,
    checks::library_wrong_architecture,
    checks::library_corrupt,
    checks::library_unreadable,
    checks::compat_shadows,
    checks::version_mismatch,
    checks::container_without_compute,
    checks::container_without_runtime,
    checks::library_not_searched,
    checks::vgpu_manager,
    checks::library_missing,
    // The device nodes.
    checks::private_devices,
    checks::nodes_missing,
    checks::nodes_forbidden,
    checks::nodes_stale,
    checks::uvm_missing,
    checks::mig_nodes_missing,
    // What the environment hides.
    checks::visible_devices_empty,
    checks::visible_devices_none,
    checks::visible_devices_malformed,
    checks::visible_devices_duplicate,
    checks::mig_without_instances,  // whose entries cannot be valid then
    checks::visible_devices_out_of_range,
    checks::visible_devices_unknown_uuid,
    // The GPUs, then what the driver answered without another explanation.
    checks::confidential_gpu,
    checks::fabric_manager,
    checks::mps_daemon,
    checks::mps_busy,
    checks::ecc_errors,
    checks::uvm_stale,
    checks::unified_memory_failed,
    checks::address_space_limited,
    checks::system_call_filter,
    checks::driver_hangs,
    checks::driver_crashes,
    checks::driver_too_old,
    checks::driver_nonsense,
    checks::compute_mode_prohibited,
    checks::compute_mode_exclusive,
    checks::too_little_memory,
    checks::no_ptx_jit,
    checks::mig_hides_gpus,
    checks::gpu_not_listed,
    checks::device_refused,
    checks::driver_refused,
    checks::driver_not_asked,
    checks::persistence_off,
};

bool is_remark(const Finding& finding) { return finding.confidence == Confidence::possible; }

}  // namespace

std::string to_string(Confidence confidence) {
    switch (confidence) {
        case Confidence::certain: return "certain";
        case Confidence::likely: return "likely";
        case Confidence::possible: return "possible";
    }
    return "possible";
}

std::vector<Finding> diagnose(const HostSnapshot& host) {
    std::vector<Finding> findings;
    for (const auto check : all_checks) {
        if (auto finding = check(host)) findings.push_back(std::move(*finding));
    }
    // The last resorts say nothing new beside another cause.
    const auto is_last_resort = [](const Finding& finding) { return finding.id == "device-refused" || finding.id == "driver-refused"; };
    const bool is_explained = std::any_of(findings.begin(), findings.end(),
                                          [&](const Finding& finding) { return !is_last_resort(finding) && !is_remark(finding); });
    if (is_explained) findings.erase(std::remove_if(findings.begin(), findings.end(), is_last_resort), findings.end());
    std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return !is_remark(finding); });
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i].may_follow = i > 0 && !works(host) && !is_remark(findings[i]);
        std::erase_if(findings[i].evidence, [](const std::string& text) { return text.empty(); });
    }
    return findings;
}

bool has_trouble(const std::vector<Finding>& findings) { return !findings.empty() && !is_remark(findings.front()); }

Reason reason_of(const HostSnapshot& host, const std::vector<Finding>& findings) {
    if (!has_trouble(findings)) return Reason::none;
    const bool some_usable = works(host) && std::any_of(host.driver.devices.begin(), host.driver.devices.end(), is_usable);
    return some_usable ? Reason::partial : findings.front().reason;
}

}  // namespace cupool::tools
