#include "doctor/doctor_verb.hpp"

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "doctor/diagnosis.hpp"
#include "doctor/doctor_report.hpp"
#include "doctor/simulator_plan.hpp"
#include "doctor/snapshot_collector.hpp"
#include "doctor/snapshot_json.hpp"
#include "options/seconds_option.hpp"

namespace cupool::tools {
namespace {

struct DoctorOptions {
    bool json = false;
    std::string save;
    std::string from;
    std::string root;
    std::string facts;
    std::string simulator;
    double timeout = 30;
};

/// The variables in a file of facts, or none.
std::map<std::string, std::string> given_environment(const std::string& facts) {
    HostSnapshot given;
    if (!facts.empty()) merge_snapshot_file(given, facts);
    return given.environment;
}

HostSnapshot snapshot_for(const DoctorOptions& options) {
    HostSnapshot snapshot;
    if (!options.from.empty()) {
        merge_snapshot_file(snapshot, options.from);
    } else {
        auto root = options.root;
        while (root.ends_with('/')) root.pop_back();
        auto environment = own_environment();
        if (!root.empty()) environment = given_environment(options.facts);  // the shell's is not that of the other host
        snapshot =
            collect_snapshot(root, std::move(environment), std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * 1000)));
    }
    if (!options.facts.empty()) merge_snapshot_file(snapshot, options.facts);
    return snapshot;
}

void save(const HostSnapshot& snapshot, const std::string& path) {
    constexpr int indent = 1;
    std::ofstream file(path, std::ios::binary);
    file << json_text(snapshot_to_json(snapshot), indent);
    file.flush();
    if (!file) throw std::runtime_error("the snapshot cannot be written to " + path);
}

Outcome run_doctor(const DoctorOptions& options) {
    const auto snapshot = snapshot_for(options);
    if (!options.save.empty()) save(snapshot, options.save);
    if (!options.simulator.empty()) return {write_simulator_plan(snapshot, options.simulator)};
    const auto findings = diagnose(snapshot);
    return {options.json ? doctor_json(snapshot, findings) : doctor_text(snapshot, findings),
            static_cast<int>(reason_of(snapshot, findings))};
}

}  // namespace

void add_doctor_verb(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<DoctorOptions>();
    auto* const verb = app.add_subcommand("doctor", "why GPUs cannot be used: cause, evidence and fix; needs no root");
    constexpr double longest_timeout = 3600;
    verb->add_flag("--json", options->json, "print JSON, as docs/devquery.md describes it");
    verb->add_option("--save", options->save, "also write what was seen to this file, without names of hosts and users")->type_name("FILE");
    auto* const from = verb->add_option("--from", options->from, "diagnose a saved file instead of this host")->type_name("FILE");
    verb->add_option("--root", options->root, "diagnose the tree of a host in this folder; its driver is not loaded")
        ->excludes(from)
        ->type_name("FOLDER");
    verb->add_option("--facts", options->facts, "add facts that a folder cannot hold, from a file in the format of --save")
        ->type_name("FILE");
    constexpr double shortest_timeout = 0.01;
    require_seconds(*verb->add_option("--timeout", options->timeout, "how long the driver may take; 30 by default"), shortest_timeout,
                    longest_timeout);
    verb->add_option("--simulator", options->simulator, "write a plan for the simulated driver to this folder and print its variables")
        ->type_name("FOLDER");
    verb->footer(
        "Example: devquery doctor --save host.json; elsewhere: devquery doctor --from host.json\n"
        "Exit codes: 0 nothing is wrong, 10 to 17 no GPU can be used and why, 18 some can; 2 usage; 3 bad input.");
    verb->callback([options, &outcome] { outcome = run_doctor(*options); });
}

}  // namespace cupool::tools
