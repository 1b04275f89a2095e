// What the driver answered, where the host does not tell why.
#include <algorithm>
#include <array>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

constexpr int system_not_ready = 802;

std::string library_name(const HostSnapshot& host) {
    if (!host.driver.library.empty()) return host.driver.library;
    const auto* const first = first_library(host);
    return first == nullptr ? "libcuda" : first->path;
}

/// What the probe said, or its reason.
std::string explanation(const HostSnapshot& host) {
    return host.driver.explanation.empty() ? "the reason is " + host.driver.reason : host.driver.explanation;
}

/// The status of cuInit or of a context, if it is one of these.
template <std::size_t N>
std::optional<int> status_among(const HostSnapshot& host, const std::array<int, N>& statuses) {
    const auto is_one = [&](const std::optional<int>& status) {
        return status && std::find(statuses.begin(), statuses.end(), *status) != statuses.end();
    };
    if (is_one(host.driver.init)) return host.driver.init;
    for (const auto& device : host.driver.devices) {
        if (is_one(device.context)) return device.context;
    }
    return std::nullopt;
}

/// ", in stage cuInit"; empty if the stage is unknown.
std::string stage_words(const HostSnapshot& host) { return host.driver.stage.empty() ? "" : ", in stage " + host.driver.stage; }

/// What the dynamic loader loads before all else; empty if that is nothing.
std::string preloaded_libraries(const HostSnapshot& host) {
    return trimmed(host.variable("LD_PRELOAD").value_or("") + ' ' + trimmed(host.text("/etc/ld.so.preload")));
}

/// What shows that NVSwitch connects the GPUs.
std::vector<std::string> switches(const HostSnapshot& host) {
    std::vector<std::string> evidence;
    for (const auto* const pattern : {"/dev/nvidia-nvswitch*", "/proc/driver/nvidia-nvswitch"}) {
        const auto found = host.matching(pattern);
        if (!found.empty()) evidence.push_back(found.front() + " exists");
    }
    if (host.exists("/usr/bin/nv-fabricmanager")) evidence.push_back("/usr/bin/nv-fabricmanager is installed");
    for (auto& line : log_lines(host, "nvswitch")) evidence.push_back("kernel log: " + line);
    return evidence;
}

/// What shows that this is a confidential virtual machine.
std::vector<std::string> confidential_machine(const HostSnapshot& host) {
    std::vector<std::string> evidence;
    for (const auto* const node : {"/dev/sev-guest", "/dev/tdx_guest", "/dev/tdx-guest"}) {
        if (host.exists(node)) evidence.push_back(std::string(node) + " exists");
    }
    return evidence;
}

std::string mps_folder(const HostSnapshot& host) { return host.variable("CUDA_MPS_PIPE_DIRECTORY").value_or("/tmp/nvidia-mps"); }

}  // namespace

std::optional<Finding> driver_hangs(const HostSnapshot& host) {
    if (host.driver.outcome != "hung") return std::nullopt;
    return Finding{"driver-hangs",
                   "The driver does not return: the GPU, its kernel module or a service that it waits for hangs",
                   "Look for hanging processes (state D) and errors of the GPU, reset the GPU or reboot; --timeout waits longer",
                   Confidence::certain,
                   Reason::library_unusable,
                   {"a process that asked " + library_name(host) + " did not come to an end in time" + stage_words(host)},
                   "the kernel log: sudo dmesg | grep -e NVRM -e Xid -e 'blocked for more than'"};
}

std::optional<Finding> driver_crashes(const HostSnapshot& host) {
    if (host.driver.outcome != "crashed" || host.driver.detail == "SIGSYS") return std::nullopt;  // SIGSYS: system_call_filter
    const auto preloaded = preloaded_libraries(host);
    Finding finding{"driver-crashes",
                    "The driver's library ends the program that uses it",
                    "Reinstall the driver's libraries in the version of the kernel module, and remove other libcuda files",
                    Confidence::certain,
                    Reason::library_unusable,
                    {"a process that asked " + library_name(host) + " was ended by " +
                     (host.driver.detail.empty() ? "something unknown" : host.driver.detail) + stage_words(host)}};
    if (!preloaded.empty()) {
        finding.cause = "The driver's library, or a library that is preloaded before it, ends the program";
        finding.fix =
            "Try without the preloaded library (env -u LD_PRELOAD, or /etc/ld.so.preload), and upgrade or remove it if that helps; else "
            "reinstall the "
            "driver's libraries in the version of the kernel module";
        finding.evidence.push_back("preloaded: " + preloaded);
    }
    return finding;
}

