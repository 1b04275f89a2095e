#pragma once

#include <cupool/driver/probe.hpp>
#include <string>

#include "io/report_json.hpp"

namespace cupool::tools {

/// The members that the JSON of every verb begins with.
inline Json verb_json(const std::string& verb, const ProbeReport& report) {
    const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
    Json json;
    json["schema"] = 1;
    json["verb"] = verb;
    json["reason"] = {
        {"code", static_cast<int>(report.reason)}, {"name", to_string(report.reason)}, {"explanation", text(report.explanation)}};
    json["driver"] = {{"library", text(report.library.library_path)},
                      {"cuda_version", report.library.version == 0 ? Json() : Json(cuda_version_text(report.library.version))},
                      {"kernel_driver", text(report.kernel_driver)},
                      {"simulated", report.library.simulated}};
    return json;
}

}  // namespace cupool::tools
