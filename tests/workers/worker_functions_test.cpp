// What a function finds in a worker process, and what comes back of it.
#include <cstdlib>
#include <set>
#include <sstream>

#include "environment_variable.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("functions run in processes of their own, one for each device") {
    const WorkerPool pool = WorkerPool::start(workers_of_simulated_devices(3));
    REQUIRE(pool.worker_count() == 3);
    CHECK(pool.engine() == Engine::gpu);
    const WorkerMetrics metrics = pool.metrics();
    std::set<int> processes;
    std::set<std::string> devices;
    for (const WorkerStatus& worker : metrics.workers) {
        processes.insert(worker.process);
        devices.insert(worker.device_uuid);
    }
    CHECK(processes.size() == 3);
    CHECK(devices.size() == 3);
    CHECK(processes.count(std::stoi(called(pool, "process"))) == 1);
    CHECK(devices.count(called(pool, "device")) == 1);
    CHECK(called(pool, "echo", "") == "");
}

TEST_CASE("bytes come back as they went, however many") {
    const WorkerPool pool = WorkerPool::start(host_workers());
    for (const std::size_t size : {std::size_t{1}, std::size_t{32700}, std::size_t{32768}, std::size_t{32769}, std::size_t{3'000'000}}) {
        std::string text(size, '\0');
        for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + size);
        CHECK(called(pool, "echo", text) == text);
    }
}

TEST_CASE("a worker inherits no descriptor and no secret") {
    const EnvironmentVariable secret("SECRET_TOKEN", "hunter2");
    WorkerOptions options = simulated_workers();
    options.environment.emplace_back("PROGRAM_NEEDS=this");
    const WorkerPool pool = WorkerPool::start(options);
    const std::string environment = called(pool, "environment");
    CHECK(environment.find("hunter2") == std::string::npos);
    CHECK_THAT(environment, contains_text("PROGRAM_NEEDS=this"));
    CHECK_THAT(environment, contains_text("CUDA_VISIBLE_DEVICES="));
    // 3 is the connection; higher ones were opened in the worker itself.
    std::istringstream descriptors(called(pool, "descriptors"));
    std::string own;
    std::getline(descriptors, own);
    CHECK(own.substr(0, 8) == "0 1 2 3 ");
}

TEST_CASE("errors of a function are its caller's") {
    const WorkerPool pool = WorkerPool::start(simulated_workers(1));
    const int line = __LINE__ + 1;
    auto unknown = pool.call("no such function", {});
    const Error error = error_of([&] { unknown.get(); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK(error.location().line == line);
    CHECK_THAT(error.message(), contains_text("\"no such function\""));
    const Error thrown = error_of([&] { called(pool, "misbehave", "throw"); });
    CHECK(thrown.category() == ErrorCategory::internal);
    CHECK_THAT(thrown.message(), contains_text("as it was asked to"));
    const Error memory = error_of([&] { called(pool, "misbehave", "memory"); });
    CHECK(memory.category() == ErrorCategory::out_of_memory);
    CHECK(memory.code() == abi::Status::out_of_memory);
    CHECK_THAT(memory.driver_log(), contains_text("Returning 2 (CUDA_ERROR_OUT_OF_MEMORY) from cuMem"));
    CHECK(error_of([&] { pool.call("cupool.msm", {}); }).category() == ErrorCategory::invalid_argument);
    CHECK(called(pool, "echo", "on") == "on");
    CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) == 0);
}

TEST_CASE("options are checked") {
    const auto category = [](WorkerOptions options) { return error_of([&] { WorkerPool::start(options); }).category(); };
    WorkerOptions options = simulated_workers();
    options.program = "/no/such/program";
    CHECK(category(options) == ErrorCategory::invalid_argument);
    options = simulated_workers();
    options.devices = {0, 0};
    CHECK(category(options) == ErrorCategory::invalid_argument);
    options = simulated_workers();
    options.attempts = 0;
    CHECK(category(options) == ErrorCategory::invalid_argument);
    options = simulated_workers();
    options.devices = {-1};
    CHECK(category(options) == ErrorCategory::invalid_argument);
}

TEST_CASE("a device that the host does not have is named") {
    WorkerOptions options = workers_of_simulated_devices(2);
    options.devices = {0, 7};
    const Error error = error_of([&] { WorkerPool::start(options); });
    CHECK(error.category() == ErrorCategory::invalid_device);
    CHECK(error.device() == 7);
    CHECK_THAT(error.message(), contains_text("2 device(s)"));
}

TEST_CASE("named devices without a driver have the driver's reason") {
    WorkerOptions options = workers_of_simulated_devices(1);
    options.environment = {"CUPOOL_DRIVER=/no/such/libcuda.so"};
    options.devices = {0};
    const Error error = error_of([&] { WorkerPool::start(options); });
    CHECK(error.category() == ErrorCategory::driver_unavailable);
    CHECK(error.reason() == Reason::no_library);
}

TEST_CASE("without a device the host's cores do it, unless devices are required") {
    WorkerOptions options = workers_of_simulated_devices(1);
    options.environment = {"CUPOOL_DRIVER=/no/such/libcuda.so"};
    const Error error = error_of([&] { WorkerPool::start(options); });
    CHECK(error.category() == ErrorCategory::driver_unavailable);
    options.engine = Engine::automatic;
    const WorkerPool pool = WorkerPool::start(options);
    CHECK(pool.engine() == Engine::host);
    CHECK(pool.worker_count() == 1);
    CHECK(called(pool, "echo", "host") == "host");
}
