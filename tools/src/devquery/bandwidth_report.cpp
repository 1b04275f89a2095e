#include "devquery/bandwidth_report.hpp"

#include <cstdio>
#include <cupool/driver/printable_text.hpp>

#include "devquery/verb_json.hpp"
#include "io/text_table.hpp"

namespace cupool::tools {
namespace {

constexpr double bytes_of_gigabyte = 1e9;
constexpr double microseconds_of_second = 1e6;

std::string place(const std::optional<int>& ordinal) { return ordinal ? "GPU " + std::to_string(*ordinal) : "host"; }

std::string path_text(const CopyPath& path) {
    if (path.from && path.from == path.to) return "within " + place(path.from);
    return place(path.from) + (path.is_both_ways ? " <-> " : " -> ") + place(path.to);
}

std::string medium_text(const CopyPath& path) {
    if (path.is_direct) return *path.is_direct ? "direct" : "through host";
    return path.memory.empty() ? "-" : path.memory;
}

std::string spread_text(const Spread& spread, double scale) {
    char text[64];
    std::snprintf(text, sizeof text, "%.1f to %.1f", spread.least * scale, spread.most * scale);
    return text;
}

std::string median_text(const Spread& spread, double scale, const char* unit) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f %s", spread.median * scale, unit);
    return text;
}

std::string data_text(const CopyMeasurement& measurement) {
    if (!measurement.failure.empty()) return "failed: " + printable_text(measurement.failure);
    return measurement.is_verified ? "correct" : "WRONG";
}

std::vector<std::string> row_of(const CopyMeasurement& measurement) {
    std::string median = "-";
    std::string range = "-";
    if (measurement.bytes_per_second) {
        median = median_text(*measurement.bytes_per_second, 1 / bytes_of_gigabyte, "GB/s");
        range = spread_text(*measurement.bytes_per_second, 1 / bytes_of_gigabyte);
    } else if (measurement.seconds) {
        median = median_text(*measurement.seconds, microseconds_of_second, "us");
        range = spread_text(*measurement.seconds, microseconds_of_second);
    }
    return {path_text(measurement.path), medium_text(measurement.path), measurement.path.engine, median, range, data_text(measurement)};
}

Json spread_json(const std::optional<Spread>& spread, double scale) {
    if (!spread) return {};
    return {{"median", spread->median * scale}, {"min", spread->least * scale}, {"max", spread->most * scale}};
}

Json ordinal_json(const std::optional<int>& ordinal) { return ordinal ? Json(*ordinal) : Json(); }

Json text_json(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json measurement_json(const CopyMeasurement& measurement) {
    const auto& path = measurement.path;
    return {{"from", ordinal_json(path.from)},
            {"to", ordinal_json(path.to)},
            {"host_memory", text_json(path.memory)},
            {"engine", path.engine},
            {"both_ways", path.is_both_ways},
            {"direct", path.is_direct ? Json(*path.is_direct) : Json()},
            {"gigabytes_per_s", spread_json(measurement.bytes_per_second, 1 / bytes_of_gigabyte)},
            {"latency_us", spread_json(measurement.seconds, microseconds_of_second)},
            {"verified", measurement.is_verified},
            {"failure", text_json(measurement.failure)}};
}

}  // namespace

std::string bandwidth_table(const std::vector<CopyMeasurement>& measurements, const BandwidthOptions& options, std::size_t width) {
    TextTable table({{"copy", 0}, {"memory or link", 1}, {"by", 2}, {"median", 0}, {"range", 3}, {"data", 0}});
    for (const auto& measurement : measurements) table.add_row(row_of(measurement));
    return table.text(width) + '\n' + std::to_string(options.bytes) + " bytes each, " + std::to_string(options.runs) +
           (options.runs == 1 ? " run" : " runs") + "; <-> counts both ways together; us: 4 bytes, awaited.\n";
}

std::string bandwidth_json(const std::vector<CopyMeasurement>& measurements, const BandwidthOptions& options, const ProbeReport& report) {
    auto json = verb_json("bw", report);
    json["bytes"] = options.bytes;
    json["runs"] = options.runs;
    json["measurements"] = Json::array();
    for (const auto& measurement : measurements) json["measurements"].push_back(measurement_json(measurement));
    return json_text(json, 2);
}

}  // namespace cupool::tools
