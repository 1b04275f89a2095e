// What CUDA_VISIBLE_DEVICES hides.
#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

constexpr const char* variable = "CUDA_VISIBLE_DEVICES";

enum class EntryKind { index, uuid, negative, other };

struct Entry {
    std::string text;
    EntryKind kind;
    std::size_t index = 0;
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

Entry entry_of(const std::string& text) {
    const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return {text, EntryKind::index, std::stoul(text)};
    if (text.starts_with("-")) return {text, EntryKind::negative};
    const auto name = lower(text);
    return {text, name.starts_with("gpu-") || name.starts_with("mig-") ? EntryKind::uuid : EntryKind::other};
}

std::vector<Entry> entries(const HostSnapshot& host) {
    std::istringstream stream(host.variable(variable).value_or(""));
    std::vector<Entry> list;
    for (std::string part; std::getline(stream, part, ',');) list.push_back(entry_of(trimmed(part)));
    return list;
}

std::string shown(const HostSnapshot& host) { return std::string(variable) + "=\"" + host.variable(variable).value_or("") + "\""; }

/// The UUIDs that the kernel driver and the driver tell.
std::vector<std::string> known_uuids(const HostSnapshot& host) {
    std::vector<std::string> uuids;
    for (const auto& path : host.matching("/proc/driver/nvidia/gpus/*/information")) {
        std::istringstream words(host.text(path));
        for (std::string word; words >> word;) {
            if (word.starts_with("GPU-") && word.find('?') == std::string::npos) uuids.push_back(word);
        }
    }
    for (const auto& device : host.driver.devices) {
        const bool is_listed = std::find(uuids.begin(), uuids.end(), device.uuid) != uuids.end();
        if (!device.uuid.empty() && !is_listed) uuids.push_back(device.uuid);
    }
    return uuids;
}

/// A finding about the variable counts only if the driver does not show all that it asks for.
bool shows_everything(const HostSnapshot& host) {
    return works(host) && host.driver.devices.size() >= chosen_count(host) && chosen_count(host) != 0;
}

/// The number of GPUs whose nodes a device cgroup forbids: the driver numbers the others from 0.
std::size_t denied_count(const HostSnapshot& host) {
    const auto nodes = host.matching("/dev/nvidia[0-9]*");
    return static_cast<std::size_t>(
        std::count_if(nodes.begin(), nodes.end(), [&](const std::string& node) { return is_denied(host, node); }));
}

Finding finding_about(const HostSnapshot& host, const std::string& id, const std::string& cause, const std::string& fix) {
    return {id, cause, fix, Confidence::certain, Reason::no_visible_device, {shown(host)}};
}

/// Whether an earlier entry already ended the list.
bool is_hidden_before(const std::vector<Entry>& list, std::size_t position) {
    return std::any_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(position),
                       [](const Entry& entry) { return entry.kind == EntryKind::negative; });
}

}  // namespace

std::optional<Finding> visible_devices_empty(const HostSnapshot& host) {
    const auto value = host.variable(variable);
    if (works(host) || !value || !trimmed(*value).empty()) return std::nullopt;
    return finding_about(host, "visible-devices-empty", "CUDA_VISIBLE_DEVICES is set but empty, which hides every GPU",
                         "unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0");
}

std::optional<Finding> visible_devices_none(const HostSnapshot& host) {
    const auto list = entries(host);
    if (shows_everything(host) || list.empty()) return std::nullopt;
    const bool hides_all = !works(host) && (list.front().kind == EntryKind::negative || list.front().text == "NoDevFiles");
    const bool hides_rest =
        works(host) && std::any_of(list.begin(), list.end(), [](const Entry& entry) { return entry.kind == EntryKind::negative; });
    if (!hides_all && !hides_rest) return std::nullopt;
    return finding_about(host, "visible-devices-none",
                         hides_all ? "CUDA_VISIBLE_DEVICES begins with an entry that hides every GPU"
                                   : "A negative entry of CUDA_VISIBLE_DEVICES hides all that follow",
                         "unset CUDA_VISIBLE_DEVICES, or name GPUs in it: CUDA_VISIBLE_DEVICES=0");
}

