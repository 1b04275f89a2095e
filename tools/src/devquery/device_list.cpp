#include "devquery/device_list.hpp"

#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <memory>

#include "devquery/device_csv.hpp"
#include "devquery/device_json.hpp"
#include "devquery/list_process.hpp"
#include "devquery/verbs.hpp"
#include "program/careful_loading.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {
namespace {

struct Flags {
    bool all = false;
    bool csv = false;
    bool json = false;
    bool verbose = false;
};

ListOptions options_of(const Flags& flags) {
    ListOptions options;
    options.all = flags.all;
    if (flags.json) options.format = ListFormat::json;
    if (flags.csv) options.format = ListFormat::csv;
    options.style = {wants_colors(), output_columns()};
    return options;
}

std::string list_text(const DeviceReport& report, const ListOptions& options) {
    if (options.format == ListFormat::json) return device_json(report);
    if (options.format == ListFormat::csv) return device_csv(report);
    return device_table(report, options.style);
}

Outcome list_of(const Flags& flags) {
    const ListOptions options = options_of(flags);
    if (flags.verbose) {
        set_log_level(LogLevel::debug);  // of this process
    } else if (auto outcome = list_in_child(options)) {
        return std::move(*outcome);
    }
    return list_devices(options, careful_options());
}

}  // namespace

Outcome list_devices(const ListOptions& options, const LoadOptions& load) {
    const auto report = complete_report(probe(load), options.all);
    return {list_text(report, options), static_cast<int>(report.probe.reason)};
}

void add_device_list(CLI::App& app, Outcome& outcome) {
    const auto flags = std::make_shared<Flags>();
    app.add_flag("--all", flags->all, "also free memory, every attribute, and the entry points that the driver lacks");
    auto* const json = app.add_flag("--json", flags->json, "print JSON, as docs/devquery.md describes it");
    app.add_flag("--csv", flags->csv, "print CSV: a header and one row for each GPU")->excludes(json);
    app.add_flag("--verbose", flags->verbose, "also log to stderr what is done");
    app.parse_complete_callback([flags, &app] {
        const bool has_option = flags->all || flags->csv || flags->json || flags->verbose;
        if (has_option && !app.get_subcommands().empty())
            throw UsageError("options before a verb are those of the list: write the verb's own after it, as in devquery topo --json");
    });
    app.callback([flags, &app, &outcome] {
        if (app.get_subcommands().empty()) outcome = list_of(*flags);
    });
}

}  // namespace cupool::tools
