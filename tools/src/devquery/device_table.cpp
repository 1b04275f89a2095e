#include "devquery/device_table.hpp"

#include <cstdlib>
#include <cupool/driver/printable_text.hpp>
#include <string_view>
#include <vector>

#include "devquery/device_text.hpp"
#include "io/painter.hpp"
#include "io/size_text.hpp"
#include "io/text_table.hpp"

namespace cupool::tools {
namespace {

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

std::string clock_text(const std::optional<int>& khz) { return khz ? std::to_string(*khz / 1000) + " MHz" : "?"; }

std::string ecc_text(const std::optional<bool>& enabled) {
    if (!enabled) return "?";
    return *enabled ? "on" : "off";
}

std::string memory_cell(const ProbedDevice& device, const DeviceDetails& details) {
    const auto total = size_text(device.total_memory);
    return details.free_memory ? size_text(*details.free_memory) + " of " + total : total;
}

TextTable::Column memory_column(const DeviceReport& report) { return {report.has_all ? "memory free" : "memory", 0}; }

std::string device_rows(const DeviceReport& report, const Painter& painter, std::size_t width) {
    TextTable table({{"GPU", 0},
                     {"name", 0},
                     {"PCI address", 4},
                     memory_column(report),
                     {"SMs", 3},
                     {"clock", 6},
                     {"capability", 2},
                     {"compute mode", 5},
                     {"ECC", 7},
                     {"NUMA", 8},
                     {"usable", 0}});
    for (std::size_t i = 0; i < report.probe.devices.size(); ++i) {
        const auto& device = report.probe.devices[i];
        const auto& details = report.details[i];
        table.add_row({std::to_string(device.ordinal), printable_text(device.name), printable_text(device.pci_bus_id),
                       memory_cell(device, details), std::to_string(device.multiprocessor_count), clock_text(details.clock_khz),
                       compute_capability(device), compute_mode_name(device.compute_mode), ecc_text(details.ecc_enabled),
                       details.numa_node ? std::to_string(*details.numa_node) : "-",
                       device.usable() ? painter.good("yes") : painter.bad("no")});
    }
    return table.text(width);
}

std::string device_lines(const DeviceReport& report, const Painter& painter, std::size_t width) {
    auto lines = device_rows(report, painter, width);
    for (const auto& device : report.probe.devices) {
        const auto gpu = "GPU " + std::to_string(device.ordinal);
        if (!device.uuid.empty()) lines += gpu + (device.is_mig_instance ? " is the MIG instance " : " has the UUID ") + device.uuid + '\n';
        if (!device.usable()) lines += gpu + " cannot be used: " + printable_text(device.explanation) + '\n';
    }
    return lines;
}

std::string implausible_lines(const DeviceReport& report) {
    std::string lines = "Answers of the driver that cannot be true:\n";
    for (const auto& finding : report.implausible) lines += "  " + finding + '\n';
    return lines;
}

std::string attribute_lines(const ProbedDevice& device, const DeviceDetails& details) {
    std::string lines = "Attributes of GPU " + std::to_string(device.ordinal) + ":\n";
    for (const auto& [name, value] : details.attributes)
        lines += "  " + std::string(name) + ' ' + (value ? std::to_string(*value) : "unknown to this driver") + '\n';
    return lines;
}

std::string missing_lines(const DeviceReport& report) {
    if (report.missing_entry_points.empty()) return "The driver has every entry point that cupool knows.\n";
    std::string lines = "Entry points that the driver lacks:\n";
    for (const auto& [name, since] : report.missing_entry_points) lines += "  " + name + " (CUDA " + cuda_version_text(since) + ")\n";
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

}  // namespace

std::string device_table(const DeviceReport& report, const TableStyle& style) {
    const Painter painter(style.colors);
    const auto& probe = report.probe;
    std::vector<std::string> sections;
    if (probe.reason != Reason::none) sections.push_back(verdict(probe, painter));
    sections.push_back(driver_lines(probe));
    if (!probe.devices.empty()) sections.push_back(device_lines(report, painter, style.width));
    if (!report.implausible.empty()) sections.push_back(implausible_lines(report));
    if (probe.reason != Reason::none) sections.push_back("What was looked at:\n" + evidence_lines(probe));
    if (report.has_all) {
        for (std::size_t i = 0; i < probe.devices.size(); ++i) sections.push_back(attribute_lines(probe.devices[i], report.details[i]));
        sections.push_back(missing_lines(report));
    }
    std::string text;
    for (const auto& section : sections) text += (text.empty() || section.empty() ? "" : "\n") + section;
    return text;
}

}  // namespace cupool::tools
