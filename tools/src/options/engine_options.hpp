#pragma once

#include <CLI/CLI.hpp>
#include <cupool/pool/device_pool.hpp>
#include <vector>

namespace cupool::tools {

/// Where the user wants a job to run.
struct EngineOptions {
    Engine engine = Engine::automatic;
    std::vector<int> devices;  ///< ordinals; empty means all
    unsigned threads = 0;      ///< of the host engine; 0 means all cores
};

/// Adds --engine, --devices and --threads to a command.
void add_engine_options(CLI::App& command, EngineOptions& options);

/// The pool that the options ask for. \throws Error as DevicePool's factories
DevicePool open_pool(const EngineOptions& options);

/// A pool of the engine that `pool` is not, to check its results with; where no GPU is usable there is only the host.
DevicePool open_other_pool(const DevicePool& pool, const EngineOptions& options);

}  // namespace cupool::tools
