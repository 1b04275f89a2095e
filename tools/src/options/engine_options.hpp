#pragma once

#include <CLI/CLI.hpp>
#include <cupool/pool/device_pool.hpp>
#include <vector>

namespace cupool::tools {

/// Where a job is to run.
struct EngineOptions {
    Engine engine = Engine::automatic;
    std::vector<int> devices;  ///< ordinals; empty means all
    unsigned threads = 0;      ///< threads of the host engine; 0 means all cores
};

/// Adds --engine, --devices and --threads to a command.
void add_engine_options(CLI::App& command, EngineOptions& options);

/// Opens the pool that the options name. \throws Error as DevicePool's factories do
DevicePool open_pool(const EngineOptions& options);

/// A pool of the other engine, to check the results of `pool`; the host if no GPU is usable.
DevicePool open_other_pool(const DevicePool& pool, const EngineOptions& options);

}  // namespace cupool::tools
