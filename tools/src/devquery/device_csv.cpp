#include "devquery/device_csv.hpp"

#include <cupool/driver/device_attribute.hpp>
#include <cupool/driver/printable_text.hpp>
#include <vector>

#include "devquery/device_text.hpp"

namespace cupool::tools {
namespace {

using Fields = std::vector<std::string>;

std::string quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string text = "\"";
    for (const char letter : field) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return text + '"';
}

void append_record(std::string& csv, const Fields& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) csv += (i == 0 ? "" : ",") + quoted(fields[i]);
    csv += "\r\n";
}

Fields header(bool has_all) {
    Fields names = {"ordinal",      "name",
                    "uuid",         "mig_instance",
                    "pci_bus_id",   "total_memory",
                    "free_memory",  "multiprocessors",
                    "clock_khz",    "compute_capability",
                    "compute_mode", "ecc_enabled",
                    "numa_node",    "usable",
                    "reason",       "explanation"};
    if (has_all) {
        for (const auto& attribute : device_attributes()) names.emplace_back(attribute.name);
    }
    return names;
}

template <class T>
std::string number(const std::optional<T>& value) {
    return value ? std::to_string(*value) : std::string();
}

std::string boolean(bool value) { return value ? "true" : "false"; }

Fields record(const ProbedDevice& device, const DeviceDetails& details) {
    Fields fields = {std::to_string(device.ordinal),
                     printable_text(device.name),
                     device.uuid,
                     boolean(device.is_mig_instance),
                     printable_text(device.pci_bus_id),
                     std::to_string(device.total_memory),
                     number(details.free_memory),
                     std::to_string(device.multiprocessor_count),
                     number(details.clock_khz),
                     compute_capability(device),
                     compute_mode_name(device.compute_mode),
                     details.ecc_enabled ? boolean(*details.ecc_enabled) : "",
                     number(details.numa_node),
                     boolean(device.usable()),
                     std::string(to_string(device.reason)),
                     printable_text(device.explanation)};
    for (const auto& attribute : details.attributes) fields.push_back(number(attribute.second));
    return fields;
}

}  // namespace

std::string device_csv(const DeviceReport& report) {
    std::string csv;
    const auto names = header(report.has_all);
    append_record(csv, names);
    for (std::size_t i = 0; i < report.probe.devices.size(); ++i) {
        auto fields = record(report.probe.devices[i], report.details[i]);
        fields.resize(names.size());
        append_record(csv, fields);
    }
    return csv;
}

}  // namespace cupool::tools
