#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <memory>

#include "devquery/device_report.hpp"
#include "devquery/verbs.hpp"
#include "program/careful_loading.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {

void add_device_list(CLI::App& app, Outcome& outcome) {
    struct Options {
        bool json = false;
        bool verbose = false;
    };
    const auto options = std::make_shared<Options>();
    app.add_flag("--json", options->json, "print JSON, as docs/devquery.md describes it");
    app.add_flag("--verbose", options->verbose, "also log to stderr what is done");
    app.callback([options, &app, &outcome] {
        if (!app.get_subcommands().empty()) return;
        if (options->verbose) set_log_level(LogLevel::debug);
        const auto report = probe(careful_options());
        outcome = {options->json ? device_json(report) : device_table(report, wants_colors()), static_cast<int>(report.reason)};
    });
}

}  // namespace cupool::tools
