// cupool color.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "files.hpp"
#include "formats/dimacs.hpp"
#include "process.hpp"
#include "test_data.hpp"

using namespace cupool::tools;
using cupool::test::as_bytes;
using cupool::test::contains_text;
using cupool::test::ProcessResult;
using cupool::test::read_text;
using cupool::test::run_process;
using cupool::test::TemporaryDirectory;

namespace {

const std::string tool = CUPOOL_TOOL;
const std::string triangle = "c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 1 3\n";

ProcessResult color(const std::vector<std::string>& options, const std::string& graph, const std::vector<std::string>& variables = {}) {
    std::vector<std::string> arguments = {"color", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_process(tool, arguments, graph, variables);
}

nlohmann::json color_found(std::vector<std::string> options, const std::string& graph, const std::vector<std::string>& variables = {}) {
    options.emplace_back("--json");
    const auto result = color(options, graph, variables);
    INFO(result.err);
    CHECK(result.err.empty());
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out);
}

void check_refused(const std::vector<std::string>& options, const std::string& graph, int exit_code, const std::string& text) {
    const auto result = color(options, graph);
    CHECK(result.exit_code == exit_code);
    CHECK(result.out.empty());
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, contains_text(text));
}

/// Colours from 1, of each vertex.
std::size_t conflicts_of(const std::vector<int>& colors, const std::string& graph) {
    std::size_t conflicts = 0;
    for (const auto& edge : parse_dimacs(as_bytes(graph)).edges) conflicts += colors.at(edge.first) == colors.at(edge.second) ? 1 : 0;
    return conflicts;
}

/// Reads a solution as the DIMACS challenge writes it.
std::vector<int> solution_colors(const std::string& solution, int expected_colors) {
    std::istringstream lines(solution);
    std::string kind;
    std::string problem;
    int count = 0;
    lines >> kind >> problem >> count;
    CHECK(kind == "s");
    CHECK(problem == "col");
    CHECK(count == expected_colors);
    std::vector<int> colors;
    std::size_t vertex = 0;
    for (int own = 0; lines >> kind >> vertex >> own; colors.push_back(own)) {
        CHECK(kind == "l");
        CHECK(vertex == colors.size() + 1);
        CHECK((own >= 1 && own <= expected_colors));
    }
    return colors;
}

std::vector<std::string> simulated() {
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    return {std::string("CUPOOL_DRIVER=") + (simulator == nullptr ? "" : simulator)};
}

/// Graphs that are coloured on the simulated driver are small, and so are the searches.
const std::vector<std::string> small_search = {"--population", "4", "--group", "2", "--steps", "200"};

}  // namespace

TEST_CASE("cupool color prints a proper colouring as DIMACS solutions are written") {
    const auto result = color({"-k", "3", "--engine", "host"}, triangle);
    CHECK(result.err.empty());
    REQUIRE(result.exit_code == 0);
    CHECK(conflicts_of(solution_colors(result.out, 3), triangle) == 0);
}

TEST_CASE("cupool color says in JSON what it found, how, and where") {
    const auto json = color_found({"-k", "3", "--engine", "host", "--seed", "18446744073709551615"}, triangle);
    CHECK(json.at("graph") == "-");
    CHECK(json.at("vertices") == 3);
    CHECK(json.at("edges") == 3);
    CHECK(json.at("k") == 3);
    CHECK(json.at("found") == true);
    CHECK(json.at("conflicts") == 0);
    CHECK(json.at("seed") == 18446744073709551615U);
    CHECK(json.at("generations") == 1);
    CHECK(json.at("moves").is_number_unsigned());
    CHECK(json.at("engine") == "host");
    CHECK(json.at("devices") == nlohmann::json::array());
    CHECK(json.at("ms").is_number());
    auto colors = json.at("colors").get<std::vector<int>>();
    std::sort(colors.begin(), colors.end());
    CHECK(colors == std::vector{1, 2, 3});
}

