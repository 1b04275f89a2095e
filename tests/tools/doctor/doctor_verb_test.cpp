#include <algorithm>
#include <csignal>
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

json library(const std::string& folder, const std::string& version) {
    return {{"name", "libcuda.so.1"}, {"path", folder + "/libcuda.so.1"},
            {"source", "ld.so.conf"}, {"resolved", folder + "/libcuda.so." + version},
            {"version", version},     {"elf", "x86-64"}};
}

/// What devquery says about a recorded driver and further facts, on a host with the kernel module.
json diagnosis_of(json facts) {
    const TemporaryDirectory directory;
    facts["snapshot"] = 1;
    facts["files"]["/sys/module/nvidia"] = {{"type", "directory"}};
    for (const std::string node : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"}) {
        if (!facts["files"].contains(node)) facts["files"][node] = {{"type", "device"}, {"access", "rw"}};
    }
    facts["files"]["/sys/module/nvidia_uvm"] = {{"type", "directory"}};
    if (!facts.contains("libraries")) facts["libraries"] = json::array({library("/usr/lib", "580.65.06")});
    return json::parse(run_process(devquery, {"doctor", "--json", "--from", directory.write("snapshot.json", facts.dump())}).out);
}

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

TEST_CASE("devquery doctor asks the driver also where SIGCHLD is ignored") {
    const auto before = std::signal(SIGCHLD, SIG_IGN);  // the child inherits it; its exit status is lost
    const auto result = run_process(devquery, {"doctor", "--json"}, {}, {std::string("CUPOOL_DRIVER=") + CUPOOL_MISBEHAVING_DRIVER});
    std::signal(SIGCHLD, before);
    INFO(result.out << result.err);
    const auto diagnosis = json::parse(result.out);
    CHECK(diagnosis.at("healthy") == true);
    CHECK(diagnosis.at("usable_devices") == 1);
}

TEST_CASE("devquery doctor names a wrong CUPOOL_DRIVER on a live host") {
    const TemporaryDirectory directory;
    for (const auto& path : {directory.path("absent.so"), directory.write("README", "text"), std::string("relative.so")}) {
        const auto result = run_process(devquery, {"doctor", "--json"}, {}, {"CUPOOL_DRIVER=" + path});
        INFO(result.out << result.err);
        const auto finding = json::parse(result.out).at("findings").at(0);
        CHECK(finding.at("id") == "driver-variable-wrong");
        CHECK(finding.at("evidence").at(0) == "CUPOOL_DRIVER=" + path);
        CHECK(result.exit_code >= 10);
    }
}

TEST_CASE("the tree of another host does not get the variables of the shell") {
    const TemporaryDirectory root;
    const auto snapshot = root.path("snapshot.json");
    run_process(devquery, {"doctor", "--root", root.path(""), "--save", snapshot}, {},
                {"CUDA_VISIBLE_DEVICES=-1", "LD_LIBRARY_PATH=/opt/lib", "CUPOOL_DRIVER=/absent"});
    CHECK(json::parse(read_text(snapshot)).at("environment").empty());
    const auto facts = root.write("facts.json", R"({"snapshot": 1, "environment": {"LD_LIBRARY_PATH": "/opt/lib"}})");
    run_process(devquery, {"doctor", "--root", root.path(""), "--facts", facts, "--save", snapshot});
    CHECK(json::parse(read_text(snapshot)).at("environment") == json{{"LD_LIBRARY_PATH", "/opt/lib"}});
}

TEST_CASE("findings that may follow from the first are shown as such") {
    const TemporaryDirectory directory;
    const json node = {{"type", "device"}, {"major", 1}, {"mode", "0600"}, {"access", "none"}};
    const json facts = {{"snapshot", 1},
                        {"files", {{"/proc/devices", "195 nvidia\n"}, {"/dev/nvidia0", node}, {"/dev/nvidiactl", node}}},
                        {"driver", {{"outcome", "answered"}, {"init", 100}}}};
    const auto from = directory.write("snapshot.json", facts.dump());
    const auto diagnosis = json::parse(run_process(devquery, {"doctor", "--json", "--from", from}).out);
    REQUIRE(diagnosis.at("findings").size() >= 2);
    CHECK(diagnosis.at("findings").at(0).at("may_follow") == false);
    CHECK(diagnosis.at("findings").at(1).at("may_follow") == true);
    CHECK_THAT(run_process(devquery, {"doctor", "--from", from}).out, contains_text("\nThese may be consequences of 1:\n\n2. "));
    // On a host that works, findings are about single GPUs and stand alone.
    const json devices = {{{"name", "a"}, {"context", 0}, {"ecc_errors", 2}},
                          {{"name", "b"}, {"compute_mode", "prohibited"}, {"context", nullptr}}};
    const auto works = diagnosis_of({{"driver", {{"outcome", "answered"}, {"init", 0}, {"devices", devices}}}});
    REQUIRE(works.at("findings").size() == 2);
    CHECK(works.at("findings").at(1).at("may_follow") == false);
}

