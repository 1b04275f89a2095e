#include <cupool/driver/log.hpp>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("lines go to the program's callback, as many as the level lets through") {
    std::vector<std::string> lines;
    set_log_callback(
        [&](LogLevel level, std::string_view line) { lines.push_back(std::string(to_string(level)) + ": " + std::string(line)); });
    set_log_level(LogLevel::warning);
    CHECK(detail::logs(LogLevel::error));
    CHECK_FALSE(detail::logs(LogLevel::info));
    detail::log(LogLevel::info, "not this");
    detail::log(LogLevel::warning, "but this");
    set_log_level(LogLevel::off);
    detail::log(LogLevel::error, "nor this");
    set_log_callback({});
    CHECK(lines == std::vector<std::string>{"warning: but this"});
}

TEST_CASE("nothing is logged unless asked, and CUPOOL_LOG asks") {
    const std::pair<std::string, std::string> driver{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY};
    CHECK(run_child({"probe"}, {driver, {"CUPOOL_LOG", ""}}).output.find("cuInit") == std::string::npos);
    const Finished logged = run_child({"probe"}, {driver, {"CUPOOL_LOG", "info"}});
    CHECK_THAT(logged.output, contains_text("[cupool]"));
    CHECK_THAT(logged.output, contains_text("cuInit"));
    const Finished mistyped = run_child({"probe"}, {driver, {"CUPOOL_LOG", "inof"}});
    CHECK_THAT(mistyped.output, contains_text("CUPOOL_LOG=inof is no level"));
    CHECK(mistyped.output.find("cuInit") == std::string::npos);
}
