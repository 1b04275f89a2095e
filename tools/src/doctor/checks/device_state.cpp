// The state of single GPUs.
#include <algorithm>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"
#include "io/size_text.hpp"

namespace cupool::tools::checks {
namespace {

constexpr const char* log_as_root = "the kernel log: sudo dmesg | grep -e NVRM -e Xid";

/// The lines of the log with one of these Xid numbers that may still matter.
std::vector<std::string> lines_with_xid(const HostSnapshot& host, const std::vector<int>& numbers) {
    std::vector<std::string> lines;
    for (const auto& [number, line] : xids(host)) {
        const bool is_wanted = std::find(numbers.begin(), numbers.end(), number) != numbers.end();
        if (is_wanted && may_still_matter(host, line)) lines.push_back("kernel log: " + line);
    }
    return lines;
}

/// The lines of the log with one of these texts that may still matter.
std::vector<std::string> lines_with(const HostSnapshot& host, const std::vector<std::string>& texts) {
    std::vector<std::string> lines;
    for (const auto& text : texts) {
        for (const auto& line : log_lines(host, text)) {
            if (may_still_matter(host, line)) lines.push_back("kernel log: " + line);
        }
    }
    return lines;
}

bool contains_any(const std::vector<std::string>& lines, const std::vector<std::string>& texts) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return line.find(text) != std::string::npos; });
    });
}

std::string name_of(const DeviceAnswer& device, std::size_t ordinal) {
    return "GPU " + std::to_string(ordinal) + (device.name.empty() ? "" : " (" + device.name + ")");
}

/// The evidence of each device for which a description is not empty.
template <class Describe>
std::vector<std::string> evidence_of_devices(const HostSnapshot& host, const Describe& describe) {
    std::vector<std::string> evidence;
    for (std::size_t i = 0; i < host.driver.devices.size(); ++i) {
        const auto text = describe(host.driver.devices[i]);
        if (!text.empty()) evidence.push_back(name_of(host.driver.devices[i], i) + ": " + text);
    }
    return evidence;
}

/// Whether the user has chosen what the driver lists.
bool chooses_devices(const HostSnapshot& host) { return host.driver.simulated || host.variable("CUDA_VISIBLE_DEVICES"); }

bool lists_instance(const HostSnapshot& host) {
    return std::any_of(host.driver.devices.begin(), host.driver.devices.end(),
                       [](const DeviceAnswer& device) { return device.mig_instance; });
}

/// Whether a card is in MIG mode, and the driver lists other cards only.
bool lists_no_instance_of_mig_card(const HostSnapshot& host) {
    return host.driver.mig_cards.value_or(0) > 0 && !lists_instance(host) && !chooses_devices(host);
}

}  // namespace

std::optional<Finding> gpu_off_bus(const HostSnapshot& host) {
    constexpr int off_bus = 79;
    auto evidence = lines_with_xid(host, {off_bus});
    for (auto& line : lines_with(host, {"fallen off the bus"})) {
        if (line.find("Xid") == std::string::npos) evidence.push_back(std::move(line));
    }
    if (evidence.empty()) return std::nullopt;
    return Finding{"gpu-off-bus",
                   "A GPU has fallen off the PCI bus: it no longer answers",
                   "Cycle the power of the host (a reboot may not suffice); if it happens again: power supply, cooling, riser, firmware, "
                   "then replace the GPU",
                   Confidence::certain,
                   Reason::device_unhealthy,
                   std::move(evidence)};
}

std::optional<Finding> gpu_firmware_missing(const HostSnapshot& host) {
    auto evidence = lines_with(host, {"No firmware image found"});
    for (auto& line : lines_with(host, {"Direct firmware load for nvidia/"})) {
        if (line.find("/gsp") != std::string::npos) evidence.push_back(std::move(line));
    }
    if (evidence.empty()) return std::nullopt;
    const auto version = kernel_driver_version(host);
    return Finding{"gpu-firmware-missing",
                   "The kernel driver cannot load the file of the GPU's firmware (gsp_*.bin), without which it does not start the GPU",
                   "Install the firmware in the version of the driver, in /lib/firmware/nvidia/" + (version.empty() ? "VERSION" : version) +
                       " (Debian: firmware-nvidia-gsp; Ubuntu: nvidia-firmware-NNN; others: reinstall the kernel driver), and reboot",
                   Confidence::certain,
                   Reason::device_unhealthy,
                   std::move(evidence)};
}