TEST_CASE("fixes fit what forbids a node") {
    const auto fix_of = [](const json& node, const json& more_files = json::object()) {
        json files = {{"/dev/nvidia0", node}};
        files.update(more_files);
        const auto diagnosis = diagnosis_of({{"files", files},
                                             {"process", {{"groups", {1000, 27}}}},
                                             {"driver", {{"outcome", "answered"}, {"init", 100}, {"reason", "permission"}}}});
        REQUIRE(diagnosis.at("findings").at(0).at("id") == "device-nodes-forbidden");
        return diagnosis.at("findings").at(0).at("fix").get<std::string>();
    };
    const auto node = [](const std::string& mode, int group) {
        return json{{"type", "device"}, {"mode", mode}, {"group", group}, {"access", "none"}};
    };
    const json groups = {{"/etc/group", "video:x:44:\n"}};
    const json container = {{"/.dockerenv", ""}};
    CHECK_THAT(fix_of(node("0660", 44), groups), contains_text("usermod -aG video USER"));
    CHECK_THAT(fix_of(node("0660", 5000)), contains_text("getent group 5000"));
    CHECK_THAT(fix_of(node("0660", 5000), container), contains_text("--group-add 5000"));
    CHECK_THAT(fix_of(node("0660", 65534)), contains_text("user namespace") && !contains_text("usermod"));
    CHECK_THAT(fix_of(node("0600", 0)), contains_text("mode 0666"));
    CHECK_THAT(fix_of(node("0666", 0)), contains_text("ausearch") && !contains_text("0666"));
    CHECK_THAT(fix_of(node("0660", 27)), contains_text("ausearch"));  // a member of the group
    CHECK_THAT(fix_of(node("0666", 0), container), contains_text("label=disable"));
}

TEST_CASE("status 802 is certain to be the fabric manager's only where an NVSwitch is seen") {
    const json driver = {{"outcome", "answered"}, {"init", 802}};
    const auto unseen = diagnosis_of({{"driver", driver}}).at("findings").at(0);
    CHECK(unseen.at("id") == "fabric-manager-not-running");
    CHECK(unseen.at("confidence") == "likely");
    CHECK_THAT(unseen.at("fix").get<std::string>(), contains_text("conf-compute"));
    const json node = {{"type", "device"}, {"access", "rw"}};
    const auto seen = diagnosis_of({{"driver", driver}, {"files", {{"/dev/nvidia-nvswitch0", node}}}}).at("findings").at(0);
    CHECK(seen.at("confidence") == "certain");
    CHECK_THAT(seen.at("fix").get<std::string>(), !contains_text("conf-compute"));
}

TEST_CASE("a second driver package is named where it causes a mismatch of versions") {
    const auto finding = diagnosis_of({{"files", {{"/sys/module/nvidia/version", "580.65.06\n"}}},
                                       {"libraries", {library("/opt/old", "535.183.01"), library("/usr/lib", "580.65.06")}},
                                       {"driver", {{"outcome", "answered"}, {"init", 803}}}})
                             .at("findings")
                             .at(0);
    CHECK(finding.at("id") == "version-mismatch");
    CHECK_THAT(finding.at("fix").get<std::string>(),
               contains_text("Remove the package of /opt/old/libcuda.so.535.183.01") && contains_text("/usr/lib/libcuda.so.1"));
    CHECK_THAT(finding.at("evidence").at(0).get<std::string>(), contains_text("/opt/old/libcuda.so.1 (ld.so.conf) comes first"));
}

TEST_CASE("UUIDs are shown as they are written") {
    const auto finding = diagnosis_of({{"environment", {{"CUDA_VISIBLE_DEVICES", "gpu-1234"}}},
                                       {"files", {{"/proc/driver/nvidia/gpus/0000:18:00.0/information", "GPU UUID: \t GPU-5a2c8c1e\n"}}},
                                       {"driver", {{"outcome", "answered"}, {"init", 100}}}})
                             .at("findings")
                             .at(0);
    CHECK(finding.at("id") == "visible-devices-unknown-uuid");
    CHECK(finding.at("evidence").back() == "this host has GPU-5a2c8c1e");
}

TEST_CASE("null in a snapshot means unknown, and removes files and variables") {
    const TemporaryDirectory directory;
    const auto from = directory.write("from.json", R"({"snapshot": 1, "environment": {"CUDA_VISIBLE_DEVICES": "7"},
        "files": {"/.dockerenv": "", "/dev/nvidia0": {"type": "device", "mode": null, "text": null, "major": null}},
        "kernel_log": null, "libraries": null, "process": {"root": null, "groups": null}, "kernel_log_readable": null,
        "driver": {"outcome": "answered", "stage": null, "reason": null, "init": 802, "version": null, "devices": null}})");
    const auto facts = directory.write("facts.json", R"({"snapshot": 1, "environment": {"CUDA_VISIBLE_DEVICES": null},
        "files": {"/.dockerenv": null}, "driver": {"init": null}})");
    const auto saved = directory.path("saved.json");
    const auto result = run_process(devquery, {"doctor", "--from", from, "--facts", facts, "--save", saved});
    INFO(result.err);
    REQUIRE(result.exit_code != 3);
    const auto snapshot = json::parse(read_text(saved));
    CHECK(snapshot.at("environment").empty());
    CHECK(snapshot.at("files").size() == 1);
    CHECK(snapshot.at("driver").at("init").is_null());
    CHECK(snapshot.at("driver").at("reason") == "none");
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
          Case{R"({"snapshot": null})", "\"snapshot\""}, Case{R"({"snapshot": 1, "driver": {"reason": "no_idea"}})", "\"no_library\""},
          Case{R"({"snapshot": 1, "driver": {"devices": [{"compute_mode": "?"}]}})", "\"driver.devices[0].compute_mode\""},
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
    CHECK_THAT(help.out, contains_text("Example") && contains_text("--save FILE") && !contains_text(" TEXT"));
    CHECK(std::count(help.out.begin(), help.out.end(), '\n') <= 24);
}
