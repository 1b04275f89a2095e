#include "tool_runs.hpp"

#include <nlohmann/json.hpp>

#include "test_data.hpp"

namespace cupool::test {
namespace {

void erase_what_varies(nlohmann::json& json) {
    for (const auto* const member :
         {"ms", "first_ms", "median_ms", "min_ms", "bound_ms", "share_of_bound", "points_per_s", "elements_per_s", "engine", "threads"}) {
        json.erase(member);
    }
    if (json.contains("devices") && !json.contains("driver")) json.erase("devices");  // devquery's list of devices is its answer
    json.erase("evidence");
    if (json.contains("results")) {
        for (auto& result : json["results"]) erase_what_varies(result);
    }
}

void add_devquery(std::vector<ToolRun>& runs, const std::string& driver, const std::vector<std::string>& variables) {
    runs.push_back({"devquery, " + driver, DEVQUERY_TOOL, {}, variables});
    runs.push_back({"devquery --json, " + driver, DEVQUERY_TOOL, {"--json"}, variables});
}

void add_jobs(std::vector<ToolRun>& runs, const TemporaryDirectory& directory, const std::string& driver,
              const std::vector<std::string>& variables) {
    const auto add = [&](const std::string& command, std::vector<std::string> arguments, bool is_long) {
        runs.push_back({"cupool " + command + ", " + driver, CUPOOL_TOOL, std::move(arguments), variables, is_long});
    };
    const bool has_driver = driver != "no driver";
    add("msm", {"msm", "--curve", "bn254", "--pairs", directory.write("pairs", "1 2 5\n1 2 7\ninf 3\n")}, has_driver);
    add("reduce", {"reduce", "--type", "i32", "--op", "sum", directory.write("numbers", std::string("\1\0\0\0\2\0\0\0", 8))}, has_driver);
    add("color",
        {"color", directory.write("triangle", "p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n"), "-k", "3", "--population", "2", "--group", "2",
         "--json"},
        has_driver);
    add("bench msm", {"bench", "msm", "--json", "--sizes", "3", "--runs", "1"}, has_driver);
    add("bench reduce", {"bench", "reduce", "--json", "--sizes", "3", "--runs", "1"}, has_driver);
}

}  // namespace

std::vector<ToolRun> tool_runs(const TemporaryDirectory& directory, const std::string& simulator) {
    std::vector<ToolRun> runs;
    const std::vector<std::string> no_driver = {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"};
    const std::vector<std::string> simulated = {"CUPOOL_DRIVER=" + simulator};
    add_devquery(runs, "no driver", no_driver);
    add_devquery(runs, "simulated driver", simulated);
    add_jobs(runs, directory, "no driver", no_driver);
    add_jobs(runs, directory, "simulated driver", simulated);
    runs.push_back({"devquery --help", DEVQUERY_TOOL, {"--help"}, {}});
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{}, {"msm"}, {"kzg-commit"}, {"reduce"}, {"bench"}, {"bench", "msm"}}) {
        ToolRun run{"cupool", CUPOOL_TOOL, command, {}};
        run.arguments.emplace_back("--help");
        for (const auto& argument : run.arguments) run.name += ' ' + argument;
        runs.push_back(std::move(run));
    }
    if (const auto setup = test_data("kzg/trusted_setup.txt")) {
        const auto blob = directory.write("blob", std::string(131072, '\0'));
        runs.push_back({"cupool kzg-commit", CUPOOL_TOOL, {"kzg-commit", "--setup", setup->string(), blob}, no_driver, true});
    }
    return runs;
}

std::string answer_in(const std::string& output) {
    auto json = nlohmann::json::parse(output, nullptr, false);
    if (!json.is_object()) return output;
    erase_what_varies(json);
    return json.dump();
}

}  // namespace cupool::test