std::optional<Finding> gpu_firmware(const HostSnapshot& host) {
    auto evidence = lines_with_xid(host, {61, 62, 119, 120, 123, 143});
    for (auto& line : lines_with(host, {"Failed to load the GSP", "Cannot initialize GSP firmware"})) evidence.push_back(std::move(line));
    if (evidence.empty() || gpu_firmware_missing(host)) return std::nullopt;
    return Finding{"gpu-firmware",
                   "The firmware of a GPU (GSP or PMU) has stopped or does not start",
                   "Reset the GPU (nvidia-smi --gpu-reset) or reboot, then cycle the power; upgrade the driver",
                   Confidence::certain,
                   Reason::device_unhealthy,
                   std::move(evidence)};
}

std::optional<Finding> gpu_initialisation(const HostSnapshot& host) {
    auto evidence = lines_with(host, {"necessary power cables", "is invalid:", "is 0M @", "RmInitAdapter failed", "rm_init_adapter failed",
                                      "Cannot attach gpu", "probe routine failed"});
    if (evidence.empty()) return std::nullopt;
    Finding finding{
        "gpu-initialisation", "The kernel driver cannot initialise a GPU",
        "Reboot, then cycle the power; check power cables, slot and BIOS (Above 4G Decoding); in a virtual machine, the passthrough",
        Confidence::certain, Reason::device_unhealthy};
    if (contains_any(evidence, {"necessary power cables"})) {
        finding.cause = "A GPU does not get power by its cables";
        finding.fix = "Switch the host off and connect all power cables of the GPU, each to its own output of a sufficient power supply";
    } else if (contains_any(evidence, {"is invalid:", "is 0M @"})) {
        finding.cause = "A GPU has no valid address range on the PCI bus (BAR), so the kernel driver cannot use it";
        finding.fix =
            "Turn on Above 4G Decoding in the BIOS and turn off CSM, or boot with pci=realloc; in a virtual machine, enlarge its 64-bit "
            "PCI window (OVMF: X-PciMmio64Mb)";
    }
    finding.evidence = std::move(evidence);
    return finding;
}

std::optional<Finding> ecc_errors(const HostSnapshot& host) {
    static constexpr int ecc_uncorrectable = 214;
    auto evidence = evidence_of_devices(host, [](const DeviceAnswer& device) -> std::string {
        if (device.context == ecc_uncorrectable) return "opening a context: " + status_text(ecc_uncorrectable);
        return device.ecc_errors.value_or(0) == 0 ? ""
                                                  : std::to_string(*device.ecc_errors) + " uncorrected errors since the driver was loaded";
    });
    if (init_is(host, ecc_uncorrectable)) evidence.push_back("cuInit: " + status_text(ecc_uncorrectable));
    for (auto& line : lines_with_xid(host, {48, 63, 64, 94, 95, 171, 172})) evidence.push_back(std::move(line));
    if (evidence.empty()) return std::nullopt;
    return Finding{"ecc-errors",
                   "The memory of a GPU has uncorrectable errors",
                   "Reset the GPU (nvidia-smi --gpu-reset) or reboot, so that bad rows are remapped; replace it if errors come again "
                   "(nvidia-smi -q -d ECC,ROW_REMAPPER)",
                   is_healthy(host) ? Confidence::likely : Confidence::certain,
                   Reason::device_unhealthy,
                   std::move(evidence)};
}

