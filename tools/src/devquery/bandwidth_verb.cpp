#include <algorithm>
#include <memory>

#include "devquery/bandwidth_report.hpp"
#include "devquery/device_selection.hpp"
#include "devquery/verbs.hpp"
#include "options/size_option.hpp"
#include "program/careful_loading.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {
namespace {

struct Options {
    std::vector<int> devices;
    BandwidthOptions bandwidth;
    bool json = false;
};

Outcome run(const Options& options) {
    const auto report = probe(careful_options());
    if (options.json && report.usable_device_count() == 0)
        return {bandwidth_json({}, options.bandwidth, report), static_cast<int>(report.reason)};
    const auto devices = selected_devices(report, options.devices);
    std::vector<CopyMeasurement> measurements;
    {
        Progress progress("copies");
        measurements = measure_bandwidth(report, devices, options.bandwidth, progress);
    }
    const bool is_good =
        std::all_of(measurements.begin(), measurements.end(), [](const CopyMeasurement& measurement) { return measurement.is_good(); });
    return {options.json ? bandwidth_json(measurements, options.bandwidth, report)
                         : bandwidth_table(measurements, options.bandwidth, output_columns()),
            is_good ? ExitCode::done : ExitCode::failed};
}

}  // namespace

void add_bandwidth_verb(CLI::App& app, Outcome& outcome) {
    constexpr std::size_t least_bytes = 16;
    constexpr std::size_t most_bytes = std::size_t{1} << 36;
    constexpr int most_runs = 100000;
    const auto options = std::make_shared<Options>();
    auto& verb = *app.add_subcommand("bw", "measures copies: host and GPUs, within a GPU, between all pairs; data are compared");
    add_devices_option(verb, options->devices);
    require_size(*verb.add_option("--size", options->bandwidth.bytes, "bytes of each copy, such as 64M; the default is 256M"), least_bytes,
                 most_bytes);
    verb.add_option("--runs", options->bandwidth.runs, "timed runs of each; the default is 10")
        ->check(CLI::Range(1, most_runs).description(""))
        ->type_name("N");
    verb.add_flag("--json", options->json, "print JSON, as docs/devquery.schema.json describes it");
    verb.footer("Example: devquery bw --devices 0,1 --size 64M\nExit codes: 0 done, 1 a copy failed or its data are wrong.");
    verb.callback([options, &outcome] { outcome = run(*options); });
}

}  // namespace cupool::tools
