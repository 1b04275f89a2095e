#pragma once

#include <cstdlib>
#include <cupool/pool/worker_pool.hpp>
#include <string>
#include <vector>

#include "catch.hpp"

namespace cupool::test {

/// Options for workers that run the tests' worker program on simulated devices, one each.
inline WorkerOptions workers_of_simulated_devices(int devices) {
    WorkerOptions options;
    options.program = CUPOOL_TEST_WORKER;
    options.engine = Engine::gpu;
    options.environment = {std::string("CUPOOL_DRIVER=") + CUPOOL_SIMULATOR_LIBRARY, "CUPOOL_SIM_DEVICES=" + std::to_string(devices)};
    return options;
}

/// The same; or, where the variable CUPOOL_TEST_GPU_WORKERS is set, as many workers on the host's first GPU.
inline WorkerOptions simulated_workers(int workers = 2) {
    WorkerOptions options = workers_of_simulated_devices(workers);
    if (std::getenv("CUPOOL_TEST_GPU_WORKERS") == nullptr) return options;
    options.environment.clear();
    options.devices = {0};
    options.workers_per_device = static_cast<unsigned>(workers);
    return options;
}

/// Workers on the host's cores.
inline WorkerOptions host_workers(unsigned count = 1) {
    WorkerOptions options;
    options.program = CUPOOL_TEST_WORKER;
    options.engine = Engine::host;
    options.workers_per_device = count;
    return options;
}

inline std::vector<std::byte> bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

inline std::string text_of(const std::vector<std::byte>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Calls a function of the worker program and waits for its answer.
inline std::string called(const WorkerPool& pool, const std::string& function, const std::string& input = "") {
    return text_of(pool.call(function, bytes_of(input)).get());
}

/// The Error that a function throws; fails the test where it throws none.
template <class Function>
Error error_of(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no Error was thrown");
    return Error(ErrorCategory::internal, "");
}

inline std::uint64_t sum_of(const WorkerMetrics& metrics, std::uint64_t WorkerStatus::*count) {
    std::uint64_t sum = 0;
    for (const WorkerStatus& worker : metrics.workers) sum += worker.*count;
    return sum;
}

}  // namespace cupool::test
