#include "devquery/device_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cupool/driver/printable_text.hpp>
#include <string_view>
#include <vector>

#include "io/report_json.hpp"

namespace cupool::tools {
namespace {

constexpr int json_schema = 1;

std::string compute_mode_name(abi::ComputeMode mode) {
    switch (mode) {
        case abi::ComputeMode::standard: return "default";
        case abi::ComputeMode::prohibited: return "prohibited";
        case abi::ComputeMode::exclusive_process: return "exclusive process";
    }
    return std::to_string(static_cast<int>(mode));
}

std::string compute_capability(const ProbedDevice& device) {
    return std::to_string(device.compute_capability_major) + "." + std::to_string(device.compute_capability_minor);
}

std::string memory_text(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
    return text;
}

class Painter {
public:
    explicit Painter(bool colors) : colors_(colors) {}

    std::string good(const std::string& text) const { return paint(text, "\033[32m"); }
    std::string bad(const std::string& text) const { return paint(text, "\033[31m"); }

private:
    std::string paint(const std::string& text, const char* color) const { return colors_ ? color + text + "\033[0m" : text; }

    bool colors_;
};

/// The text of to_string(), with the entries, which the user wrote, made printable.
std::string visible_lines(VisibleDevices visible) {
    visible.variable = printable_text(*visible.variable);
    for (auto& entry : visible.entries) {
        entry.text = printable_text(entry.text);
        entry.why = printable_text(entry.why);
    }
    return to_string(visible);
}

std::string driver_lines(const ProbeReport& report) {
    std::string lines;
    if (!report.library.library_path.empty()) lines += "library        " + printable_text(report.library.library_path) + '\n';
    if (report.library.simulated) lines += "               (cupool's simulated driver: these devices are not real)\n";
    if (report.library.version != 0) lines += "CUDA version   " + cuda_version_text(report.library.version) + '\n';
    if (!report.kernel_driver.empty()) lines += "kernel driver  " + report.kernel_driver + '\n';
    if (report.visible_devices.variable) {
        lines += visible_lines(report.visible_devices);
    } else if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        lines += "CUDA_VISIBLE_DEVICES=" + printable_text(visible) + '\n';
    }
    return lines;
}

using Row = std::array<std::string, 8>;

/// Pads each column to its widest cell. The last column, which may have colours, is not padded.
std::string aligned(const std::vector<Row>& rows) {
    std::array<std::size_t, std::tuple_size_v<Row>> widths{};
    for (const auto& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i) text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        text += row.back() + '\n';
    }
    return text;
}

std::string device_lines(const ProbeReport& report, const Painter& painter) {
    std::vector<Row> rows = {{"GPU", "name", "PCI address", "memory", "capability", "SMs", "compute mode", "usable"}};
    for (const auto& device : report.devices) {
        rows.push_back({std::to_string(device.ordinal), printable_text(device.name), printable_text(device.pci_bus_id),
                        memory_text(device.total_memory), compute_capability(device), std::to_string(device.multiprocessor_count),
                        compute_mode_name(device.compute_mode),
                        device.usable() ? painter.good("yes") : painter.bad("no: ") + printable_text(device.explanation)});
    }
    auto lines = aligned(rows);
    for (const auto& device : report.devices) lines += "GPU " + std::to_string(device.ordinal) + " has the UUID " + device.uuid + '\n';
    return lines;
}

std::string evidence_lines(const ProbeReport& report) {
    std::string lines;
    for (const auto& attempt : report.library.attempts)
        lines += "  " + printable_text(attempt.path + " (" + attempt.source + "): " + attempt.finding) + '\n';
    for (const auto& evidence : report.evidence) lines += "  " + printable_text(evidence.subject + ": " + evidence.finding) + '\n';
    return lines;
}

std::string verdict(const ProbeReport& report, const Painter& painter) {
    const auto code = std::to_string(static_cast<int>(report.reason));
    const auto* const headline = report.reason == Reason::partial ? "Not every GPU can be used" : "No GPU can be used";
    return painter.bad(headline) + ", reason " + code + " (" + std::string(to_string(report.reason)) + ").\n" +
           printable_text(report.explanation) + '\n';
}

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

Json device_entry(const ProbedDevice& device) {
    return {{"ordinal", device.ordinal},
            {"name", device.name},
            {"uuid", null_where_empty(device.uuid)},
            {"mig_instance", device.is_mig_instance},
            {"pci_bus_id", null_where_empty(device.pci_bus_id)},
            {"total_memory", device.total_memory},
            {"compute_capability", compute_capability(device)},
            {"multiprocessors", device.multiprocessor_count},
            {"compute_mode", compute_mode_name(device.compute_mode)},
            {"usable", device.usable()},
            {"reason", reason_json(device.reason, device.explanation)}};
}

Json visible_entry(const VisibleEntry& entry) {
    return {{"entry", entry.text}, {"ordinal", entry.ordinal ? Json(*entry.ordinal) : Json()}, {"finding", null_where_empty(entry.why)}};
}

}  // namespace

std::string device_table(const ProbeReport& report, bool colors) {
    const Painter painter(colors);
    std::vector<std::string> sections;
    if (report.reason != Reason::none) {
        sections.push_back(verdict(report, painter));
    }
    sections.push_back(driver_lines(report));
    if (!report.devices.empty()) {
        sections.push_back(device_lines(report, painter));
    }
    if (report.reason != Reason::none) {
        sections.push_back("What was looked at:\n" + evidence_lines(report));
    }
    std::string text;
    for (const auto& section : sections) {
        text += (text.empty() || section.empty() ? "" : "\n") + section;
    }
    return text;
}

std::string device_json(const ProbeReport& report) {
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    Json json = {{"schema", json_schema},
                 {"reason", reason_json(report.reason, report.explanation)},
                 {"driver", driver_json(report)},
                 {"cuda_visible_devices", visible == nullptr ? Json() : Json(visible)}};
    json["visible_devices"] = Json::array();
    for (const auto& entry : report.visible_devices.entries) json["visible_devices"].push_back(visible_entry(entry));
    json["devices"] = Json::array();
    for (const auto& device : report.devices) json["devices"].push_back(device_entry(device));
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
