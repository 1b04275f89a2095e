#pragma once

#include <cstdint>
#include <cupool/kernels/run_report.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cupool::tools {

/// A worker process of some program's WorkerPool.
struct WorkerProcess {
    int process = 0;
    int pool_process = 0;  ///< the process that has the pool
    Engine engine = Engine::host;
    std::string program;                          ///< as it was started
    std::optional<std::string> visible_device;    ///< its CUDA_VISIBLE_DEVICES; nullopt: none, or of another user
    std::optional<std::uint64_t> resident_bytes;  ///< of host memory
};

/// The workers that this user may see, ordered by pool and process. \param proc  where the proc file system lies
std::vector<WorkerProcess> find_worker_processes(const std::string& proc = "/proc");

/// A table for people. \param width  of the output in characters; 0 means unlimited
std::string worker_table(const std::vector<WorkerProcess>& workers, std::size_t width);
std::string worker_json(const std::vector<WorkerProcess>& workers);

}  // namespace cupool::tools