std::optional<Finding> driver_nonsense(const HostSnapshot& host) {
    const auto& driver = host.driver;
    if (driver.outcome != "answered") return std::nullopt;
    std::vector<std::string> evidence;
    if (driver.reason == "library_unusable") evidence.push_back(explanation(host));
    for (std::size_t i = 0; i < driver.devices.size(); ++i) {
        for (std::size_t other = 0; other < i; ++other) {
            if (!driver.devices[i].uuid.empty() && driver.devices[i].uuid == driver.devices[other].uuid)
                evidence.push_back("GPU " + std::to_string(other) + " and GPU " + std::to_string(i) + " have the same UUID " +
                                   driver.devices[i].uuid);
        }
        const auto free = driver.devices[i].free_memory;
        if (free && *free > driver.devices[i].total_memory)
            evidence.push_back("GPU " + std::to_string(i) + " has more free than total memory");
    }
    if (evidence.empty()) return std::nullopt;
    return Finding{
        "driver-nonsense",
        "The libcuda in use answers what no working driver answers",
        "Remove other libcuda files and wrappers (LD_PRELOAD, LD_LIBRARY_PATH, CUPOOL_DRIVER), and reinstall the driver's libraries",
        Confidence::certain,
        Reason::library_unusable,
        std::move(evidence)};
}

std::optional<Finding> driver_too_old(const HostSnapshot& host) {
    constexpr int call_requires_newer_driver = 36;
    constexpr int unsupported_ptx_version = 222;
    std::vector<std::string> evidence;
    if (host.driver.reason == "driver_too_old") evidence.push_back(explanation(host));
    if (init_is(host, call_requires_newer_driver)) evidence.push_back("cuInit: " + status_text(call_requires_newer_driver));
    if (host.driver.jit == unsupported_ptx_version) evidence.push_back("loading a PTX module: " + status_text(unsupported_ptx_version));
    if (evidence.empty()) return std::nullopt;
    if (!kernel_driver_version(host).empty()) evidence.push_back("the kernel driver is " + kernel_driver_version(host));
    return Finding{"driver-too-old",
                   "The driver is too old for this program",
                   "Upgrade NVIDIA's driver and reboot",
                   Confidence::certain,
                   Reason::driver_too_old,
                   std::move(evidence)};
}

std::optional<Finding> confidential_gpu(const HostSnapshot& host) {
    auto evidence = confidential_machine(host);
    if (!status_among(host, std::array{system_not_ready}) || evidence.empty() || !switches(host).empty()) return std::nullopt;
    evidence.push_back("cuInit or a context: " + status_text(system_not_ready));
    return Finding{"confidential-gpu-not-ready",
                   "This is a confidential virtual machine, and its GPU has not been declared ready",
                   "Attest the GPU, then declare it ready: sudo nvidia-smi conf-compute -srs 1 (at each start of the machine)",
                   Confidence::likely,
                   Reason::not_ready,
                   std::move(evidence)};
}

std::optional<Finding> fabric_manager(const HostSnapshot& host) {
    if (!status_among(host, std::array{system_not_ready})) return std::nullopt;
    auto evidence_of_switches = switches(host);
    const bool has_switches = !evidence_of_switches.empty();
    if (!has_switches && !confidential_machine(host).empty()) return std::nullopt;
    const bool is_running =
        !host.matching("/run/nvidia-fabricmanager/*").empty() || !host.matching("/var/run/nvidia-fabricmanager/*").empty();
    Finding finding{
        "fabric-manager-not-running", "The GPUs are connected by NVSwitch, and the fabric manager has not set up the links",
        "sudo systemctl enable --now nvidia-fabricmanager, in exactly the version of the driver; then journalctl -u nvidia-fabricmanager",
        has_switches && !is_running ? Confidence::certain : Confidence::likely, Reason::not_ready};
    if (!has_switches && is_virtual_machine(host)) {
        finding.cause = "The GPU of this virtual machine is not ready: probably the fabric manager of its host has not set up its links";
        finding.fix =
            "On the host of the virtual machine, activate the fabric partition of its GPUs (fabric manager in shared NVSwitch mode: fmpm "
            "-a "
            "NUMBER), then start the machine again";
    } else if (!has_switches) {
        finding.cause = "The GPUs are not ready: probably NVSwitch connects them, and the fabric manager has not set up the links";
        finding.fix +=
            "; without NVSwitch: in a confidential virtual machine declare the GPU ready (nvidia-smi conf-compute -srs 1); in any "
            "virtual machine the fabric manager runs on its host";
    }
    finding.evidence = {"cuInit or a context: " + status_text(system_not_ready),
                        is_running ? "the fabric manager has files in /run, so it may still be starting or have failed"
                                   : "no file of a running fabric manager in /run"};
    if (is_virtual_machine(host)) finding.evidence.push_back("this is a virtual machine");
    if (!has_switches) evidence_of_switches = {"no NVSwitch is in sight, and /usr/bin/nv-fabricmanager is not installed"};
    finding.evidence.insert(finding.evidence.end(), evidence_of_switches.begin(), evidence_of_switches.end());
    finding.as_root = "the fabric manager's log: /var/log/fabricmanager.log";
    return finding;
}

