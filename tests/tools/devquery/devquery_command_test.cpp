#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "files.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::read_text;
using cupool::test::run_process;
using cupool::test::TemporaryDirectory;

namespace {

const std::string devquery = DEVQUERY_TOOL;

}  // namespace

TEST_CASE("devquery answers on any host: a reason as its exit code, data on stdout alone") {
    const auto table = run_process(devquery, {});
    CHECK(table.err.empty());
    CHECK_FALSE(table.out.empty());
    CHECK(table.out.find('\033') == std::string::npos);  // stdout is no terminal here
    const auto json = run_process(devquery, {"--json"});
    CHECK(json.err.empty());
    CHECK(nlohmann::json::parse(json.out).at("reason").at("code") == json.exit_code);
    CHECK(json.exit_code == table.exit_code);
    CHECK((table.exit_code == 0 || (table.exit_code >= 10 && table.exit_code <= 18)));
}

TEST_CASE("devquery says what is wrong with a library that is none") {
    const TemporaryDirectory directory;
    const auto library = directory.write("libcuda.so.1", "not a library");
    const auto table = run_process(devquery, {}, {}, {"CUPOOL_DRIVER=" + library});
    CHECK(table.exit_code == 11);
    CHECK_THAT(table.out, contains_text("11 (library_unusable)"));
    CHECK_THAT(table.out, contains_text(library));
    CHECK(table.err.empty());
}

TEST_CASE("devquery initialises a driver that works once, in one process") {
    const TemporaryDirectory directory;
    const auto log = directory.path("log");
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"--json"}, {"--csv"}, {"--all"}}) {
        const auto variables = {std::string("CUPOOL_DRIVER=") + CUPOOL_MISBEHAVING_DRIVER, "CUPOOL_TEST_INIT_LOG=" + log};
        CHECK(run_process(devquery, arguments, {}, variables).exit_code == 0);
    }
    std::istringstream lines(read_text(log));
    const std::set<std::string> processes(std::istream_iterator<std::string>(lines), {});
    CHECK(processes.size() == 4);
}

TEST_CASE("devquery talks on stderr when asked") { CHECK_FALSE(run_process(devquery, {"--verbose"}).err.empty()); }

TEST_CASE("devquery shows CUDA_VISIBLE_DEVICES") {
    CHECK_THAT(run_process(devquery, {}, {}, {"CUDA_VISIBLE_DEVICES=7,3"}).out, contains_text("CUDA_VISIBLE_DEVICES=7,3"));
    const auto json = run_process(devquery, {"--json"}, {}, {"CUDA_VISIBLE_DEVICES=7,3"});
    CHECK(nlohmann::json::parse(json.out).at("cuda_visible_devices") == "7,3");
}

TEST_CASE("devquery shows the devices of a simulated driver and says that they are simulated") {
    const char* const library = std::getenv("CUPOOL_SIM_LIBRARY");
    if (library == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const auto result = run_process(devquery, {"--json"}, {}, {std::string("CUPOOL_DRIVER=") + library});
    CHECK(result.exit_code == 0);
    const auto json = nlohmann::json::parse(result.out);
    CHECK(json.at("driver").at("simulated") == true);
    CHECK_FALSE(json.at("devices").empty());
    for (const auto& device : json.at("devices")) CHECK(device.at("usable") == true);
    CHECK_THAT(run_process(devquery, {}, {}, {std::string("CUPOOL_DRIVER=") + library}).out, contains_text("not real"));
}

TEST_CASE("devquery has usage errors, help and a version") {
    const auto usage = run_process(devquery, {"--frobnicate"});
    CHECK(usage.exit_code == 2);
    CHECK(usage.out.empty());
    CHECK_THAT(usage.err, contains_text("--frobnicate"));
    CHECK(run_process(devquery, {"surplus"}).exit_code == 2);
    for (const auto* const option : {"--help", "--version"}) {
        const auto result = run_process(devquery, {option});
        CHECK(result.exit_code == 0);
        CHECK_THAT(result.out, contains_text("devquery"));
        CHECK(result.err.empty());
    }
}
