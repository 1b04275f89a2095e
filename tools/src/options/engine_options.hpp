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
    unsigned workers = 0;      ///< worker processes for each GPU; 0 means that this process does the work
};

/// Adds --engine, --devices and --threads to a command.
void add_engine_options(CLI::App& command, EngineOptions& options);

/// Adds --workers to a command whose jobs a JobPool runs.
void add_workers_option(CLI::App& command, EngineOptions& options);

/// \throws UsageError where options contradict each other
void require_consistent(const EngineOptions& options);

/// Opens the pool that the options name. \throws Error as DevicePool's factories do
DevicePool open_pool(const EngineOptions& options);

/// A pool of the other engine, to check results of this one; the host if no GPU is usable.
DevicePool open_other_pool(Engine engine, const EngineOptions& options);

/// The same for a job that the host can compute in one way only. \throws UsageError if there is no second engine
DevicePool open_second_pool(Engine engine, const EngineOptions& options);

}  // namespace cupool::tools
