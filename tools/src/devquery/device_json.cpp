#include "devquery/device_json.hpp"

#include <cstdlib>

#include "devquery/device_text.hpp"
#include "io/report_json.hpp"

namespace cupool::tools {
namespace {

constexpr int json_schema = 1;

Json null_where_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json reason_json(Reason reason, const std::string& explanation) {
    return {{"code", static_cast<int>(reason)}, {"name", to_string(reason)}, {"explanation", null_where_empty(explanation)}};
}

Json driver_json(const ProbeReport& report) {
    return {{"library", null_where_empty(report.library.library_path)},
            {"cuda_version", report.library.version == 0 ? Json() : Json(cuda_version_text(report.library.version))},
            {"kernel_driver", null_where_empty(report.kernel_driver)},
            {"simulated", report.library.simulated}};
}

template <class T>
Json null_where_unknown(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json attributes_json(const DeviceDetails& details, bool has_all) {
    if (!has_all) return {};
    auto attributes = Json::object();
    for (const auto& [name, value] : details.attributes) attributes[std::string(name)] = null_where_unknown(value);
    return attributes;
}

Json device_entry(const ProbedDevice& device, const DeviceDetails& details, bool has_all) {
    return {{"ordinal", device.ordinal},
            {"name", device.name},
            {"uuid", null_where_empty(device.uuid)},
            {"mig_instance", device.is_mig_instance},
            {"pci_bus_id", null_where_empty(device.pci_bus_id)},
            {"total_memory", device.total_memory},
            {"free_memory", null_where_unknown(details.free_memory)},
            {"compute_capability", compute_capability(device)},
            {"multiprocessors", device.multiprocessor_count},
            {"clock_khz", null_where_unknown(details.clock_khz)},
            {"compute_mode", compute_mode_name(device.compute_mode)},
            {"ecc_enabled", null_where_unknown(details.ecc_enabled)},
            {"numa_node", null_where_unknown(details.numa_node)},
            {"usable", device.usable()},
            {"reason", reason_json(device.reason, device.explanation)},
            {"attributes", attributes_json(details, has_all)}};
}

Json visible_entry(const VisibleEntry& entry) {
    return {{"entry", entry.text}, {"ordinal", entry.ordinal ? Json(*entry.ordinal) : Json()}, {"finding", null_where_empty(entry.why)}};
}

Json missing_json(const DeviceReport& report) {
    if (!report.has_all) return {};
    auto missing = Json::array();
    for (const auto& [name, since] : report.missing_entry_points)
        missing.push_back({{"name", name}, {"cuda_version", cuda_version_text(since)}});
    return missing;
}

}  // namespace

std::string device_json(const DeviceReport& whole) {
    const auto& report = whole.probe;
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    Json json = {{"schema", json_schema},
                 {"reason", reason_json(report.reason, report.explanation)},
                 {"driver", driver_json(report)},
                 {"cuda_visible_devices", visible == nullptr ? Json() : Json(visible)}};
    json["visible_devices"] = Json::array();
    for (const auto& entry : report.visible_devices.entries) json["visible_devices"].push_back(visible_entry(entry));
    json["devices"] = Json::array();
    for (std::size_t i = 0; i < report.devices.size(); ++i)
        json["devices"].push_back(device_entry(report.devices[i], whole.details[i], whole.has_all));
    json["implausible_answers"] = whole.implausible;
    json["missing_entry_points"] = missing_json(whole);
    json["attempts"] = Json::array();
    for (const auto& attempt : report.library.attempts) {
        json["attempts"].push_back(
            {{"path", attempt.path}, {"source", attempt.source}, {"reason", to_string(attempt.reason)}, {"finding", attempt.finding}});
    }
    json["evidence"] = Json::array();
    for (const auto& evidence : report.evidence) json["evidence"].push_back({{"subject", evidence.subject}, {"finding", evidence.finding}});
    constexpr int indent = 2;
    return json_text(json, indent);
}

}  // namespace cupool::tools
