#include "loading/library_trial.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "child_process.hpp"
#include "environment_variable.hpp"
#include "files.hpp"
#include "loading/damaged_library.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

const std::vector<std::string> trial{CUPOOL_DRIVER_CHILD, "try-library"};

LoadReport report_of(const std::string& path, const std::vector<std::string>& command = trial) {
    LoadOptions options;
    options.library_path = path;
    options.trial_command = command;
    LoadReport report;
    static_cast<void>(Driver::try_open(options, &report));
    return report;
}

}  // namespace

TEST_CASE("a library that comes through its trial is taken") {
    const Machine machine;
    const LoadReport report = report_of(CUPOOL_SIMULATOR_LIBRARY);
    CHECK(report.reason == Reason::none);
    CHECK(machine.simulator.call_count("cuInit") == 0);  // in this process
    REQUIRE(report.attempts.size() == 1);
    CHECK_THAT(report.attempts[0].finding, contains_text("taken"));
    // What is wrong with a library that harms nobody is found as ever.
    CHECK_THAT(report_of(CUPOOL_STUB_LIBRARY).explanation(), contains_text("stub"));
    CHECK_THAT(report_of(CUPOOL_UNRELATED_LIBRARY).explanation(), contains_text("cuInit"));
}

TEST_CASE("a library that ends the process that loads it ends its trial alone") {
    struct Case {
        const char* deed;
        const char* finding;
    };
    for (const Case& expected : {Case{"crash", "ended by SIGSEGV"}, Case{"abort", "ended by SIGABRT"},
                                 Case{"leave", "ended without having come through"}, Case{"fail", "ended with status 3"}}) {
        const EnvironmentVariable deed("CUPOOL_TEST_FOREIGN", expected.deed);
        const LoadReport report = report_of(CUPOOL_FOREIGN_LIBRARY);
        INFO(expected.deed);
        CHECK(report.reason == Reason::library_unusable);
        CHECK_THAT(report.explanation(), contains_text(expected.finding));
    }
}

TEST_CASE("a library whose cuInit ends the process that calls it ends its trial alone") {
    struct Case {
        const char* deed;
        const char* finding;
    };
    for (const Case& expected : {Case{"crash", "ended by SIGSEGV while it called cuInit"},
                                 Case{"leave", "ended without having come through while it called cuInit"}}) {
        const EnvironmentVariable deed("CUPOOL_TEST_INIT", expected.deed);
        const LoadReport report = report_of(CUPOOL_MISBEHAVING_DRIVER);
        INFO(expected.deed);
        CHECK(report.reason == Reason::library_unusable);
        CHECK_THAT(report.explanation(), contains_text(expected.finding));
    }
    const EnvironmentVariable deed("CUPOOL_TEST_INIT", "speak");
    CHECK(report_of(CUPOOL_MISBEHAVING_DRIVER).reason == Reason::none);
}

TEST_CASE("the trials of all libraries have one deadline") {
    const TemporaryFolder first;
    const TemporaryFolder second;
    std::filesystem::create_symlink(CUPOOL_MISBEHAVING_DRIVER, first.path() + "/libcuda.so.1");
    std::filesystem::create_symlink(CUPOOL_MISBEHAVING_DRIVER, second.path() + "/libcuda.so.1");
    const Finished child =
        run_child({"careful-probe", "300"},
                  {{"LD_LIBRARY_PATH", first.path() + ":" + second.path()}, {"CUPOOL_DRIVER", ""}, {"CUPOOL_TEST_INIT", "hang"}});
    INFO(child.output);
    CHECK(child.exit_code == static_cast<int>(Reason::library_unusable));
    CHECK_THAT(child.output, contains_text(first.path() + "/libcuda.so.1 (search): cannot be used: a process that tried it did not come to "
                                                          "an end while it called cuInit"));
    CHECK_THAT(child.output, contains_text(second.path() + "/libcuda.so.1 (search): was not tried"));
}

TEST_CASE("a process that a library leaves behind does not hold up its trial") {
    const EnvironmentVariable deed("CUPOOL_TEST_FOREIGN", "leave a process");
    // An hour to wait for a process that stays a minute.
    CHECK(detail::find_trial_fault(trial, CUPOOL_FOREIGN_LIBRARY, detail::TrialClock::now() + std::chrono::hours(1)).empty());
}

