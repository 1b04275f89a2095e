// devquery and its verbs as programs, on simulated devices and on drivers that answer nonsense. All their JSON follows the schema.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "files.hpp"
#include "json_schema.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::JsonSchema;
using cupool::test::ProcessResult;
using cupool::test::run_process;

namespace {

using Arguments = std::vector<std::string>;

const std::string devquery = DEVQUERY_TOOL;

/// Runs devquery on the driver that is the simulated one but for what the variables ask of it.
ProcessResult run_devquery(const Arguments& arguments, Arguments variables = {}, const std::string& devices = "2") {
    variables.push_back("CUPOOL_DRIVER=" CUPOOL_MISBEHAVING_DRIVER);
    variables.push_back("CUPOOL_SIM_DEVICES=" + devices);
    variables.push_back("COLUMNS=0");
    return run_process(devquery, arguments, {}, variables);
}

/// The JSON of a run, which must follow the schema.
nlohmann::json valid_json(const ProcessResult& result, const std::string& definition) {
    const JsonSchema schema(nlohmann::json::parse(cupool::test::read_text(DEVQUERY_SCHEMA)));
    INFO(result.err);
    const auto json = nlohmann::json::parse(result.out);
    for (const auto& fault : schema.faults(json, definition)) {
        INFO(fault);
        CHECK(false);
    }
    return json;
}

const Arguments small_bandwidth = {"bw", "--size", "4K", "--runs", "2", "--json"};
const Arguments small_self_test = {"selftest", "--memory", "4K", "--json"};

Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace

TEST_CASE("the JSON of the list follows the schema with and without devices") {
    CHECK(valid_json(run_devquery({"--json"}), "list").at("devices").size() == 2);
    CHECK(valid_json(run_devquery({"--json"}, {"CUPOOL_TEST_INIT=leave"}), "list").at("reason").at("code") == 11);
    CHECK(valid_json(run_devquery({"--json"}, {"CUDA_VISIBLE_DEVICES=1,x"}), "list").at("visible_devices").size() == 2);
    const auto none = run_process(devquery, {"--json"}, {}, {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"});
    CHECK(valid_json(none, "list").at("devices").empty());
}

TEST_CASE("the validator finds what breaks a schema") {
    const JsonSchema schema(nlohmann::json::parse(cupool::test::read_text(DEVQUERY_SCHEMA)));
    const nlohmann::json reason = {{"code", 0}, {"name", "none"}, {"explanation", nullptr}};
    CHECK(schema.faults(reason, "reason").empty());
    const nlohmann::json changes = {{"code", -1}, {"name", nullptr}, {"surplus", 1}};
    for (const auto& [member, value] : changes.items()) {
        auto wrong = reason;
        wrong[member] = value;
        INFO(wrong);
        CHECK(schema.faults(wrong, "reason").size() == 1);
    }
    auto lacking = reason;
    lacking.erase("explanation");
    CHECK(schema.faults(lacking, "reason").size() == 1);
}

TEST_CASE("--all adds free memory, attributes and the entry points that the driver lacks") {
    const auto json = valid_json(run_devquery({"--all", "--json"}), "list");
    const auto& device = json.at("devices").at(1);
    CHECK(device.at("free_memory").is_number());
    CHECK(device.at("attributes").at("warp_size") == 32);
    CHECK(device.at("attributes").at("compute_mode") == 0);
    const auto old = valid_json(run_devquery({"--all", "--json"}, {"CUPOOL_DRIVER=" + std::string(std::getenv("CUPOOL_SIM_LIBRARY")),
                                                                   "CUPOOL_SIM_DRIVER_VERSION=11020"}),
                                "list");
    const auto& missing = old.at("missing_entry_points");
    CHECK(std::any_of(missing.begin(), missing.end(), [](const auto& entry) { return entry.at("name") == "cuDeviceGetUuid_v2"; }));
    const auto table = run_devquery({"--all"});
    CHECK_THAT(table.out, contains_text("\n  warp_size 32\n") && contains_text(" GiB of "));
    const auto csv = run_devquery({"--all", "--csv"});
    CHECK_THAT(csv.out, contains_text(",warp_size,"));
}

TEST_CASE("topo shows the links of simulated devices") {
    const auto json = valid_json(run_devquery({"topo", "--json"}, {}, "3"), "topo");
    CHECK(json.at("devices").size() == 3);
    REQUIRE(json.at("links").size() == 6);
    for (const auto& link : json.at("links")) CHECK(link.at("access") == true);
    CHECK_THAT(run_devquery({"topo"}).out, contains_text("direct access to each other: GPU 0, GPU 1"));
    CHECK(run_devquery({"topo"}, {}, "1").exit_code == 0);
    const auto failing = valid_json(run_devquery({"topo", "--json"}, {"CUPOOL_SIM_FAULTS=cuDeviceGetP2PAttribute:1:999:always"}), "topo");
    CHECK(failing.at("links").at(0).at("access").is_null());
    CHECK_THAT(failing.at("links").at(0).at("failure").get<std::string>(), contains_text("999"));
}

TEST_CASE("bw measures every path and compares what arrives") {
    const auto result = run_devquery(small_bandwidth);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    const auto json = valid_json(result, "bw");
    CHECK(json.at("bytes") == 4096);
    CHECK(json.at("runs") == 2);
    CHECK(json.at("measurements").size() == 2 * 11 + 7);
    for (const auto& measurement : json.at("measurements")) {
        INFO(measurement);
        CHECK(measurement.at("verified") == true);
        CHECK(measurement.at("gigabytes_per_s").is_null() != measurement.at("latency_us").is_null());
        const auto& spread = measurement.at("latency_us").is_null() ? measurement.at("gigabytes_per_s") : measurement.at("latency_us");
        CHECK(spread.at("min") <= spread.at("median"));
        CHECK(spread.at("median") <= spread.at("max"));
    }
    const auto one = valid_json(run_devquery(with(small_bandwidth, {"--devices", "1"})), "bw");
    CHECK(one.at("measurements").size() == 11);
    CHECK(one.at("measurements").at(0).at("to") == 1);
    CHECK_THAT(run_devquery({"bw", "--size", "17", "--runs", "1"}).out, contains_text("GPU 0 <-> GPU 1") && !contains_text("WRONG"));
}

TEST_CASE("bw reports wrong data and failed copies, and goes on") {
    const auto flipped = run_devquery(small_bandwidth, {"CUPOOL_TEST_FLIP=copy"}, "1");
    CHECK(flipped.exit_code == 1);
    CHECK(valid_json(flipped, "bw").at("measurements").at(0).at("verified") == false);
    CHECK_THAT(run_devquery({"bw", "--size", "4K"}, {"CUPOOL_TEST_FLIP=copy"}, "1").out, contains_text("WRONG"));
    for (const std::string fault : {"cuMemcpyPeerAsync:1:999:always", "cuMemAlloc:1:2:always", "cuModuleLoadDataEx:1:2:always",
                                    "cuMemHostAlloc:1:2:always", "cuLaunchKernel:1:700:sticky", "cuDevicePrimaryCtxRetain:1:999:always"}) {
        INFO(fault);
        const auto result = run_devquery(small_bandwidth, {"CUPOOL_SIM_FAULTS=" + fault});
        CHECK(result.exit_code == 1);
        const auto json = valid_json(result, "bw");
        const auto& all = json.at("measurements");
        CHECK(std::any_of(all.begin(), all.end(), [](const auto& measurement) { return !measurement.at("failure").is_null(); }));
    }
}

TEST_CASE("selftest passes on healthy devices") {
    const auto result = run_devquery(small_self_test);
    CHECK(result.exit_code == 0);
    const auto json = valid_json(result, "selftest");
    REQUIRE(json.at("devices").size() == 2);
    for (const auto& device : json.at("devices")) {
        CHECK(device.at("passed") == true);
        CHECK(device.at("memory_bytes") == 4096);
        for (const auto& test : device.at("tests")) CHECK(test.at("runs") == 1);
    }
}

TEST_CASE("selftest repeats its tests for the time that it is given") {
    const auto json = valid_json(run_devquery({"selftest", "--memory", "4", "--seconds", "0.2", "--json"}, {}, "1"), "selftest");
    CHECK(json.at("devices").at(0).at("tests").at(0).at("runs") >= 1);
}

TEST_CASE("selftest finds a bit of memory that is stuck, and says where") {
    const auto result = run_devquery(small_self_test, {"CUPOOL_TEST_FLIP=memory"}, "1");
    CHECK(result.exit_code == 1);
    const auto json = valid_json(result, "selftest");
    const auto& memory = json.at("devices").at(0).at("tests").at(0);
    CHECK(json.at("devices").at(0).at("passed") == false);
    CHECK(memory.at("passed") == false);
    CHECK_THAT(memory.at("finding").get<std::string>(),
               contains_text("1 word is wrong, the first at byte 2048: 0x00000000 was written, 0x00000004 was read"));
    CHECK_THAT(run_devquery({"selftest", "--memory", "4K"}, {"CUPOOL_TEST_FLIP=memory"}, "1").out,
               contains_text("GPU 0, memory: constant"));
}

TEST_CASE("selftest finds wrong results of kernels and failed calls") {
    const auto flipped = run_devquery(small_self_test, {"CUPOOL_TEST_FLIP=copy"}, "1");
    CHECK(flipped.exit_code == 1);
    const auto tests = valid_json(flipped, "selftest").at("devices").at(0).at("tests");
    CHECK(tests.at(1).at("passed") == false);
    CHECK(tests.at(2).at("passed") == false);
    for (const std::string fault : {"cuDevicePrimaryCtxRetain:1:999:once", "cuMemAlloc:1:2:always", "cuLaunchKernel:2:700:sticky"}) {
        INFO(fault);
        const auto result = run_devquery(small_self_test, {"CUPOOL_SIM_FAULTS=" + fault});
        CHECK(result.exit_code == 1);
        CHECK(valid_json(result, "selftest").at("devices").at(0).at("passed") == false);
    }
}

TEST_CASE("a driver that answers nonsense is a finding for every verb") {
    const auto equal = valid_json(run_devquery({"--json"}, {"CUPOOL_TEST_UUID=7"}), "list");
    CHECK_THAT(equal.at("implausible_answers").at(0).get<std::string>(), contains_text("the same UUID"));
    const auto unterminated = valid_json(run_devquery({"--json"}, {"CUPOOL_TEST_NAME=" + std::string(300, 'x')}), "list");
    CHECK_FALSE(unterminated.at("implausible_answers").empty());
    const auto negative = valid_json(run_devquery({"--json"}, {"CUPOOL_TEST_ATTRIBUTE=-7"}), "list");
    CHECK_FALSE(negative.at("implausible_answers").empty());
    valid_json(run_devquery({"topo", "--json"}, {"CUPOOL_TEST_ATTRIBUTE=-7", "CUPOOL_TEST_NAME=\xff\x1b[31m"}), "topo");
    for (const std::string verb : {"topo", "bw", "selftest"}) {
        for (const std::string nonsense : {"CUPOOL_TEST_COUNT=-5", "CUPOOL_TEST_COUNT=1000000000", "CUPOOL_TEST_INIT=crash"}) {
            const auto result = run_devquery({verb, "--json"}, {nonsense});
            INFO(verb << ", " << nonsense << ": " << result.err);
            CHECK(result.exit_code == 11);
            CHECK(result.err.empty());
            CHECK(valid_json(result, verb).at("reason").at("code") == 11);
            const auto text = run_devquery({verb}, {nonsense});
            CHECK(text.exit_code == 11);
            CHECK(text.out.empty());
            CHECK(std::count(text.err.begin(), text.err.end(), '\n') == 1);
        }
    }
}

TEST_CASE("the JSON of a verb without a usable GPU has the reason and empty lists") {
    for (const std::string verb : {"topo", "bw", "selftest"}) {
        const auto result = run_process(devquery, {verb, "--json"}, {}, {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"});
        INFO(verb << ": " << result.err);
        const auto json = valid_json(result, verb);
        CHECK(result.err.empty());
        CHECK(json.at("reason").at("code") == result.exit_code);
        CHECK(json.at("reason").at("name") == "no_library");
        CHECK_FALSE(json.at("reason").at("explanation").is_null());
        CHECK(json.at(verb == "bw" ? "measurements" : "devices").empty());
    }
}

TEST_CASE("selftest refuses to test more memory than is free, before any test") {
    const auto result = run_devquery({"selftest", "--memory", "9000G"});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text("--memory asks for 9000.0 GiB, and GPU 0 has 140.4 GiB free"));
}

TEST_CASE("no error of a verb names a source file") {
    const Arguments faults = {"CUPOOL_SIM_FAULTS=cuMemAlloc:1:2:always"};
    const Arguments no_context = {"CUPOOL_SIM_FAULTS=cuDevicePrimaryCtxRetain:1:999:always"};
    for (const auto& arguments : {small_bandwidth, small_self_test}) {
        for (const auto& variables : {faults, no_context}) {
            const auto result = run_devquery(arguments, variables);
            INFO(result.out << result.err);
            CHECK(result.exit_code == 1);
            CHECK((result.out + result.err).find("cpp") == std::string::npos);
        }
    }
    CHECK(run_devquery({"topo"}, {"CUPOOL_TEST_COUNT=-5"}).err.find("cpp") == std::string::npos);
    CHECK(run_devquery({}, {"CUPOOL_TEST_COUNT=-5"}).out.find("cpp") == std::string::npos);
    const auto debugged = run_devquery(small_self_test, {"CUPOOL_SIM_FAULTS=cuMemAlloc:1:2:always", "CUPOOL_LOG=debug"});
    CHECK_THAT(debugged.err, contains_text("self_test.cpp:"));
}

TEST_CASE("the ranges of options are given in their units") {
    CHECK_THAT(run_devquery({"bw", "--size", "3"}).err, contains_text("3 is no size from 16 bytes to 64.0 GiB"));
    CHECK_THAT(run_devquery({"bw", "--size", "1T"}).err, contains_text("1T is no size from"));
    CHECK_THAT(run_devquery({"bw", "--size", "x"}).err, contains_text("x is no size from"));
    CHECK_THAT(run_devquery({"selftest", "--seconds", "-1"}).err, contains_text("-1 is no number of seconds from 0 to 10000000"));
    CHECK_THAT(run_devquery({"bw", "--size", "4K", "--runs", "1"}, {}, "1").out, contains_text("4096 bytes each, 1 run; "));
    CHECK_THAT(run_devquery({"selftest", "--memory", "4K"}, {}, "1").out, contains_text("4.0 KiB"));
}

TEST_CASE("no verb dies of an attribute that is nonsense") {
    for (const auto& arguments : {small_bandwidth, small_self_test}) {
        for (const std::string value : {"-7", "0", "1"}) {
            const auto result = run_devquery(arguments, {"CUPOOL_TEST_ATTRIBUTE=" + value}, "1");
            INFO(arguments.front() << ", " << value << ": " << result.err);
            CHECK((result.exit_code == 0 || result.exit_code == 1 || (result.exit_code >= 10 && result.exit_code <= 18)));
            if (result.exit_code == 0) valid_json(result, arguments.front());
        }
    }
}

TEST_CASE("verbs have usage errors with suggestions, and help that fits a screen") {
    CHECK_THAT(run_devquery({"tpo"}).err, contains_text("did you mean topo?"));
    CHECK_THAT(run_devquery({"bw", "--sise", "3"}).err, contains_text("did you mean --size?"));
    for (const Arguments& wrong : std::vector<Arguments>{{"bw", "--devices", "0,7"},
                                                         {"bw", "--devices", "0,0"},
                                                         {"bw", "--devices", "x"},
                                                         {"bw", "--size", "3"},
                                                         {"bw", "--size", "-1"},
                                                         {"bw", "--runs", "0"},
                                                         {"selftest", "--seconds", "-1"},
                                                         {"selftest", "--seconds", "nan"},
                                                         {"doctor", "--timeout", "nan"},
                                                         {"--json", "topo"},
                                                         {"--verbose", "doctor"},
                                                         {"--json", "--csv"}}) {
        const auto result = run_devquery(wrong);
        INFO(wrong.front() << ' ' << wrong.back() << ": " << result.out);
        CHECK(result.exit_code == 2);
        CHECK(result.out.empty());
    }
    constexpr int screen_lines = 24;
    for (const std::string verb : {"topo", "bw", "selftest", "watch"}) {
        const auto help = run_devquery({verb, "--help"});
        CHECK(help.exit_code == 0);
        CHECK(std::count(help.out.begin(), help.out.end(), '\n') <= screen_lines);
        CHECK_THAT(help.out, contains_text("Example: devquery " + verb));
    }
}
