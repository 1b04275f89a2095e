#pragma once

#include <cupool/kernels/run_report.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace cupool::tools {

/// JSON whose members stay in the order they were given in.
using Json = nlohmann::ordered_json;

/// The text of a JSON document: UTF-8, whatever the names of files and devices in it are. Bytes that are no UTF-8 become U+FFFD.
/// \param indent  of each level; -1 for all on one line
inline std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// Where a job ran and how long it took: the members that every command's output has.
inline void add_report(Json& json, const RunReport& report) {
    json["engine"] = to_string(report.engine);
    json["devices"] = report.devices;
    json["ms"] = report.milliseconds;
}

}  // namespace cupool::tools
