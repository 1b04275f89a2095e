// What both programs do with a driver that misbehaves: the same finding, by the same exit code.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::run_process;

namespace {

using Variables = std::vector<std::string>;

const std::vector<std::string> job = {"reduce", "--type", "i32", "--op", "sum", "-"};
const std::string numbers("\1\0\0\0\2\0\0\0", 8);

Variables with_driver(const std::string& library, const Variables& others) {
    Variables all{"CUPOOL_DRIVER=" + library};
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

/// Requires that devquery and `cupool --engine gpu` end with this exit code and say this, and that `cupool --engine auto` answers.
void require_finding(const Variables& variables, int exit_code, const std::string& words) {
    const auto query = run_process(DEVQUERY_TOOL, {}, {}, variables);
    CHECK(query.exit_code == exit_code);
    CHECK_THAT(query.out, contains_text(words));
    auto arguments = job;
    arguments.insert(arguments.end(), {"--engine", "gpu"});
    const auto gpu = run_process(CUPOOL_TOOL, arguments, numbers, variables);
    CHECK(gpu.exit_code == exit_code);
    CHECK(gpu.out.empty());
    CHECK_THAT(gpu.err, contains_text(words));
    const auto automatic = run_process(CUPOOL_TOOL, job, numbers, variables);
    INFO(automatic.err);
    REQUIRE(automatic.exit_code == 0);
    CHECK(nlohmann::json::parse(automatic.out).at("engine") == "host");
    CHECK(nlohmann::json::parse(automatic.out).at("result") == 3);
}

}  // namespace

TEST_CASE("a driver that ends whoever initialises it ends neither tool") {
    require_finding(with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_TEST_INIT=crash"}), 11, "SIGSEGV");
    require_finding(with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_TEST_INIT=leave"}), 11, "without having come through");
    require_finding(with_driver(CUPOOL_FOREIGN_LIBRARY, {"CUPOOL_TEST_FOREIGN=crash"}), 11, "SIGSEGV");
    require_finding(with_driver(CUPOOL_FOREIGN_LIBRARY, {"CUPOOL_TEST_FOREIGN=leave"}), 11, "without having come through");
}

TEST_CASE("implausible answers of a driver are findings") {
    require_finding(with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_TEST_COUNT=-5"}), 11, "-5 devices");
    require_finding(with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_TEST_COUNT=1000000000"}), 11, "1000000000 devices");
    require_finding(with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_TEST_VERSION=-1"}), 11, "version -1");
}

TEST_CASE("both tools end with the same exit code, whatever cuInit answers") {
    struct Cause {
        int answer;
        int exit_code;
    };
    for (const Cause& cause : {Cause{34, 11}, Cause{36, 16}, Cause{46, 14}, Cause{100, 13}, Cause{101, 13}, Cause{304, 12}, Cause{600, 17},
                               Cause{802, 17}, Cause{803, 12}, Cause{804, 12}, Cause{999, 12}, Cause{12345, 12}}) {
        INFO("cuInit answers " << cause.answer);
        require_finding(with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_SIM_FAULTS=cuInit:1:" + std::to_string(cause.answer) + ":always"}),
                        cause.exit_code, "");
    }
}

TEST_CASE("a context that cannot be retained is no wrong usage") {
    for (const std::string answer : {"1", "101", "201", "999"}) {
        auto arguments = job;
        arguments.insert(arguments.end(), {"--engine", "gpu", "--devices", "0"});
        const auto result =
            run_process(CUPOOL_TOOL, arguments, numbers,
                        with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_SIM_FAULTS=cuDevicePrimaryCtxRetain:1:" + answer + ":always"}));
        INFO(answer << ": " << result.err);
        CHECK(result.exit_code == 1);
        CHECK(result.out.empty());
    }
}

TEST_CASE("names reach no terminal raw") {
    const auto variables = with_driver(CUPOOL_MISBEHAVING_DRIVER, {"CUPOOL_TEST_NAME=red \x1b[31m \xff"});
    const auto table = run_process(DEVQUERY_TOOL, {}, {}, variables);
    CHECK(table.exit_code == 0);
    CHECK(table.out.find('\x1b') == std::string::npos);
    CHECK_THAT(table.out, contains_text("red \\x1b[31m \\xff"));
    const auto json = nlohmann::json::parse(run_process(DEVQUERY_TOOL, {"--json"}, {}, variables).out);
    CHECK(json.at("devices").at(0).at("name") == "red \x1b[31m \xef\xbf\xbd");
    const auto verbose = run_process(DEVQUERY_TOOL, {"--verbose"}, {}, {"CUPOOL_DRIVER=/none/\x1b[31m"});
    CHECK(verbose.err.find('\x1b') == std::string::npos);
    const auto input = run_process(CUPOOL_TOOL, {"reduce", "--type", "i32", "--op", "sum", "/none/\x1b[31m\xff"});
    CHECK(input.exit_code == 3);
    CHECK_THAT(input.err, contains_text("/none/\\x1b[31m\\xff"));
}
