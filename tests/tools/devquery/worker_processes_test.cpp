// The worker processes that devquery finds: those of a running pool, and those of a made-up proc file system.
#include "devquery/worker_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cupool/pool/worker_pool.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "files.hpp"
#include "json_schema.hpp"
#include "process.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::contains_text;
using cupool::test::run_process;
using cupool::test::TemporaryDirectory;

namespace {

/// A folder like /proc, with processes of these command lines.
class Processes {
public:
    void add(int process, const std::string& command, const std::string& environment, const std::string& status) const {
        const std::string name = std::to_string(process);
        std::filesystem::create_directory(root_.path(name));
        root_.write(name + "/cmdline", command);
        root_.write(name + "/environ", environment);
        root_.write(name + "/status", status);
    }
    std::string path() const { return root_.path(""); }

private:
    TemporaryDirectory root_;
};

std::string zero_ended(const std::vector<std::string>& texts) {
    std::string all;
    for (const auto& text : texts) all += text + '\0';
    return all;
}

}  // namespace

TEST_CASE("devquery workers shows the workers of a running pool") {
    WorkerOptions options;
    options.program = CUPOOL_WORKER;
    options.engine = Engine::host;
    options.workers_per_device = 2;
    const WorkerPool pool = WorkerPool::start(options);
    const auto result = run_process(DEVQUERY_TOOL, {"workers", "--json"});
    CHECK(result.exit_code == 0);
    const auto json = nlohmann::json::parse(result.out);
    const test::JsonSchema schema(nlohmann::json::parse(test::read_text(DEVQUERY_SCHEMA)));
    CHECK(schema.faults(json, "workers").empty());
    std::vector<int> found;
    for (const auto& worker : json.at("workers")) {
        if (worker.at("pool_process") != ::getpid()) continue;  // of another test
        CHECK(worker.at("engine") == "host");
        CHECK(worker.at("resident_bytes") > 0);
        found.push_back(worker.at("process"));
    }
    std::vector<int> expected;
    for (const auto& worker : pool.metrics().workers) expected.push_back(worker.process);
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
    CHECK_THAT(run_process(DEVQUERY_TOOL, {"workers"}).out, contains_text(std::to_string(expected.front())));
}

TEST_CASE("worker processes are known by their command line") {
    const Processes processes;
    processes.add(30, zero_ended({"/opt/prover", "--cupool-worker", "gpu"}), zero_ended({"A=1", "CUDA_VISIBLE_DEVICES=GPU-1"}),
                  "Name:\tprover\nPPid:\t7\nVmRSS:\t  2048 kB\n");
    processes.add(20, zero_ended({"cupool-worker", "--cupool-worker", "host"}), "", "PPid:\t9\n");
    processes.add(21, zero_ended({"cupool-worker", "--cupool-worker", "census"}), "", "PPid:\t9\n");
    processes.add(22, zero_ended({"vi", "--cupool-worker"}), "", "PPid:\t9\n");
    processes.add(23, "", "", "");  // a thread of the kernel
    const auto workers = find_worker_processes(processes.path());
    REQUIRE(workers.size() == 2);
    CHECK(workers[0].process == 30);
    CHECK(workers[0].pool_process == 7);
    CHECK(workers[0].engine == Engine::gpu);
    CHECK(workers[0].visible_device == "GPU-1");
    CHECK(workers[0].resident_bytes == 2048 * 1024);
    CHECK(workers[1].process == 20);
    CHECK(workers[1].engine == Engine::host);
    CHECK_FALSE(workers[1].visible_device.has_value());
    CHECK_FALSE(workers[1].resident_bytes.has_value());
    CHECK(find_worker_processes("/nonexistent").empty());
}

TEST_CASE("the table of workers is safe to print, and says where there are none") {
    WorkerProcess worker;
    worker.program = "\x1b[31mred";
    CHECK(worker_table({worker}, 0).find('\x1b') == std::string::npos);
    CHECK_THAT(worker_table({}, 0), contains_text("No worker process"));
}