TEST_CASE("where cupool color finds no proper colouring, only its JSON has the best one") {
    std::vector<std::string> options = {"-k", "2", "--engine", "host", "--generations", "3"};
    check_refused(options, triangle, 1, "no proper colouring in 2 colours was found; the best of 3 generations has 1 conflict\n");
    options.emplace_back("--json");
    const auto result = color(options, triangle);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains_text("no proper colouring in 2 colours"));
    const auto json = nlohmann::json::parse(result.out);
    CHECK(json.at("found") == false);
    CHECK(json.at("conflicts") == 1);
    CHECK(json.at("generations") == 3);
    CHECK(conflicts_of(json.at("colors").get<std::vector<int>>(), triangle) == 1);
    check_refused({"-k", "2", "--engine", "host", "--time", "0.01"}, triangle, 1, "no proper colouring");
    check_refused({"-k", "2", "--engine", "host", "--time", "0"}, triangle, 1, "the best of 1 generations");
}

TEST_CASE("cupool color writes its result to a file instead") {
    const TemporaryDirectory directory;
    const auto file = directory.path("solution");
    const auto result = color({"-k", "3", "--engine", "host", "--output", file}, triangle);
    CHECK(result.exit_code == 0);
    CHECK(result.out.empty());
    CHECK(conflicts_of(solution_colors(read_text(file), 3), triangle) == 0);
    const auto none = directory.path("none");
    check_refused({"-k", "2", "--engine", "host", "--generations", "1", "--output", none}, triangle, 1, "no proper colouring");
    CHECK_FALSE(std::filesystem::exists(none));
    check_refused({"-k", "3", "--engine", "host", "--output", directory.path("no/where")}, triangle, 1, "cannot be written: No such file");
}

TEST_CASE("cupool color goes on from its checkpoint as if it had not been interrupted") {
    CUPOOL_TEST_DATA_OR_SKIP(file, "dimacs/DSJC125.5.col");
    const auto graph = read_text(file);
    const TemporaryDirectory directory;
    const auto search = [&](const std::string& generations, const std::vector<std::string>& further) {
        std::vector<std::string> options = {"-k", "16", "--engine", "host", "--population", "4", "--group", "2", "--steps", "300"};
        options.insert(options.end(), {"--seed", "5", "--json", "--generations", generations});
        options.insert(options.end(), further.begin(), further.end());
        const auto result = color(options, graph);
        CHECK(result.exit_code == 1);
        auto json = nlohmann::json::parse(result.out);
        json.erase("ms");
        return json;
    };
    const auto whole = search("6", {});
    const std::vector<std::string> with_checkpoint = {"--checkpoint", directory.path("search")};
    CHECK(search("2", with_checkpoint).at("generations") == 2);
    CHECK(search("2", with_checkpoint).at("generations") == 2);  // it was over before
    CHECK(search("6", with_checkpoint) == whole);
}

TEST_CASE("cupool color refuses a checkpoint that is another search's, or none, or cannot be written") {
    const TemporaryDirectory directory;
    const auto file = directory.path("search");
    std::vector<std::string> options = {"-k", "3", "--engine", "host", "--seed", "5", "--checkpoint", file};
    CHECK(color(options, triangle).exit_code == 0);
    CHECK(color(options, triangle).exit_code == 0);
    check_refused({"-k", "2", "--engine", "host", "--checkpoint", file}, triangle, 2, "-k is 2, but the search of the checkpoint has 3");
    check_refused({"-k", "3", "--engine", "host", "--seed", "6", "--checkpoint", file}, triangle, 2, "--seed is 6");
    check_refused({"-k", "3", "--engine", "host", "--temperature", "0.5", "--checkpoint", file}, triangle, 2, "--temperature is 0.5");
    check_refused(options, "p edge 2 1\ne 1 2\n", 3, file);
    options.back() = directory.write("garbage", "nothing");
    check_refused(options, triangle, 3, options.back());
    options.back() = directory.path("no/where");
    check_refused(options, triangle, 1, "no/where");
}