std::optional<Finding> mig_without_instances(const HostSnapshot& host) {
    const bool hides_card = works(host) && lists_no_instance_of_mig_card(host);
    if (!hides_card && !finds_no_device(host)) return std::nullopt;
    const auto folders = host.matching("/proc/driver/nvidia/capabilities/gpu*/mig");
    const bool in_mig_mode = host.driver.mig_cards.value_or(0) > 0;
    const bool has_instances = !host.matching("/proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*").empty();
    if (has_instances || (!in_mig_mode && folders.empty())) return std::nullopt;
    const bool has_gpu_instances = !host.matching("/proc/driver/nvidia/capabilities/gpu*/mig/gi*").empty();
    Finding finding{"mig-without-instances", "A GPU is in MIG mode and has no instances that could run work",
                    has_gpu_instances ? "Create compute instances: sudo nvidia-smi mig -cci; or turn MIG off: sudo nvidia-smi -mig 0"
                                      : "Create instances: sudo nvidia-smi mig -cgi PROFILE -C (profiles: nvidia-smi mig -lgip); or turn "
                                        "MIG off: sudo nvidia-smi -mig 0",
                    in_mig_mode ? Confidence::certain : Confidence::likely, Reason::no_visible_device};
    if (in_mig_mode) finding.evidence.push_back(std::to_string(*host.driver.mig_cards) + " in MIG mode, as NVML says");
    for (const auto& folder : folders)
        finding.evidence.push_back(folder + (has_gpu_instances ? " has no compute instance" : " has no instance"));
    finding.evidence.push_back("the driver lists " + (hides_card ? "other GPUs only" : std::string("no device")));
    return finding;
}

std::optional<Finding> mig_hides_gpus(const HostSnapshot& host) {
    if (!works(host) || chooses_devices(host)) return std::nullopt;
    const bool has_instances = !host.matching("/proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*").empty();
    const auto mig_cards = static_cast<std::size_t>(host.driver.mig_cards.value_or(0));
    const bool hides_instances = lists_no_instance_of_mig_card(host) && has_instances;
    const auto& devices = host.driver.devices;
    const auto whole = std::count_if(devices.begin(), devices.end(), [](const DeviceAnswer& device) { return !device.mig_instance; });
    const bool hides_cards =
        lists_instance(host) && mig_cards > 0 && !is_container(host) && card_count(host) > mig_cards + static_cast<std::size_t>(whole);
    if (!hides_instances && !hides_cards) return std::nullopt;
    return Finding{"mig-hides-gpus",
                   hides_cards ? "A program sees one MIG instance, which hides the GPUs that are not in MIG mode"
                               : "A program sees the GPUs that are not in MIG mode, which hide the MIG instances",
                   "Name what the program is to use: CUDA_VISIBLE_DEVICES=GPU-... or MIG-... (nvidia-smi -L lists them), one process for "
                   "each instance; or turn MIG off: sudo nvidia-smi -mig 0",
                   Confidence::likely,
                   Reason::device_unhealthy,
                   {std::to_string(mig_cards) + " of " + std::to_string(card_count(host)) + " GPUs in MIG mode",
                    "the driver lists " + std::to_string(devices.size()) + (devices.size() == 1 ? " device" : " devices") +
                        (hides_cards ? ", MIG instances among them" : ", no MIG instance among them")}};
}

std::optional<Finding> compute_mode_prohibited(const HostSnapshot& host) {
    auto evidence = evidence_of_devices(host, [](const DeviceAnswer& device) -> std::string {
        return device.compute_mode == "prohibited" ? "compute mode prohibited" : "";
    });
    if (evidence.empty()) return std::nullopt;
    return Finding{"compute-mode-prohibited",
                   "The compute mode of a GPU forbids CUDA programs",
                   "sudo nvidia-smi -c DEFAULT (with -i N for one GPU)",
                   Confidence::certain,
                   Reason::device_unhealthy,
                   std::move(evidence)};
}

std::optional<Finding> compute_mode_exclusive(const HostSnapshot& host) {
    auto evidence = evidence_of_devices(host, [](const DeviceAnswer& device) -> std::string {
        if (device.compute_mode != "exclusive process" || device.context.value_or(0) == 0) return "";
        auto text = "compute mode exclusive process; opening a context: " + status_text(*device.context);
        for (const auto& [process, bytes] : device.users) text += "; process " + process + " holds it";
        return text;
    });
    if (evidence.empty()) return std::nullopt;
    return Finding{"compute-mode-exclusive",
                   "A GPU allows only one process, and another one uses it",
                   "End the other process, run programs through MPS, or allow several: sudo nvidia-smi -c DEFAULT",
                   Confidence::certain,
                   Reason::device_unhealthy,
                   std::move(evidence),
                   "which process it is: sudo nvidia-smi, or sudo fuser -v /dev/nvidia*"};
}

