#pragma once

#include <cupool/kernels/run_report.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace cupool::tools {

/// JSON that keeps the order of members.
using Json = nlohmann::ordered_json;

/// The text of a JSON document, in ASCII whatever the names of files and devices in it contain:
/// other characters are escaped, because a terminal obeys some of them, and invalid bytes become
/// U+FFFD. \param indent  of each level; -1 puts everything on one line
inline std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', true, Json::error_handler_t::replace) + '\n';
}

/// Adds where a job ran and how long it took. The output of every command has these members.
inline void add_report(Json& json, const RunReport& report) {
    json["engine"] = to_string(report.engine);
    json["devices"] = report.devices;
    json["ms"] = report.milliseconds;
}

}  // namespace cupool::tools
