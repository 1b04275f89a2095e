#pragma once

#include <cupool/kernels/run_report.hpp>
#include <nlohmann/json.hpp>

namespace cupool::tools {

/// JSON whose members stay in the order they were given in.
using Json = nlohmann::ordered_json;

/// Where a job ran and how long it took: the members that every command's output has.
inline void add_report(Json& json, const RunReport& report) {
    json["engine"] = to_string(report.engine);
    json["devices"] = report.devices;
    json["ms"] = report.milliseconds;
}

}  // namespace cupool::tools
