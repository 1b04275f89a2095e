#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cupool/driver/device_identity.hpp>
#include <cupool/driver/visible_devices.hpp>
#include <ostream>

namespace cupool {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<VisibleEntry> entries_of(const std::string& variable) {
    std::vector<VisibleEntry> entries;
    if (trimmed(variable).empty()) return entries;
    for (std::size_t begin = 0; begin <= variable.size();) {
        const std::size_t end = std::min(variable.find(',', begin), variable.size());
        entries.push_back({trimmed(variable.substr(begin, end - begin)), std::nullopt, {}});
        begin = end + 1;
    }
    return entries;
}

bool begins_with(const std::string& text, const std::string& prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

bool is_index(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos; }

/// Whether the text is the UUID of a device or an instance. "MIG-GPU-<UUID>/2/0", the name of an
/// instance before driver 470, does not contain the UUID of the instance.
bool is_uuid(const std::string& text) {
    return begins_with(text, "GPU-") || (begins_with(text, "MIG-") && text.find('/') == std::string::npos);
}

/// Why the driver finds no device for an entry and stops reading.
std::string why_none(const std::string& text) {
    if (text.empty()) return "it is empty";
    if (text[0] == '-') return "it is negative, which ends the list";
    if (is_index(text)) return "there is no device of this index";
    if (begins_with(text, "GPU-")) return "there is no device whose UUID begins so, or more than one";
    if (begins_with(text, "MIG-")) return "there is no such instance, or the driver shows no further one to this process";
    return "it is neither an index nor a UUID";
}

/// The first entry that repeats an earlier one; null if there is none.
const VisibleEntry* repeated(const std::vector<VisibleEntry>& entries) {
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        const auto is_the_same = [&](const VisibleEntry& other) { return other.text == entry->text; };
        if (std::any_of(entries.begin(), entry, is_the_same)) return &*entry;
    }
    return nullptr;
}

}  // namespace

std::string VisibleDevices::entry_of(int ordinal) const {
    const auto found = std::find_if(entries.begin(), entries.end(), [=](const VisibleEntry& entry) { return entry.ordinal == ordinal; });
    return found == entries.end() ? std::string() : found->text;
}

VisibleDevices map_visible_devices(const std::optional<std::string>& variable, std::span<const std::string> uuids) {
    VisibleDevices visible;
    visible.variable = variable;
    if (!variable) return visible;
    visible.entries = entries_of(*variable);
    // The driver reads the list up to its first entry without a device, so that each device has one
    // entry.
    visible.is_outdated = uuids.size() > visible.entries.size();
    for (std::size_t i = 0; i < std::min(uuids.size(), visible.entries.size()); ++i) {
        const std::string& text = visible.entries[i].text;
        visible.is_outdated = visible.is_outdated || (is_uuid(text) && !uuids[i].empty() && !begins_with(uuids[i], text));
    }
    const VisibleEntry* const twice = uuids.empty() ? repeated(visible.entries) : nullptr;
    for (std::size_t i = 0; i < visible.entries.size(); ++i) {
        VisibleEntry& entry = visible.entries[i];
        if (twice != nullptr) {
            entry.why = "the driver refuses a list that names a device twice, as this does with \"" + twice->text + '"';
        } else if (visible.is_outdated) {
            entry.why = "the driver has read another list: the variable was changed afterwards";
        } else if (i < uuids.size()) {
            entry.ordinal = static_cast<int>(i);
        } else if (i == uuids.size()) {
            entry.why = why_none(entry.text);
        } else {
            entry.why = "the driver reads no further than \"" + visible.entries[uuids.size()].text + '"';
        }
    }
    return visible;
}

VisibleDevices visible_devices(const std::shared_ptr<const Driver>& driver, SourceLocation where) {
    std::vector<std::string> uuids;
    for (const Device& device : devices(driver, where)) uuids.push_back(detail::uuid_where_known(device, where));
    const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
    return map_visible_devices(variable == nullptr ? std::nullopt : std::optional<std::string>(variable), uuids);
}

VisibleDevices visible_devices(SourceLocation where) { return visible_devices(Driver::system(where), where); }

std::string to_string(const VisibleDevices& visible) {
    if (!visible.variable) return "CUDA_VISIBLE_DEVICES is not set\n";
    std::string text = "CUDA_VISIBLE_DEVICES=" + *visible.variable + '\n';
    for (const VisibleEntry& entry : visible.entries) {
        text += "  \"" + entry.text + "\" is ";
        text += entry.ordinal ? "device " + std::to_string(*entry.ordinal) : "no device: " + entry.why;
        text += '\n';
    }
    return text;
}

std::ostream& operator<<(std::ostream& out, const VisibleDevices& visible) { return out << to_string(visible); }

}  // namespace cupool
