#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "files.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::read_text;
using cupool::test::run_process;
using cupool::test::TemporaryDirectory;
using nlohmann::json;

namespace {

const std::string devquery = DEVQUERY_TOOL;

/// The first finding of a misbehaving driver, as JSON.
json first_finding_with(const std::vector<std::string>& variables, const std::string& seconds = "30") {
    auto all = variables;
    all.push_back(std::string("CUPOOL_DRIVER=") + CUPOOL_MISBEHAVING_DRIVER);
    const TemporaryDirectory root;  // so that only the driver says something
    const auto result = run_process(devquery, {"doctor", "--json", "--root", root.path(""), "--timeout", seconds}, {}, all);
    INFO(result.err);
    return json::parse(result.out).at("findings").at(0);
}

}  // namespace

TEST_CASE("devquery doctor answers on any host, without root and without output on stderr") {
    const auto text = run_process(devquery, {"doctor"});
    CHECK(text.err.empty());
    CHECK(text.out.find('\033') == std::string::npos);
    const auto result = run_process(devquery, {"doctor", "--json"});
    const auto diagnosis = json::parse(result.out);
    CHECK(diagnosis.at("schema") == 1);
    CHECK(diagnosis.at("reason").at("code") == result.exit_code);
    CHECK(text.exit_code == result.exit_code);
    CHECK(diagnosis.at("healthy") == (result.exit_code == 0));
    for (const auto& finding : diagnosis.at("findings")) {
        CHECK_FALSE(finding.at("cause").get<std::string>().empty());
        CHECK_FALSE(finding.at("fix").get<std::string>().empty());
        CHECK_FALSE(finding.at("evidence").empty());
    }
}

TEST_CASE("a driver that hangs, crashes or answers nonsense is a finding of devquery doctor") {
    const auto hangs = first_finding_with({"CUPOOL_TEST_INIT=hang"}, "0.5");
    CHECK(hangs.at("id") == "driver-hangs");
    CHECK_THAT(hangs.at("evidence")[0].get<std::string>(), contains_text("did not come to an end"));
    const auto crashes = first_finding_with({"CUPOOL_TEST_INIT=crash"});
    CHECK(crashes.at("id") == "driver-crashes");
    CHECK_THAT(crashes.at("evidence")[0].get<std::string>(), contains_text("SIGSEGV"));
    CHECK(first_finding_with({"CUPOOL_TEST_INIT=leave"}).at("id") == "driver-crashes");
    CHECK(first_finding_with({"CUPOOL_TEST_COUNT=-5"}).at("id") == "driver-nonsense");
    CHECK(first_finding_with({"CUPOOL_TEST_COUNT=1000000000"}).at("id") == "driver-nonsense");
    CHECK(first_finding_with({"CUPOOL_TEST_VERSION=-1"}).at("id") == "driver-nonsense");
}

TEST_CASE("devquery doctor prints names of files and devices without control characters") {
    const TemporaryDirectory directory;
    const json facts = {{"snapshot", 1},
                        {"driver", {{"outcome", "answered"}, {"init", 0}, {"devices", {{{"name", "red \x1b[31m"}, {"context", 46}}}}}}};
    const auto from = directory.write("snapshot.json", facts.dump());
    const auto text = run_process(devquery, {"doctor", "--from", from});
    CHECK(text.exit_code == 14);
    CHECK(text.out.find('\x1b') == std::string::npos);
    CHECK_THAT(text.out, contains_text("red \\x1b[31m"));
    CHECK(json::parse(run_process(devquery, {"doctor", "--json", "--from", from}).out).at("findings")[0].at("id") == "device-refused");
}

