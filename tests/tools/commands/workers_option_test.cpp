// cupool's jobs in worker processes: --workers.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::run_process;

namespace {

const std::string tool = CUPOOL_TOOL;
const std::string pairs = "1 2 3\n1 2 4\n";

nlohmann::json run_job(const std::vector<std::string>& arguments, const std::string& input, const std::vector<std::string>& variables) {
    const auto result = run_process(tool, arguments, input, variables);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out);
}

void require_usage_error(const std::vector<std::string>& arguments, const std::string& text) {
    const auto result = run_process(tool, arguments, pairs);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text(text));
}

}  // namespace

TEST_CASE("cupool computes in worker processes") {
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const std::vector<std::string> devices = {std::string("CUPOOL_DRIVER=") + simulator, "CUPOOL_SIM_DEVICES=2"};
    const auto sum = run_job({"msm", "--curve", "bn254", "--pairs", "-", "--engine", "host"}, pairs, {}).at("x");
    const auto json = run_job({"msm", "--curve", "bn254", "--pairs", "-", "--workers", "1", "--devices", "1", "--check"}, pairs, devices);
    CHECK(json.at("x") == sum);
    CHECK(json.at("engine") == "gpu");
    CHECK(json.at("devices") == nlohmann::json::array({1}));
    CHECK(json.at("checked_by") == "the host engine");

    const std::uint32_t numbers[] = {1, 2, 39};
    const std::string bytes(reinterpret_cast<const char*>(numbers), sizeof numbers);
    const auto reduced = run_job({"reduce", "--type", "u32", "--op", "sum", "-", "--workers", "2"}, bytes, devices);
    CHECK(reduced.at("result") == 42);
    CHECK(reduced.at("engine") == "gpu");
}

TEST_CASE("without a GPU a worker process computes on the host, unless a GPU is required") {
    const std::vector<std::string> no_driver = {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"};
    const std::vector<std::string> command = {"msm", "--curve", "bn254", "--pairs", "-", "--workers", "1"};
    CHECK(run_job(command, pairs, no_driver).at("engine") == "host");
    auto on_gpu = command;
    on_gpu.insert(on_gpu.end(), {"--engine", "gpu"});
    const auto result = run_process(tool, on_gpu, pairs, no_driver);
    CHECK(result.exit_code == 10);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text("libcuda"));
    auto on_device = command;
    on_device.insert(on_device.end(), {"--devices", "0"});
    CHECK(run_process(tool, on_device, pairs, no_driver).exit_code == 10);
}

TEST_CASE("a device that the host does not have is a wrong use of --devices, with --workers too") {
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const std::vector<std::string> devices = {std::string("CUPOOL_DRIVER=") + simulator, "CUPOOL_SIM_DEVICES=2"};
    std::vector<std::string> command = {"msm", "--curve", "bn254", "--pairs", "-", "--devices", "9"};
    CHECK(run_process(tool, command, pairs, devices).exit_code == 2);
    command.insert(command.end(), {"--workers", "1"});
    const auto result = run_process(tool, command, pairs, devices);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text("2 device(s)"));
}

TEST_CASE("--workers refuses what worker processes do not do") {
    require_usage_error({"msm", "--curve", "bn254", "--pairs", "-", "--workers", "0"}, "--workers");
    require_usage_error({"msm", "--curve", "bn254", "--pairs", "-", "--workers", "1", "--threads", "2"}, "--threads");
    require_usage_error({"msm", "--curve", "bn254", "--pairs", "-", "--workers", "1", "--engine", "host", "--devices", "0"}, "--devices");
    require_usage_error({"reduce", "--type", "u32", "--op", "argmin", "-", "--workers", "1"}, "--workers");
    require_usage_error({"reduce", "--type", "u32", "--op", "sum", "--segments", "2", "-", "--workers", "1"}, "--workers");
    require_usage_error({"bench", "msm", "--workers", "1"}, "--workers");
}
