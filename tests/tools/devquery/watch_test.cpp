// devquery watch on simulated devices, without NVML and with a library that looks like it.
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "files.hpp"
#include "json_schema.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::JsonSchema;
using cupool::test::ProcessResult;
using cupool::test::run_process;
using nlohmann::json;

namespace {

const std::string devquery = DEVQUERY_TOOL;
const std::string nvml = "CUPOOL_NVML=" CUPOOL_FAKE_NVML;

ProcessResult run_watch(std::vector<std::string> arguments, std::vector<std::string> variables = {}) {
    arguments.insert(arguments.begin(), "watch");
    variables.push_back("CUPOOL_DRIVER=" CUPOOL_MISBEHAVING_DRIVER);
    variables.push_back("CUPOOL_SIM_DEVICES=2");
    variables.push_back("COLUMNS=0");
    return run_process(devquery, arguments, {}, variables);
}

/// The objects of a run, one on each line, which must follow the schema.
std::vector<json> objects_of(const ProcessResult& result) {
    INFO(result.out << result.err);
    const JsonSchema schema(json::parse(cupool::test::read_text(DEVQUERY_SCHEMA)));
    std::istringstream lines(result.out);
    std::vector<json> objects;
    for (std::string line; std::getline(lines, line);) {
        objects.push_back(json::parse(line));
        for (const auto& fault : schema.faults(objects.back(), "watch_" + objects.back().at("event").get<std::string>())) {
            INFO(fault);
            CHECK(false);
        }
    }
    return objects;
}

}  // namespace

TEST_CASE("watch shows memory without NVML, and says that there is none") {
    const auto text = run_watch({"--count", "2", "--interval", "0.05"});
    CHECK(text.exit_code == 0);
    CHECK(text.err.empty());
    CHECK(text.out.find('\033') == std::string::npos);  // stdout is no terminal here
    CHECK_THAT(text.out, contains_text(" of 140.4 GiB") && contains_text("without NVML: the devices are simulated"));
    const auto samples = objects_of(run_watch({"--count", "3", "--interval", "0.05", "--json"}));
    REQUIRE(samples.size() == 3);
    for (const auto& sample : samples) {
        CHECK(sample.at("nvml").at("works") == false);
        REQUIRE(sample.at("devices").size() == 2);
        CHECK(sample.at("devices").at(0).at("total_memory") == 150754820096);
        CHECK(sample.at("devices").at(0).at("power_watts").is_null());
    }
    CHECK(objects_of(run_watch({"--count", "1", "--json"}, {"CUPOOL_NVML=/absent/libnvidia-ml.so.1"})).at(0).at("nvml").at("works") ==
          false);
}

TEST_CASE("watch shows what NVML knows, without a context") {
    const auto sample =
        objects_of(run_watch({"--count", "1", "--json"}, {nvml, "CUPOOL_SIM_FAULTS=cuDevicePrimaryCtxRetain:1:999:always"})).at(0);
    CHECK(sample.at("nvml").at("works") == true);
    const auto& device = sample.at("devices").at(1);
    CHECK(device.at("used_memory") == 101);
    CHECK(device.at("utilisation_percent") == 51);
    CHECK(device.at("memory_utilisation_percent") == 20);
    CHECK(device.at("power_watts") == 300.5);
    CHECK(device.at("temperature_celsius") == 40);
    CHECK(device.at("ecc_corrected") == 7);
    CHECK(device.at("ecc_uncorrected") == 2);
    CHECK(device.at("failure").is_null());
    CHECK_THAT(run_watch({"--count", "1"}, {nvml}).out, contains_text("51 %") && contains_text("40 C") && contains_text("7/2"));
}

TEST_CASE("watch falls back to the driver where NVML gives no memory, and fails if that gives none") {
    const auto silent = objects_of(run_watch({"--count", "1", "--json"}, {nvml, "CUPOOL_FAKE_NVML_SILENT=1"})).at(0);
    CHECK(silent.at("devices").at(0).at("total_memory") == 150754820096);
    CHECK(silent.at("devices").at(0).at("temperature_celsius").is_null());
    const auto failing = run_watch({"--count", "1", "--json"}, {"CUPOOL_SIM_FAULTS=cuDevicePrimaryCtxRetain:1:999:always"});
    CHECK(failing.exit_code == 1);
    const auto device = objects_of(failing).at(0).at("devices").at(0);
    CHECK(device.at("used_memory").is_null());
    CHECK_THAT(device.at("failure").get<std::string>(), contains_text("999") && !contains_text("cpp"));
}

TEST_CASE("watch shows Xid errors as they come") {
    const std::vector<std::string> xid = {nvml, "CUPOOL_FAKE_NVML_XID=79"};
    const auto objects = objects_of(run_watch({"--count", "2", "--interval", "0.2", "--json"}, xid));
    REQUIRE(objects.size() == 3);
    CHECK(objects.at(1).at("event") == "xid");
    CHECK(objects.at(1).at("ordinal") == 1);
    CHECK(objects.at(1).at("xid") == 79);
    CHECK_THAT(run_watch({"--count", "2", "--interval", "0.2"}, xid).out, contains_text("  Xid 79 on GPU 1 (0000:11:00.0)"));
    const auto first_only = objects_of(run_watch({"--count", "2", "--interval", "0.2", "--json", "--devices", "0"}, xid));
    CHECK(first_only.size() == 2);  // the event is another device's
}

TEST_CASE("watch ends cleanly when it is interrupted") {
    for (const std::string signal : {"INT", "TERM"}) {
        const cupool::test::TemporaryDirectory directory;
        const auto script = "\"$0\" watch --json --interval 60 > \"$1\" & pid=$!; while [ ! -s \"$1\" ]; do sleep 0.02; done; kill -" +
                            signal + " $pid; wait $pid";
        const auto result =
            run_process("/bin/sh", {"-c", script, devquery, directory.path("out")}, {}, {"CUPOOL_DRIVER=" CUPOOL_MISBEHAVING_DRIVER});
        INFO(signal << ": " << result.err);
        CHECK(result.exit_code == 0);
        CHECK(result.err.empty());
        CHECK(json::accept(cupool::test::read_text(directory.path("out"))));
    }
}

TEST_CASE("watch without a usable GPU prints the reason, and has usage errors") {
    const auto none = run_process(devquery, {"watch", "--json"}, {}, {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"});
    const auto object = objects_of(none).at(0);
    CHECK(object.at("reason").at("code") == none.exit_code);
    CHECK(object.at("devices").empty());
    CHECK(object.at("nvml").at("works") == false);
    const auto text = run_process(devquery, {"watch"}, {}, {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"});
    CHECK(text.exit_code >= 10);
    CHECK(text.out.empty());
    CHECK(run_watch({"--interval", "0"}).exit_code == 2);
    CHECK(run_watch({"--count", "0"}).exit_code == 2);
    CHECK(run_watch({"--devices", "7"}).exit_code == 2);
}
