#include "src/engine_options.hpp"

#include <map>
#include <set>
#include <string>

#include "src/outcome.hpp"

namespace cupool::tools {

void add_engine_options(CLI::App& command, EngineOptions& options) {
    const std::map<std::string, Engine> engines = {{"auto", Engine::automatic}, {"gpu", Engine::gpu}, {"host", Engine::host}};
    command.add_option("--engine", options.engine, "where to run: auto (every usable GPU; the host where there is none), gpu or host")
        ->transform(CLI::CheckedTransformer(engines).description(""))
        ->type_name("auto|gpu|host");
    command.add_option("--devices", options.devices, "run on these GPUs, by ordinal, in this order")
        ->delimiter(',')
        ->check(CLI::NonNegativeNumber.description(""))
        ->type_name("0,1,...");
    command.add_option("--threads", options.threads, "threads of the host engine; 0 is one a core")->type_name("N");
}

DevicePool open_pool(const EngineOptions& options) {
    if (options.engine == Engine::host && !options.devices.empty()) throw UsageError("--devices names GPUs, but --engine host uses none");
    if (std::set<int>(options.devices.begin(), options.devices.end()).size() != options.devices.size()) {
        throw UsageError("--devices names a GPU twice");
    }
    if (!options.devices.empty()) return DevicePool::with_devices(options.devices);
    switch (options.engine) {
        case Engine::gpu: return DevicePool::all();
        case Engine::host: return DevicePool::host(options.threads);
        case Engine::automatic: break;
    }
    auto pool = DevicePool::all_or_host();
    return pool.is_host() ? DevicePool::host(options.threads) : pool;
}

DevicePool open_other_pool(const DevicePool& pool, const EngineOptions& options) {
    return pool.is_host() ? DevicePool::all_or_host() : DevicePool::host(options.threads);
}

}  // namespace cupool::tools