TEST_CASE("cupool color saves and ends when it is interrupted") {
    const TemporaryDirectory directory;
    const auto graph = directory.write("triangle", triangle);
    const auto file = directory.path("search");
    std::vector<std::string> command = {tool, "color", graph, "-k", "2", "--engine", "host", "--checkpoint", file};
    std::vector<char*> arguments;
    for (auto& text : command) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, directory.path("err").c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    REQUIRE(posix_spawn(&child, tool.c_str(), &actions, nullptr, arguments.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    while (!std::filesystem::exists(file) && waitpid(child, nullptr, WNOHANG) == 0) usleep(10'000);
    kill(child, SIGINT);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK_THAT(read_text(directory.path("err")), contains_text("interrupted: no proper colouring in 2 colours"));
    const auto resumed = color({"-k", "2", "--engine", "host", "--checkpoint", file, "--generations", "1", "--json"}, triangle);
    CHECK(nlohmann::json::parse(resumed.out).at("generations").get<int>() >= 1);
}

TEST_CASE("cupool color refuses bad graphs and options, with nothing on stdout") {
    check_refused({"-k", "3"}, "", 3, "standard input: the input is empty");
    check_refused({"-k", "3"}, "p edge 3 1\ne 1 4\n", 3, "standard input, line 2, column 5");
    check_refused({"-k", "0"}, triangle, 2, "-k");
    check_refused({"-k", "65536"}, triangle, 2, "-k");
    check_refused({"-k", "-1"}, triangle, 2, "-k");
    check_refused({}, triangle, 2, "-k");
    check_refused({"-k", "3", "--time", "nan"}, triangle, 2, "--time");
    check_refused({"-k", "3", "--time", "-1"}, triangle, 2, "--time");
    check_refused({"-k", "3", "--generations", "0"}, triangle, 2, "--generations");
    check_refused({"-k", "3", "--seed", "18446744073709551616"}, triangle, 2, "--seed");
    check_refused({"-k", "3", "--seed", "0x1"}, triangle, 2, "--seed");
    check_refused({"-k", "3", "--population", "4294967296"}, triangle, 2, "--population");
    check_refused({"-k", "3", "--engine", "host", "--group", "0"}, triangle, 2, "group");
    check_refused({"-k", "3", "--engine", "host", "--population", "7", "--group", "2"}, triangle, 2, "population");
    check_refused({"-k", "3", "--engine", "host", "--temperature", "-1"}, triangle, 2, "temperature");
    check_refused({"-k", "3", "--engine", "host", "--temperature", "nan"}, triangle, 2, "temperature");
    check_refused({"-k", "3", "--engine", "host", "--devices", "0"}, triangle, 2, "--devices");
    const auto missing = run_process(tool, {"color", "/nonexistent/graph.col", "-k", "3"});
    CHECK(missing.exit_code == 3);
    CHECK_THAT(missing.err, contains_text("/nonexistent/graph.col: cannot be read"));
}

TEST_CASE("cupool color colours graphs of the DIMACS challenge on the host") {
    struct Known {
        const char* name;
        const char* colors;
    };
    for (const Known& known : {Known{"myciel7", "8"}, Known{"queen8_8", "9"}, Known{"DSJC125.1", "5"}}) {
        CUPOOL_TEST_DATA_OR_SKIP(file, std::string("dimacs/") + known.name + ".col");
        const auto graph = read_text(file);
        const auto json = color_found({"-k", known.colors, "--engine", "host"}, graph);
        CHECK(json.at("found") == true);
        CHECK(conflicts_of(json.at("colors").get<std::vector<int>>(), graph) == 0);
    }
}

TEST_CASE("cupool color searches on simulated devices as on the host") {
    if (std::getenv("CUPOOL_SIM_LIBRARY") == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    std::string wheel = "p edge 9 16\n";  // 8 vertices around one, which needs 3 colours
    for (int i = 1; i <= 8; ++i) wheel += "e 9 " + std::to_string(i) + "\ne " + std::to_string(i) + ' ' + std::to_string(i % 8 + 1) + '\n';
    auto options = small_search;
    options.insert(options.end(), {"-k", "3", "--seed", "2", "--engine"});
    const auto on = [&](const std::string& engine) {
        auto own = options;
        own.push_back(engine);
        return color_found(own, wheel, simulated());
    };
    const auto on_device = on("gpu");
    const auto on_host = on("host");
    CHECK(on_device.at("engine") == "gpu");
    CHECK(on_device.at("devices").size() >= 1);
    for (const char* const member : {"colors", "conflicts", "generations", "moves"}) CHECK(on_device.at(member) == on_host.at(member));
    CHECK(conflicts_of(on_device.at("colors").get<std::vector<int>>(), wheel) == 0);
}
