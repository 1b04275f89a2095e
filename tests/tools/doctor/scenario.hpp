// A recorded host, as docs/devquery.md describes its file, made into a folder that devquery can diagnose.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cupool::test {

struct Scenario {
    std::string name;
    nlohmann::json content;  ///< with the members of the scenario that it is like

    /// The id of the first finding; empty on a healthy host.
    std::string expected() const;
    /// Whether the simulated driver answers; else the answer of a driver is recorded.
    bool needs_simulator() const { return content.contains("simulator"); }
};

/// All scenarios of a folder, by name. \throws std::runtime_error naming the file and the member
std::vector<Scenario> read_scenarios(const std::filesystem::path& folder);

/// Makes the tree of a host in a folder. \return the facts that a folder cannot hold, for --facts
nlohmann::json make_host(const Scenario& scenario, const std::filesystem::path& root);

/// The variables of a scenario, as NAME=VALUE.
std::vector<std::string> variables_of(const Scenario& scenario);

}  // namespace cupool::test