std::optional<Finding> mps_daemon(const HostSnapshot& host) {
    const auto status = status_among(host, std::array{805, 806, 807, 810});
    const auto control = mps_folder(host) + "/nvidia-cuda-mps-control.pid";
    const auto process = trimmed(host.text(control));
    const bool is_dead = !process.empty() && !host.exists("/proc/" + process);
    if (!status && (works(host) || !host.driver.init || !is_dead)) return std::nullopt;
    Finding finding{
        "mps-daemon-dead", "CUDA uses the multi-process service (MPS), and its daemon does not answer",
        "Restart it: echo quit | nvidia-cuda-mps-control; nvidia-cuda-mps-control -d; or remove " + mps_folder(host) + " to do without MPS",
        status ? Confidence::certain : Confidence::likely, Reason::not_ready};
    if (status) finding.evidence.push_back("cuInit or a context: " + status_text(*status));
    if (is_dead) finding.evidence.push_back(control + " names process " + process + ", which does not exist");
    if (host.exists(mps_folder(host) + "/control")) finding.evidence.push_back(mps_folder(host) + "/control exists");
    if (const auto folder = host.variable("CUDA_MPS_PIPE_DIRECTORY")) finding.evidence.push_back("CUDA_MPS_PIPE_DIRECTORY=" + *folder);
    return finding;
}

std::optional<Finding> mps_busy(const HostSnapshot& host) {
    const auto status = status_among(host, std::array{808, 809});
    if (!status) return std::nullopt;
    return Finding{"mps-busy",
                   "The multi-process service (MPS) has as many clients as it allows",
                   "End other clients, or start fewer processes per GPU",
                   Confidence::certain,
                   Reason::not_ready,
                   {"cuInit or a context: " + status_text(*status)}};
}

std::optional<Finding> device_refused(const HostSnapshot& host) {
    std::vector<std::string> evidence;
    for (std::size_t i = 0; i < host.driver.devices.size(); ++i) {
        const auto& device = host.driver.devices[i];
        if (device.context.value_or(0) != 0)
            evidence.push_back("GPU " + std::to_string(i) + (device.name.empty() ? "" : " (" + device.name + ")") +
                               ": opening a context: " + status_text(*device.context));
    }
    if (evidence.empty()) return std::nullopt;
    return Finding{"device-refused",
                   "A GPU is listed but opens no context",
                   "See whether another process or job holds it (nvidia-smi), then reset it (nvidia-smi --gpu-reset -i N) or reboot",
                   Confidence::likely,
                   Reason::device_unhealthy,
                   std::move(evidence),
                   "the kernel log: sudo dmesg | grep -e NVRM -e Xid"};
}

std::optional<Finding> driver_refused(const HostSnapshot& host) {
    if (works(host) || host.driver.outcome != "answered") return std::nullopt;
    const bool finds_none = finds_no_device(host);
    Finding finding{"driver-refused", finds_none ? "The driver works and finds no GPU" : "The driver cannot be initialised",
                    "Look into the kernel log, reboot, and reinstall the driver if that does not help", Confidence::likely,
                    finds_none ? Reason::no_visible_device : Reason::kernel_driver};
    if (!host.driver.init) {
        finding.cause = "No libcuda can be loaded";
        finding.fix = "Install the driver's libraries; devquery lists the files that were tried";
        finding.reason = Reason::no_library;
    } else {
        finding.evidence.push_back("cuInit: " + status_text(*host.driver.init));
    }
    finding.evidence.push_back(explanation(host));
    finding.as_root = "the kernel log: sudo dmesg | grep -i -e NVRM -e nvidia";
    return finding;
}

std::optional<Finding> driver_not_asked(const HostSnapshot& host) {
    if (host.driver.outcome != "failed") return std::nullopt;
    return Finding{"driver-not-asked",
                   "The driver could not be asked, because the process for that did not start",
                   "Mount /proc, allow more processes, and repeat",
                   Confidence::likely,
                   Reason::library_unusable,
                   {host.driver.detail.empty() ? "the process ended without an answer" : "the process: " + host.driver.detail}};
}

}  // namespace cupool::tools::checks
