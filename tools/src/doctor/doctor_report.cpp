#include "doctor/doctor_report.hpp"

#include <algorithm>
#include <cupool/driver/printable_text.hpp>

#include "doctor/checks/host_view.hpp"
#include "doctor/diagnosis.hpp"
#include "io/report_json.hpp"

namespace cupool::tools {
namespace {

constexpr int json_schema = 1;

std::size_t usable_count(const HostSnapshot& host) {
    if (!works(host)) return 0;
    const auto& devices = host.driver.devices;
    return static_cast<std::size_t>(std::count_if(devices.begin(), devices.end(), is_usable));
}

std::string usable_words(const HostSnapshot& host) {
    if (host.driver.outcome == "not asked") return "the driver was not asked";
    const auto listed = works(host) ? host.driver.devices.size() : 0;
    if (listed == 0) return "no GPU is listed";
    return std::to_string(usable_count(host)) + " of " + std::to_string(listed) + " listed GPUs can be used";
}

std::string verdict(const HostSnapshot& host, const std::vector<Finding>& findings) {
    const auto simulated = host.driver.simulated ? " (cupool's simulated driver: these devices are not real)" : "";
    if (!has_trouble(findings)) return "Nothing wrong was found: " + usable_words(host) + "." + simulated + "\n";
    const auto reason = reason_of(host, findings);
    return "Something is wrong: " + usable_words(host) + simulated + "; reason " + std::to_string(static_cast<int>(reason)) + " (" +
           std::string(to_string(reason)) + ").\n";
}

std::string finding_text(const Finding& finding, std::size_t number) {
    auto text = "\n" + std::to_string(number) + ". " + printable_text(finding.cause) + "\n";
    text += "   fix       " + printable_text(finding.fix) + "\n";
    for (std::size_t i = 0; i < finding.evidence.size(); ++i)
        text += (i == 0 ? "   evidence  " : "             ") + printable_text(finding.evidence[i]) + "\n";
    if (!finding.as_root.empty()) text += "   as root   " + printable_text(finding.as_root) + "\n";
    return text + "   " + to_string(finding.confidence) + ", " + finding.id + "\n";
}

Json finding_json(const Finding& finding) {
    return {{"id", finding.id},
            {"cause", finding.cause},
            {"fix", finding.fix},
            {"confidence", to_string(finding.confidence)},
            {"reason", {{"code", static_cast<int>(finding.reason)}, {"name", to_string(finding.reason)}}},
            {"evidence", finding.evidence},
            {"as_root", finding.as_root.empty() ? Json() : Json(finding.as_root)},
            {"may_follow", finding.may_follow}};
}

}  // namespace

std::string doctor_text(const HostSnapshot& host, const std::vector<Finding>& findings) {
    auto text = verdict(host, findings);
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (findings[i].may_follow && !findings[i - 1].may_follow) text += "\nThese may be consequences of 1:\n";
        text += finding_text(findings[i], i + 1);
    }
    return text;
}

std::string doctor_json(const HostSnapshot& host, const std::vector<Finding>& findings) {
    const auto reason = reason_of(host, findings);
    Json json = {{"schema", json_schema},
                 {"healthy", !has_trouble(findings)},
                 {"reason", {{"code", static_cast<int>(reason)}, {"name", to_string(reason)}}},
                 {"driver_asked", host.driver.outcome != "not asked"},
                 {"simulated", host.driver.simulated},
                 {"devices", works(host) ? host.driver.devices.size() : 0},
                 {"usable_devices", usable_count(host)},
                 {"findings", Json::array()}};
    for (const auto& finding : findings) json["findings"].push_back(finding_json(finding));
    constexpr int indent = 2;
    return json_text(json, indent);
}

}  // namespace cupool::tools