TEST_CASE("a malformed snapshot is bad input that names the member") {
    const TemporaryDirectory directory;
    struct Case {
        std::string text;
        std::string words;
    };
    for (const auto& bad :
         {Case{"{", "not JSON"}, Case{"[]", "one JSON object"}, Case{"{}", "\"snapshot\""}, Case{R"({"snapshot": 7})", "\"snapshot\""},
          Case{R"({"snapshot": 1, "drivers": {}})", "\"drivers\""}, Case{R"({"snapshot": 1, "driver": {"init": "x"}})", "\"driver.init\""},
          Case{R"({"snapshot": 1, "driver": {"devices": [{"uuid": 1}]}})", "\"driver.devices[0].uuid\""},
          Case{R"({"snapshot": 1, "files": {"/dev/nvidia0": {"type": "hole"}}})", "\"files./dev/nvidia0.type\""},
          Case{R"({"snapshot": 1, "files": {"/dev/nvidia0": {"mode": "0999"}}})", "\"files./dev/nvidia0.mode\""}}) {
        const auto result = run_process(devquery, {"doctor", "--from", directory.write("bad.json", bad.text)});
        INFO(bad.text << ": " << result.err);
        CHECK(result.exit_code == 3);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, contains_text(bad.words));
        CHECK_THAT(result.err, contains_text("bad.json"));
    }
    CHECK(run_process(devquery, {"doctor", "--from", directory.path("absent.json")}).exit_code == 3);
}

TEST_CASE("a saved snapshot names no user and no host") {
    const TemporaryDirectory directory;
    const auto file = directory.path("snapshot.json");
    run_process(devquery, {"doctor", "--save", file}, {},
                {"LD_LIBRARY_PATH=/home/somebody/lib:/opt/lib", "HOSTNAME=somehost", "USER=somebody", "NVIDIA_API_KEY=somekey",
                 "CUDA_CACHE_PATH=/home/somebody/.nv"});
    const auto text = read_text(file);
    CHECK(text.find("somebody") == std::string::npos);
    CHECK(text.find("somehost") == std::string::npos);
    CHECK(text.find("somekey") == std::string::npos);
    CHECK(json::parse(text).at("environment").at("LD_LIBRARY_PATH") == "/home/USER/lib:/opt/lib");
}

TEST_CASE("the simulated driver takes the shape of a snapshot") {
    const char* const library = std::getenv("CUPOOL_SIM_LIBRARY");
    if (library == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const TemporaryDirectory directory;
    const auto device = [](int context) { return json{{"name", "a"}, {"context", context}, {"total_memory", 1000}}; };
    const json healthy = {device(0), device(0)};
    const json one_refuses = {device(0), device(46)};
    struct Case {
        json driver;
        std::string id;
        int devices;
    };
    for (const auto& recorded : {Case{{{"outcome", "answered"}, {"init", 802}}, "fabric-manager-not-running", 0},
                                 Case{{{"outcome", "answered"}, {"init", 0}, {"jit", 221}, {"devices", healthy}}, "no-ptx-jit", 2},
                                 Case{{{"outcome", "answered"}, {"init", 0}, {"devices", one_refuses}}, "device-refused", 2}}) {
        const auto from = directory.write("snapshot.json", json{{"snapshot", 1}, {"driver", recorded.driver}}.dump());
        const auto plan = run_process(devquery, {"doctor", "--from", from, "--simulator", directory.path("")});
        REQUIRE(plan.exit_code == 0);
        std::vector<std::string> variables = {std::string("CUPOOL_DRIVER=") + library};
        std::string line;
        for (const char letter : plan.out) {
            if (letter != '\n') {
                line += letter;
                continue;
            }
            variables.push_back(line);
            line.clear();
        }
        const auto result = run_process(devquery, {"doctor", "--json"}, {}, variables);
        INFO(plan.out << result.out << result.err);
        const auto diagnosis = json::parse(result.out);
        CHECK(diagnosis.at("findings").at(0).at("id") == recorded.id);
        CHECK(diagnosis.at("devices") == recorded.devices);
    }
    const auto from = directory.write("snapshot.json", R"({"snapshot": 1})");
    CHECK(run_process(devquery, {"doctor", "--from", from, "--simulator", directory.path("")}).exit_code == 2);
}

TEST_CASE("devquery doctor has usage errors, and help that fits a screen") {
    CHECK(run_process(devquery, {"doctor", "--frobnicate"}).exit_code == 2);
    CHECK(run_process(devquery, {"doctor", "--timeout", "0"}).exit_code == 2);
    CHECK(run_process(devquery, {"doctor", "--from", "a", "--root", "b"}).exit_code == 2);
    const auto help = run_process(devquery, {"doctor", "--help"});
    CHECK(help.exit_code == 0);
    CHECK_THAT(help.out, contains_text("Example"));
    CHECK(std::count(help.out.begin(), help.out.end(), '\n') <= 24);
}
