#include "devquery/self_test_report.hpp"

#include <cupool/driver/printable_text.hpp>

#include "devquery/verb_json.hpp"
#include "io/painter.hpp"
#include "io/size_text.hpp"
#include "io/text_table.hpp"

namespace cupool::tools {
namespace {

std::string outcome_text(const SelfTestResult& test, const Painter& painter) {
    if (!test.passed()) return painter.bad("failed");
    return test.runs == 0 ? "not run" : painter.good("passed");
}

Json test_json(const SelfTestResult& test) {
    return {{"name", test.name},
            {"runs", test.runs},
            {"passed", test.runs == 0 ? Json() : Json(test.passed())},
            {"finding", test.finding.empty() ? Json() : Json(test.finding)}};
}

}  // namespace

std::string self_test_table(const std::vector<DeviceSelfTest>& results, const TableStyle& style) {
    const Painter painter(style.colors);
    TextTable table({{"GPU", 0}, {"name", 2}, {"memory tested", 1}, {"memory", 0}, {"reduction", 0}, {"MSM", 0}});
    std::string findings;
    for (const auto& result : results) {
        const auto gpu = std::to_string(result.device.ordinal);
        std::vector<std::string> row = {gpu, printable_text(result.device.name), size_text(result.memory_bytes)};
        for (const auto& test : result.tests) {
            row.push_back(outcome_text(test, painter));
            if (!test.passed()) findings += "GPU " + gpu + ", " + test.name + ": " + printable_text(test.finding) + '\n';
        }
        table.add_row(std::move(row));
    }
    return table.text(style.width) + findings;
}

std::string self_test_json(const std::vector<DeviceSelfTest>& results, const ProbeReport& report) {
    auto json = verb_json("selftest", report);
    json["devices"] = Json::array();
    for (const auto& result : results) {
        Json device = {{"ordinal", result.device.ordinal},
                       {"name", result.device.name},
                       {"uuid", result.device.uuid.empty() ? Json() : Json(result.device.uuid)},
                       {"passed", result.passed()},
                       {"memory_bytes", result.memory_bytes},
                       {"tests", Json::array()}};
        for (const auto& test : result.tests) device["tests"].push_back(test_json(test));
        json["devices"].push_back(std::move(device));
    }
    return json_text(json, 2);
}

}  // namespace cupool::tools
