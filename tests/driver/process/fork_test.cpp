#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <thread>
#include <vector>

#include "child_process.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// The exit code of a forked child that runs the function.
template <class Function>
int in_forked_child(Function&& function) {
    const pid_t child = ::fork();
    if (child == 0) {
        int code = 100;
        try {
            code = function();
        } catch (...) {
            code = 101;
        }
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

template <class Function>
bool is_refused(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.category() == ErrorCategory::forked;
    }
    return false;
}

}  // namespace

TEST_CASE("a child forked from a process that has initialised the driver is told so") {
    Machine machine;
    {
        const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
        std::optional<DeviceBuffer<int>> buffer(std::in_place, 10, context);
        const Stream stream(context.context());

        SECTION("by every call, and by the probe") {
            const int code = in_forked_child([&] {
                if (!is_refused([&] { DeviceBuffer<int>(10, context); })) return 1;
                if (!is_refused([&] { stream.synchronize(); })) return 2;
                if (!is_refused([&] { device_count(*machine.driver); })) return 3;
                LoadOptions options;
                options.library_path = CUPOOL_SIMULATOR_LIBRARY;
                const ProbeReport report = probe(options);
                if (!report.forked || report.usable_device_count() != 0) return 4;
                if (report.error().category() != ErrorCategory::forked) return 5;
                return 0;
            });
            CHECK(code == 0);
        }
        SECTION("and its destructors call nothing") {
            const int code = in_forked_child([&] {
                const std::uint64_t before = machine.simulator.call_count();
                buffer.reset();
                return machine.simulator.call_count() == before ? 0 : 1;
            });
            CHECK(code == 0);
        }
        // The parent goes on.
        CHECK_NOTHROW(stream.synchronize());
    }
}

TEST_CASE("who forks before the driver is initialised can use it on both sides") {
    for (const char* task : {"fork-before-load", "fork-before-init"}) {
        const Finished child = run_child({task}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
        INFO(task << ": " << child.output);
        CHECK(child.exit_code == 0);
        CHECK(child.output.empty());
    }
}

TEST_CASE("a daemon works if it became one before the driver was initialised, and is told so if after") {
    const Finished early = run_child({"daemonise-early"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    CHECK(early.output == "daemon: works\n");
    const Finished late = run_child({"daemonise-late"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    CHECK_THAT(late.output, contains_text("this process was forked from one that had initialised the driver"));
    CHECK_THAT(late.output, contains_text("daemon: is refused\n"));
    CHECK(late.output.find("was called after its end") == std::string::npos);
}

TEST_CASE("a child that is forked while other threads log can log") {
    if (is_sanitized) CUPOOL_SKIP(sanitizer_and_forks);
    set_log_callback([](LogLevel, std::string_view) {});
    set_log_level(LogLevel::info);
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&done] {
            while (!done) detail::log(LogLevel::info, "a line");
        });
    }
    int failures = 0;
    for (int i = 0; i < 200; ++i) {
        const int code = in_forked_child([] {
            ::alarm(10);  // ends the child where it hangs
            detail::log(LogLevel::info, "a line of the child's");
            return 0;
        });
        if (code != 0) {
            ++failures;
            break;
        }
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
    set_log_level(LogLevel::off);
    set_log_callback({});
}
