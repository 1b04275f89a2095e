#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <memory>

#include "devquery/device_csv.hpp"
#include "devquery/device_json.hpp"
#include "devquery/device_table.hpp"
#include "devquery/verbs.hpp"
#include "program/careful_loading.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {
namespace {

struct Options {
    bool all = false;
    bool csv = false;
    bool json = false;
    bool verbose = false;
};

std::string list_text(const DeviceReport& report, const Options& options) {
    if (options.json) return device_json(report);
    if (options.csv) return device_csv(report);
    return device_table(report, {wants_colors(), output_columns()});
}

}  // namespace

void add_device_list(CLI::App& app, Outcome& outcome) {
    const auto options = std::make_shared<Options>();
    app.add_flag("--all", options->all, "also free memory, every attribute, and the entry points that the driver lacks");
    auto* const json = app.add_flag("--json", options->json, "print JSON, as docs/devquery.md describes it");
    app.add_flag("--csv", options->csv, "print CSV: a header and one row for each GPU")->excludes(json);
    app.add_flag("--verbose", options->verbose, "also log to stderr what is done");
    app.parse_complete_callback([options, &app] {
        const bool has_option = options->all || options->csv || options->json || options->verbose;
        if (has_option && !app.get_subcommands().empty())
            throw UsageError("options before a verb are those of the list: write the verb's own after it, as in devquery topo --json");
    });
    app.callback([options, &app, &outcome] {
        if (!app.get_subcommands().empty()) return;
        if (options->verbose) set_log_level(LogLevel::debug);
        const auto report = complete_report(probe(careful_options()), options->all);
        outcome = {list_text(report, *options), static_cast<int>(report.probe.reason)};
    });
}

}  // namespace cupool::tools
