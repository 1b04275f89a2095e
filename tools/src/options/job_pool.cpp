#include "options/job_pool.hpp"

namespace cupool::tools {
namespace {

WorkerPool start_workers(const EngineOptions& options) {
    require_consistent(options);
    WorkerOptions own;
    own.devices = options.devices;
    own.engine = options.devices.empty() ? options.engine : Engine::gpu;
    own.workers_per_device = options.workers;
    return WorkerPool::start(own);
}

std::variant<DevicePool, WorkerPool> open(const EngineOptions& options) {
    if (options.workers > 0) return start_workers(options);
    return open_pool(options);
}

}  // namespace

JobPool::JobPool(const EngineOptions& options) : pool_(open(options)) {}

Engine JobPool::engine() const {
    return std::visit([](const auto& pool) { return pool.engine(); }, pool_);
}

std::string JobPool::description() const {
    const auto* const workers = std::get_if<WorkerPool>(&pool_);
    if (workers == nullptr) return to_string(std::get<DevicePool>(pool_));
    const std::size_t count = workers->worker_count();
    return std::to_string(count) + (count == 1 ? " worker process" : " worker processes") +
           (workers->engine() == Engine::host ? " on the host" : "");
}

}  // namespace cupool::tools