std::optional<Finding> too_little_memory(const HostSnapshot& host) {
    constexpr int out_of_memory = 2;
    constexpr std::uint64_t smallest_share = 20;  // less than 1/20 is free
    bool is_full = false;
    auto evidence = evidence_of_devices(host, [&](const DeviceAnswer& device) -> std::string {
        const bool refused = device.context == out_of_memory;
        const bool scarce = device.free_memory && device.total_memory != 0 && *device.free_memory < device.total_memory / smallest_share;
        if (!refused && !scarce) return "";
        is_full = is_full || refused;
        std::string text = refused ? "opening a context: " + status_text(out_of_memory)
                                   : size_text(*device.free_memory) + " of " + size_text(device.total_memory) + " free";
        for (const auto& [process, bytes] : device.users) text += "; process " + process + " holds " + size_text(bytes);
        return text;
    });
    if (evidence.empty()) return std::nullopt;
    return Finding{"too-little-memory",
                   "The memory of a GPU is all but used up by other processes",
                   "End these processes, limit their memory, or use another GPU",
                   is_full ? Confidence::certain : Confidence::likely,
                   Reason::device_unhealthy,
                   std::move(evidence),
                   "processes of other users and containers: sudo nvidia-smi, or sudo fuser -v /dev/nvidia*"};
}

std::optional<Finding> gpu_not_listed(const HostSnapshot& host) {
    if (host.variable("CUDA_VISIBLE_DEVICES")) return std::nullopt;
    if (!host.matching("/proc/driver/nvidia/capabilities/gpu*/mig/gi*").empty() || host.driver.mig_cards.value_or(0) > 0)
        return std::nullopt;  // mig_without_instances and mig_hides_gpus look at these
    std::vector<std::string> evidence;
    for (const auto& gpu : unlisted_gpus(host)) {
        evidence.push_back("GPU " + gpu.address + " is on the bus, bound to " + (gpu.driver.empty() ? "no driver" : gpu.driver) +
                           ", and not listed");
    }
    if (evidence.empty()) return std::nullopt;
    const auto gpus = pci_gpus(host);
    const bool reserved =
        std::all_of(gpus.begin(), gpus.end(), [](const PciGpu& gpu) { return gpu.driver == "nvidia" || gpu.driver == "vfio-pci"; }) &&
        std::any_of(gpus.begin(), gpus.end(), [](const PciGpu& gpu) { return gpu.driver == "vfio-pci"; });
    return Finding{"gpu-not-listed",
                   "The driver lists fewer GPUs than are on the PCI bus",
                   "Look into the kernel log for the missing GPU (Xid, RmInitAdapter); check its driver, power and cables; reboot",
                   reserved ? Confidence::possible : Confidence::likely,
                   Reason::device_unhealthy,
                   std::move(evidence),
                   host.kernel_log_readable ? "" : log_as_root};
}

std::optional<Finding> persistence_off(const HostSnapshot& host) {
    if (!works(host) || host.exists("/run/nvidia-persistenced/socket") || host.exists("/var/run/nvidia-persistenced/socket"))
        return std::nullopt;
    auto evidence = evidence_of_devices(
        host, [](const DeviceAnswer& device) -> std::string { return device.persistence == false ? "persistence mode is off" : ""; });
    if (evidence.empty()) return std::nullopt;
    return Finding{"persistence-off",
                   "Persistence is off: the driver initialises an idle GPU again for each program, which costs up to seconds",
                   "sudo systemctl enable --now nvidia-persistenced",
                   Confidence::possible,
                   Reason::none,
                   std::move(evidence)};
}

}  // namespace cupool::tools::checks
