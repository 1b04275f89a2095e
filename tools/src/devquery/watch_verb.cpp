#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cupool/driver/printable_text.hpp>
#include <memory>
#include <sstream>

#include "devquery/device_selection.hpp"
#include "devquery/verbs.hpp"
#include "devquery/watch_report.hpp"
#include "io/text_table.hpp"
#include "options/seconds_option.hpp"
#include "program/careful_loading.hpp"
#include "program/interruption.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::vector<int> devices;
    double interval = 1;
    int count = 0;  ///< 0: until it is interrupted
    bool json = false;
};

void write_now(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw std::runtime_error("the output cannot be written to stdout");
}

/// The lines that a text takes on the terminal, which breaks long ones.
std::size_t lines_on_terminal(const std::string& text) {
    const auto width = output_columns();
    std::istringstream stream(text);
    std::size_t lines = 0;
    for (std::string line; std::getline(stream, line);) {
        const auto length = displayed_width(line);
        lines += width == 0 || length == 0 ? 1 : (length + width - 1) / width;
    }
    return lines;
}

/// Prints samples and events: on a terminal each sample takes the place of the one before, elsewhere it follows it.
class WatchScreen {
public:
    WatchScreen(const ProbeReport& report, bool json) : report_(report), json_(json), is_terminal_(::isatty(STDOUT_FILENO) == 1 && !json) {}

    void show(const std::vector<DeviceSample>& samples, const std::string& finding) {
        if (json_) {
            write_now(watch_json(samples, finding, report_));
            return;
        }
        auto text = watch_time() + '\n' + watch_table(samples, output_columns());
        if (!finding.empty()) text += "Only memory is known, without NVML: " + printable_text(finding) + '\n';
        if (lines_ != 0) {
            write_now("\033[" + std::to_string(lines_) + "A\033[J" + text);
        } else {
            write_now((is_first_ ? "" : "\n") + text);
        }
        lines_ = is_terminal_ ? lines_on_terminal(text) : 0;
        is_first_ = false;
    }

    void show(const DeviceXid& xid) {
        write_now(json_ ? watch_xid_json(xid, report_) : watch_xid_line(xid));
        lines_ = 0;  // the event stays on the screen
    }

private:
    const ProbeReport& report_;
    bool json_;
    bool is_terminal_;
    bool is_first_ = true;
    std::size_t lines_ = 0;  ///< of the sample that the next one replaces
};

/// Shows events until it is time, in short waits, so that a signal ends it soon.
void wait_until(Clock::time_point end, WatchedDevices& devices, WatchScreen& screen) {
    constexpr std::chrono::milliseconds longest_wait{50};
    while (!is_interrupted() && Clock::now() < end) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        if (const auto xid = devices.wait(std::clamp(left, std::chrono::milliseconds(0), longest_wait))) screen.show(*xid);
    }
}

Outcome run(const Options& options) {
    const auto report = probe(careful_options());
    if (options.json && report.usable_device_count() == 0)
        return {watch_json({}, "not asked, as no GPU can be used", report), static_cast<int>(report.reason)};
    WatchedDevices devices(report, selected_devices(report, options.devices));
    end_on_signals();
    WatchScreen screen(report, options.json);
    const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.interval));
    bool is_good = true;
    auto next = Clock::now();
    for (int shown = 0; !is_interrupted();) {
        const auto samples = devices.sample();
        screen.show(samples, devices.management_finding());
        is_good = std::all_of(samples.begin(), samples.end(), [](const DeviceSample& sample) { return sample.failure.empty(); });
        if (++shown == options.count) break;
        next = std::max(next + interval, Clock::now());  // without a burst after a stop
        wait_until(next, devices, screen);
    }
    return {{}, is_good ? ExitCode::done : ExitCode::failed};
}

}  // namespace

void add_watch_verb(CLI::App& app, Outcome& outcome) {
    constexpr double shortest_interval = 0.05;
    constexpr double longest_interval = 86400;
    constexpr int most_samples = 1000000000;
    const auto options = std::make_shared<Options>();
    auto& verb = *app.add_subcommand("watch", "memory of the GPUs again and again; by NVML also load, power, ECC and Xid errors");
    add_devices_option(verb, options->devices);
    require_seconds(*verb.add_option("--interval", options->interval, "from one sample to the next; the default is 1"), shortest_interval,
                    longest_interval);
    verb.add_option("--count", options->count, "end after so many samples; by default on Ctrl-C")
        ->check(CLI::Range(1, most_samples).description(""))
        ->type_name("N");
    verb.add_flag("--json", options->json, "print one JSON object a line, as docs/devquery.schema.json describes it");
    verb.footer("Example: devquery watch --interval 5\nExit codes: 0 ended by Ctrl-C or --count, 1 the memory of a GPU is unknown.");
    verb.callback([options, &outcome] { outcome = run(*options); });
}

}  // namespace cupool::tools