std::optional<Finding> visible_devices_malformed(const HostSnapshot& host) {
    const auto list = entries(host);
    if (shows_everything(host) || list.empty()) return std::nullopt;
    for (const auto& entry : list) {
        if (entry.kind != EntryKind::other || entry.text == "NoDevFiles" || (list.size() == 1 && entry.text.empty())) continue;
        auto finding = finding_about(host, "visible-devices-malformed",
                                     "CUDA_VISIBLE_DEVICES has an entry that is neither a number nor a UUID, which ends the list",
                                     "Write numbers or UUIDs between commas: CUDA_VISIBLE_DEVICES=0,1");
        finding.evidence.push_back("entry \"" + entry.text + "\"");
        return finding;
    }
    return std::nullopt;
}

std::optional<Finding> visible_devices_duplicate(const HostSnapshot& host) {
    if (works(host)) return std::nullopt;
    std::set<std::string> seen;
    for (const auto& entry : entries(host)) {
        if (entry.kind == EntryKind::other || entry.kind == EntryKind::negative || seen.insert(lower(entry.text)).second) continue;
        auto finding = finding_about(host, "visible-devices-duplicate", "CUDA_VISIBLE_DEVICES names a GPU twice, which the driver refuses",
                                     "Name each GPU once");
        finding.evidence.push_back("\"" + entry.text + "\" occurs twice");
        return finding;
    }
    return std::nullopt;
}

std::optional<Finding> visible_devices_out_of_range(const HostSnapshot& host) {
    const auto all = card_count(host);
    const auto denied = denied_count(host);
    const auto list = entries(host);
    if (shows_everything(host) || all <= denied) return std::nullopt;
    const auto count = all - denied;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].kind != EntryKind::index || list[i].index < count || is_hidden_before(list, i)) continue;
        auto finding = finding_about(host, "visible-devices-out-of-range",
                                     std::string("CUDA_VISIBLE_DEVICES names a GPU that this ") + (denied == 0 ? "host" : "process") +
                                         " does not have, which ends the list",
                                     (count == 1 ? "Use the number 0" : "Use numbers from 0 to " + std::to_string(count - 1)) +
                                         ", or unset the variable; inside a container or job they count its own GPUs only");
        finding.evidence.push_back("entry \"" + list[i].text + "\"; this host has " + std::to_string(all) + (all == 1 ? " GPU" : " GPUs") +
                                   (denied == 0 ? "" : ", of which the cgroup forbids " + std::to_string(denied)));
        return finding;
    }
    return std::nullopt;
}

std::optional<Finding> visible_devices_unknown_uuid(const HostSnapshot& host) {
    if (shows_everything(host)) return std::nullopt;
    const auto uuids = known_uuids(host);
    for (const auto& entry : entries(host)) {
        const bool is_known =
            std::any_of(uuids.begin(), uuids.end(), [&](const std::string& uuid) { return lower(uuid).starts_with(lower(entry.text)); });
        const bool is_instance = lower(entry.text).starts_with("mig-");
        if (entry.kind != EntryKind::uuid || is_known || (uuids.empty() && !finds_no_device(host))) continue;
        if (is_instance && !finds_no_device(host)) continue;
        auto finding = finding_about(host, "visible-devices-unknown-uuid",
                                     "CUDA_VISIBLE_DEVICES names a UUID that no GPU of this host has, which ends the list",
                                     "Use a UUID that nvidia-smi -L prints; a MIG instance gets another one when it is made again");
        finding.confidence = uuids.empty() || is_instance ? Confidence::likely : Confidence::certain;
        finding.evidence.push_back("entry \"" + entry.text + "\"");
        for (const auto& uuid : uuids) finding.evidence.push_back("this host has " + uuid);
        return finding;
    }
    return std::nullopt;
}

}  // namespace cupool::tools::checks