TEST_CASE("a trial ends, whatever the library does") {
    for (const char* const way : {"hang", "hang unheard", "speak without end"}) {
        const EnvironmentVariable deed("CUPOOL_TEST_FOREIGN", way);
        INFO(way);
        const auto deadline = detail::TrialClock::now() + std::chrono::milliseconds(300);
        CHECK_THAT(detail::find_trial_fault(trial, CUPOOL_FOREIGN_LIBRARY, deadline), contains_text("did not come to an end"));
    }
}

TEST_CASE("what a library prints is no part of its trial's report") {
    const EnvironmentVariable deed("CUPOOL_TEST_FOREIGN", "speak");
    CHECK_THAT(report_of(CUPOOL_FOREIGN_LIBRARY).explanation(), contains_text("exports no cuInit"));
}

TEST_CASE("a library that cannot be tried is refused") {
    const LoadReport report = report_of(CUPOOL_SIMULATOR_LIBRARY, {"/none/devquery"});
    CHECK(report.reason == Reason::library_unusable);
    CHECK_THAT(report.explanation(), contains_text("/none/devquery: No such file"));
    CHECK_THAT(report_of(CUPOOL_SIMULATOR_LIBRARY, {"/bin/true"}).explanation(), contains_text("/bin/true does not try libraries"));
    CHECK_THAT(report_of(CUPOOL_SIMULATOR_LIBRARY, {"/bin/false"}).explanation(), contains_text("was not tried"));
}

TEST_CASE("where no process can be had the library is not blamed") {
    if (::geteuid() != 0) CUPOOL_SKIP("skipped: only root can become a user who may have no processes");
    const TemporaryFolder folder;
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    const std::string program = folder.path() + "/program";
    const std::string foreign = folder.path() + "/foreign.so";
    std::filesystem::copy_file(CUPOOL_DRIVER_CHILD, program);
    std::filesystem::copy_file(CUPOOL_FOREIGN_LIBRARY, foreign);
    // The leak sanitizer needs a process, too.
    const Finished child =
        run_child({"run-unprivileged", program, "careful-probe-alone"}, {{"CUPOOL_DRIVER", foreign}, {"ASAN_OPTIONS", "detect_leaks=0"}});
    INFO(child.output);
    CHECK(child.exit_code == static_cast<int>(Reason::library_unusable));
    CHECK_THAT(child.output, contains_text("was not tried, and so not loaded: /proc/self/exe: Resource temporarily unavailable"));
    CHECK(child.output.find("foreign code runs") == std::string::npos);
}

TEST_CASE("a search goes on past a library that fails its trial") {
    const TemporaryFolder bad;
    const TemporaryFolder good;
    std::filesystem::create_symlink(CUPOOL_FOREIGN_LIBRARY, bad.path() + "/libcuda.so.1");
    std::filesystem::create_symlink(CUPOOL_SIMULATOR_LIBRARY, good.path() + "/libcuda.so.1");
    const Finished child = run_child(
        {"careful-probe"}, {{"LD_LIBRARY_PATH", bad.path() + ":" + good.path()}, {"CUPOOL_DRIVER", ""}, {"CUPOOL_TEST_FOREIGN", "crash"}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK_THAT(child.output, contains_text("SIGSEGV"));
}

TEST_CASE("a libcuda cut short at 300 points is refused without a trial") {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/libcuda.so.1";
    const std::size_t whole = loadable_size(CUPOOL_SIMULATOR_LIBRARY);
    write_bytes(path, read_bytes(CUPOOL_SIMULATOR_LIBRARY).substr(0, whole));
    for (std::size_t point = 300; point-- > 0;) {
        const std::size_t size = point < 100 ? point : 100 + (whole - 100) * (point - 100) / 200;
        std::filesystem::resize_file(path, size);
        INFO("cut to " << size << " of " << whole << " bytes");
        REQUIRE(report_of(path, {}).reason == Reason::library_unusable);
    }
}

TEST_CASE("a program that tries libraries survives 400 damaged ones") {
    const std::string count = is_sanitized ? "20" : "400";
    const Finished child = run_child({"open-damaged", CUPOOL_SIMULATOR_LIBRARY, "20261121", count});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK_THAT(child.output, contains_text(count + " opened or refused"));
}
