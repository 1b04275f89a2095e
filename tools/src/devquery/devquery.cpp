#include <unistd.h>

#include <cstdlib>
#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <optional>
#include <string_view>

#include "devquery/device_report.hpp"
#include "doctor/doctor_command.hpp"
#include "doctor/driver_answer.hpp"
#include "program/careful_loading.hpp"
#include "program/outcome.hpp"

namespace {

/// Follows https://no-color.org; no colours unless stdout is a terminal that supports escapes.
bool wants_colors() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string_view(value == nullptr ? "" : value);
    };
    return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace

int main(int argc, char** argv) {
    using namespace cupool;
    if (const auto status = tools::try_library_if_asked(argc, argv)) return *status;
    if (const auto status = tools::answer_for_driver_if_asked(argc, argv)) return *status;
    return tools::run_tool("devquery", [&]() -> tools::Outcome {
        CLI::App app("Says what GPUs this host has for CUDA, and if none can be used, why.", "devquery");
        bool json = false;
        bool verbose = false;
        app.add_flag("--json", json, "print JSON, as docs/devquery.md describes it");
        app.add_flag("--verbose", verbose, "also log to stderr what is done");
        app.set_version_flag("--version", "devquery " CUPOOL_VERSION);
        app.footer("Exit codes: 0 every GPU is usable, 10 to 17 none is and why, 18 some are; 2 usage.");
        std::optional<tools::Outcome> doctor;
        tools::add_doctor(app, doctor);
        const auto text = tools::parse_command_line(app, argc, argv);
        if (!text.empty()) return {text};
        if (doctor) return *doctor;
        if (verbose) set_log_level(LogLevel::debug);
        const auto report = probe(tools::careful_options());
        return {json ? tools::device_json(report) : tools::device_table(report, wants_colors()), static_cast<int>(report.reason)};
    });
}
