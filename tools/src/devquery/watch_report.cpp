#include "devquery/watch_report.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <cupool/driver/printable_text.hpp>

#include "devquery/verb_json.hpp"
#include "io/size_text.hpp"
#include "io/text_table.hpp"

namespace cupool::tools {
namespace {

std::string time_text(const char* format, bool is_utc) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    (is_utc ? ::gmtime_r : ::localtime_r)(&now, &parts);
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string with_unit(const std::optional<unsigned>& value, const char* unit) { return value ? std::to_string(*value) + unit : "-"; }

std::string power_text(const std::optional<double>& watts) {
    if (!watts) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.0f W", *watts);
    return text;
}

std::string errors_text(const DeviceReadings& readings) {
    if (!readings.corrected_errors && !readings.uncorrected_errors) return "-";
    const auto count = [](const std::optional<std::uint64_t>& errors) { return errors ? std::to_string(*errors) : "?"; };
    return count(readings.corrected_errors) + "/" + count(readings.uncorrected_errors);
}

std::string memory_text(const DeviceReadings& readings) {
    if (!readings.used_memory || !readings.total_memory) return "-";
    return size_text(*readings.used_memory) + " of " + size_text(*readings.total_memory);
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json device_json(const DeviceSample& sample) {
    const auto& readings = sample.readings;
    return {{"ordinal", sample.device.ordinal},
            {"name", sample.device.name},
            {"uuid", sample.device.uuid.empty() ? Json() : Json(sample.device.uuid)},
            {"total_memory", json_or_null(readings.total_memory)},
            {"used_memory", json_or_null(readings.used_memory)},
            {"utilisation_percent", json_or_null(readings.utilisation)},
            {"memory_utilisation_percent", json_or_null(readings.memory_utilisation)},
            {"power_watts", json_or_null(readings.power)},
            {"temperature_celsius", json_or_null(readings.temperature)},
            {"ecc_corrected", json_or_null(readings.corrected_errors)},
            {"ecc_uncorrected", json_or_null(readings.uncorrected_errors)},
            {"failure", sample.failure.empty() ? Json() : Json(sample.failure)}};
}

Json event_json(const std::string& event, const ProbeReport& report) {
    auto json = verb_json("watch", report);
    json["event"] = event;
    json["time"] = time_text("%Y-%m-%dT%H:%M:%SZ", true);
    return json;
}

}  // namespace

std::string watch_time() { return time_text("%H:%M:%S", false); }

std::string watch_table(const std::vector<DeviceSample>& samples, std::size_t width) {
    TextTable table({{"GPU", 0},
                     {"name", 4},
                     {"memory in use", 0},
                     {"SMs busy", 1},
                     {"memory busy", 5},
                     {"power", 2},
                     {"temperature", 3},
                     {"ECC errors", 6}});
    std::string failures;
    for (const auto& sample : samples) {
        const auto& readings = sample.readings;
        table.add_row({std::to_string(sample.device.ordinal), printable_text(sample.device.name), memory_text(readings),
                       with_unit(readings.utilisation, " %"), with_unit(readings.memory_utilisation, " %"), power_text(readings.power),
                       with_unit(readings.temperature, " C"), errors_text(readings)});
        if (!sample.failure.empty())
            failures += "GPU " + std::to_string(sample.device.ordinal) + ": " + printable_text(sample.failure) + '\n';
    }
    return table.text(width) + failures;
}

std::string watch_xid_line(const DeviceXid& xid) {
    return watch_time() + "  Xid " + std::to_string(xid.number) + " on GPU " + std::to_string(xid.device.ordinal) + " (" +
           printable_text(xid.device.pci_bus_id) + ")\n";
}

std::string watch_json(const std::vector<DeviceSample>& samples, const std::string& management_finding, const ProbeReport& report) {
    auto json = event_json("sample", report);
    json["nvml"] = {{"works", management_finding.empty()}, {"finding", management_finding.empty() ? Json() : Json(management_finding)}};
    json["devices"] = Json::array();
    for (const auto& sample : samples) json["devices"].push_back(device_json(sample));
    return json_text(json);
}

std::string watch_xid_json(const DeviceXid& xid, const ProbeReport& report) {
    auto json = event_json("xid", report);
    json["ordinal"] = xid.device.ordinal;
    json["pci_bus_id"] = xid.device.pci_bus_id;
    json["xid"] = xid.number;
    return json_text(json);
}

}  // namespace cupool::tools
