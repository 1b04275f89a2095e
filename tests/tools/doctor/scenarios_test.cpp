// Every file in scenarios/ is a host that devquery diagnoses: docs/devquery.md says how one is written.
#include <cstdlib>

#include "catch.hpp"
#include "doctor/scenario.hpp"
#include "files.hpp"
#include "process.hpp"

using namespace cupool::test;
using nlohmann::json;

namespace {

/// Runs `devquery doctor --json` without any variable of the test but those given.
ProcessResult run_doctor(std::vector<std::string> arguments, const std::vector<std::string>& variables) {
    std::vector<std::string> command = {"-i"};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {DEVQUERY_TOOL, "doctor", "--json"});
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_process("/usr/bin/env", command);
}

std::vector<std::string> variables_with_driver(const Scenario& scenario) {
    auto variables = variables_of(scenario);
    if (scenario.needs_simulator()) variables.push_back(std::string("CUPOOL_DRIVER=") + std::getenv("CUPOOL_SIM_LIBRARY"));
    return variables;
}

/// The id of the first finding that is no remark; empty if there is none.
std::string first_finding(const json& diagnosis) {
    const auto& findings = diagnosis.at("findings");
    return findings.empty() || findings[0].at("confidence") == "possible" ? "" : findings[0].at("id").get<std::string>();
}

/// Every text says something, whatever is unknown.
void require_texts(const json& finding) {
    INFO(finding);
    CHECK_FALSE(finding.at("cause").get<std::string>().empty());
    CHECK_FALSE(finding.at("fix").get<std::string>().empty());
    CHECK_FALSE(finding.at("evidence").empty());
    for (const std::string text : finding.at("evidence")) {
        CHECK((!text.empty() && text.front() != ' ' && text.back() != ' ' && text.find("()") == std::string::npos));
    }
}

void require_diagnosis(const Scenario& scenario) {
    INFO("scenario " << scenario.name);
    const TemporaryDirectory directory;
    const auto facts = directory.write("facts.json", make_host(scenario, directory.path("host")).dump());
    const auto snapshot = directory.path("snapshot.json");
    const auto result =
        run_doctor({"--root", directory.path("host"), "--facts", facts, "--save", snapshot}, variables_with_driver(scenario));
    INFO(result.err << result.out);
    CHECK(result.err.empty());
    const auto diagnosis = json::parse(result.out);
    CHECK(first_finding(diagnosis) == scenario.expected());
    CHECK(diagnosis.at("healthy") == scenario.expected().empty());
    CHECK(diagnosis.at("reason").at("code") == result.exit_code);
    CHECK((result.exit_code == 0) == scenario.expected().empty());
    for (const auto& finding : diagnosis.at("findings")) require_texts(finding);
    const auto replayed = run_doctor({"--from", snapshot}, {});
    CHECK(replayed.out == result.out);
    CHECK(replayed.exit_code == result.exit_code);
    CHECK(read_text(snapshot).find("somehost") == std::string::npos);
}

void require_diagnoses(char first_letter, char last_letter) {
    for (const auto& scenario : read_scenarios(DOCTOR_SCENARIOS)) {
        if (scenario.name[0] < first_letter || scenario.name[0] > last_letter) continue;
        if (scenario.needs_simulator() && std::getenv("CUPOOL_SIM_LIBRARY") == nullptr) continue;
        require_diagnosis(scenario);
    }
}

}  // namespace

TEST_CASE("there are recorded scenarios of broken and of healthy hosts, and the documentation lists their findings") {
    const auto documentation = read_text(DEVQUERY_DOCUMENTATION);
    int broken = 0;
    int healthy = 0;
    for (const auto& scenario : read_scenarios(DOCTOR_SCENARIOS)) {
        ++(scenario.expected().empty() ? healthy : broken);
        INFO(scenario.name);
        CHECK((scenario.expected().empty() || documentation.find("| `" + scenario.expected() + "` |") != std::string::npos));
        CHECK((scenario.name[0] >= 'a' && scenario.name[0] <= 'z'));
    }
    CHECK(broken >= 30);
    CHECK(healthy >= 5);
}

TEST_CASE("findings say something also where much is unknown") {
    for (auto scenario : read_scenarios(DOCTOR_SCENARIOS)) {
        if (scenario.needs_simulator() || !scenario.content["driver"].is_object()) continue;
        INFO("scenario " << scenario.name);
        for (const auto* const member : {"stage", "detail", "explanation", "library"}) scenario.content["driver"][member] = nullptr;
        for (auto& device : scenario.content["driver"]["devices"]) {
            for (const auto* const member : {"name", "uuid", "pci_bus_id"}) device[member] = nullptr;
        }
        const TemporaryDirectory directory;
        auto facts = make_host(scenario, directory.path("host"));
        for (const auto* const file : {"/proc/driver/nvidia/version", "/sys/module/nvidia/version"}) facts["files"][file] = "";
        const auto result = run_doctor({"--root", directory.path("host"), "--facts", directory.write("facts.json", facts.dump())}, {});
        INFO(result.err);
        const auto diagnosis = json::parse(result.out);
        for (const auto& finding : diagnosis.at("findings")) require_texts(finding);
    }
}

// Several cases, which can run beside each other.
TEST_CASE("devquery doctor names the cause in every recorded scenario: a to c") { require_diagnoses('a', 'c'); }
TEST_CASE("devquery doctor names the cause in every recorded scenario: d to f") { require_diagnoses('d', 'f'); }
TEST_CASE("devquery doctor names the cause in every recorded scenario: g and h") { require_diagnoses('g', 'h'); }
TEST_CASE("devquery doctor names the cause in every recorded scenario: i to m") { require_diagnoses('i', 'm'); }
TEST_CASE("devquery doctor names the cause in every recorded scenario: n to s") { require_diagnoses('n', 's'); }
TEST_CASE("devquery doctor names the cause in every recorded scenario: t to z") { require_diagnoses('t', 'z'); }
