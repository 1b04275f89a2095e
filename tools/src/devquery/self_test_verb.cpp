#include <algorithm>
#include <memory>

#include "devquery/device_selection.hpp"
#include "devquery/self_test_report.hpp"
#include "devquery/verbs.hpp"
#include "options/seconds_option.hpp"
#include "options/size_option.hpp"
#include "program/careful_loading.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {
namespace {

struct Options {
    std::vector<int> devices;
    SelfTestOptions test;
    bool json = false;
};

Outcome run(const Options& options) {
    const auto report = probe(careful_options());
    if (options.json && report.usable_device_count() == 0) return {self_test_json({}, report), static_cast<int>(report.reason)};
    const auto results = run_self_tests(report.driver, selected_devices(report, options.devices), options.test);
    const bool passed = std::all_of(results.begin(), results.end(), [](const DeviceSelfTest& result) { return result.passed(); });
    return {options.json ? self_test_json(results, report) : self_test_table(results, {wants_colors(), output_columns()}),
            passed ? ExitCode::done : ExitCode::failed};
}

}  // namespace

void add_self_test_verb(CLI::App& app, Outcome& outcome) {
    constexpr std::size_t least_bytes = 4;
    constexpr std::size_t most_bytes = std::size_t{1} << 44;
    constexpr double most_seconds = 1e7;
    const auto options = std::make_shared<Options>();
    auto& verb = *app.add_subcommand("selftest", "tests memory and results of each GPU");
    add_devices_option(verb, options->devices);
    auto* const memory = verb.add_option("--memory", options->test.memory_bytes,
                                         "bytes of memory to test, such as 8G; by default a quarter of what is free");
    require_size(*memory, least_bytes, most_bytes);
    auto* const seconds =
        verb.add_option("--seconds", options->test.seconds, "burn-in: repeat the tests of each GPU for so long, or until one fails");
    require_seconds(*seconds, 0, most_seconds);
    verb.add_flag("--json", options->json, "print JSON, as docs/devquery.schema.json describes it");
    verb.footer("Example: devquery selftest --devices 0 --seconds 600\nExit codes: 0 every GPU passed, 1 one failed.");
    verb.callback([options, &outcome] { outcome = run(*options); });
}

}  // namespace cupool::tools
