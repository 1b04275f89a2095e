// What some tests need a process of its own for.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/library_trial.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/probe.hpp>
#include <cupool/driver/profiler_range.hpp>
#include <cupool/simulator/simulator.hpp>
#include <iostream>
#include <optional>

#include "loading/damaged_library.hpp"
#include "process/choose_devices.hpp"
#include "process/lives.hpp"
#include "process/scarce_memory.hpp"

namespace {

using namespace cupool;

/// Of all the driver's functions, so far.
std::uint64_t driver_calls() {
    static const auto count = reinterpret_cast<decltype(&cupoolSimCallCountOfAll)>(
        dlsym(dlopen(CUPOOL_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL), "cupoolSimCallCountOfAll"));
    return count();
}

// Static objects are destroyed in the reverse order of their construction; this one is the last.
struct Watcher {
    ~Watcher() {
        if (armed && driver_calls() != calls_until_the_driver_ends) {
            std::cout << "the driver was called after its end" << std::endl;
            std::_Exit(1);
        }
    }
    bool armed = false;
    std::uint64_t calls_until_the_driver_ends = 0;
} watcher;

// Constructed right after cuInit: destroyed after everything that may still call the driver.
struct Marker {
    ~Marker() {
        watcher.armed = true;
        watcher.calls_until_the_driver_ends = driver_calls();
    }
};

// Constructed before the driver is initialised, filled after: destroyed when the driver may be gone.
std::optional<DeviceContext> static_context;
std::optional<DeviceBuffer<int>> static_buffer;
std::optional<PinnedBuffer<int>> static_pinned;
std::optional<Stream> static_stream;
std::optional<Event> static_event;
std::optional<Module> static_module;

int hold_static_objects() {
    static_context = DeviceContext::default_for_device(0);
    static const Marker marker;
    static_stream.emplace(static_context->context());
    static_event.emplace(static_context->context());
    static_buffer.emplace(1000, static_context->with_stream(*static_stream));
    static_pinned.emplace(1000, static_context->context());
    static_module.emplace(static_context->context(),
                          ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n");
    // This buffer is constructed after cuInit, so it is destroyed while the driver still works, and freed.
    static const DeviceBuffer<int> late(1000, *static_context);
    return 0;
}

int print_probe(const LoadOptions& options = {}) {
    const ProbeReport report = probe(options);
    std::cout << to_string(report.reason) << '\n' << report.library.library_path << '\n';
    for (const LoadAttempt& attempt : report.library.attempts)
        std::cout << attempt.path << " (" << attempt.source << "): " << attempt.finding << '\n';
    return static_cast<int>(report.reason);
}

int print_careful_probe(std::chrono::milliseconds patience) {
    LoadOptions options;
    options.trial_patience = patience;
    options.trial_command = {"/proc/self/exe", "try-library"};
    return print_probe(options);
}

/// The same where this user may have no further process.
int print_careful_probe_alone() {
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) return 1;
    return print_careful_probe(LoadOptions().trial_patience);
}

/// Runs a program as a user who owns nothing.
int run_unprivileged(char** arguments) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 1;
    ::execv(arguments[0], arguments);
    return 1;
}

int load_then_probe(const char* path) {
    if (::dlopen(path, RTLD_NOW | RTLD_LOCAL) == nullptr) return 1;
    return print_probe();
}

int open_unprivileged(const char* path) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 1;
    LoadOptions options;
    options.library_path = path;
    const auto driver = Driver::try_open(options);
    std::cout << (driver ? "opened" : driver.error().what()) << '\n';
    return driver ? 0 : static_cast<int>(driver.error().reason().value_or(Reason::none));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string task = argc > 1 ? argv[1] : "";
    if (task == "statics") return hold_static_objects();
    if (task == "probe") return print_probe();
    if (task == "tear-down" && argc > 2) return test::tear_down(argv[2]);
    if (task == "exit-during-kernel") return test::exit_during_kernel();
    if (task == "fork-before-load" || task == "fork-before-init") return test::fork_early(task == "fork-before-init");
    if (task == "daemonise-early" || task == "daemonise-late") return test::daemonise(task == "daemonise-late");
    if (task == "plugin" && argc > 2) return test::use_plugin(argv[2]);
    if (task == "first-use") return test::first_use();
    if (task == "probe-out-of-memory") return test::probe_out_of_memory();
    if (task == "profiler-range") {
        const ProfilerRange range("range");
        return 0;
    }
    if (task == "careful-probe")
        return print_careful_probe(argc > 2 ? std::chrono::milliseconds(std::atoi(argv[2])) : LoadOptions().trial_patience);
    if (task == "careful-probe-alone") return print_careful_probe_alone();
    if (task == "try-library" && argc > 2) return try_library(argv[2]);
    if (task == "open-damaged" && argc > 4) return test::open_damaged(argv[2], std::strtoull(argv[3], nullptr, 10), std::atoi(argv[4]));
    if (task == "run-unprivileged" && argc > 2) return run_unprivileged(argv + 2);
    if (task == "load-then-probe" && argc > 2) return load_then_probe(argv[2]);
    if (task == "choose-devices") return test::choose_devices();
    if (task == "open-unprivileged" && argc > 2) return open_unprivileged(argv[2]);
    return 2;
}
