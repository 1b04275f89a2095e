#include "options/engine_options.hpp"

#include <cupool/driver/probe.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "program/careful_loading.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

/// The driver of the GPUs. \throws Error with the same reason as devquery if no GPU can be used
std::shared_ptr<const Driver> driver_of_gpus() {
    const auto report = probe(careful_options());
    if (report.usable_device_count() == 0) throw report.error();
    return report.driver;
}

/// The problem with an entry of --devices; empty if there is none.
std::string check_ordinal(const std::string& text) {
    constexpr std::size_t max_digits = 4;
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    if (!text.empty() && is_number && text.size() <= max_digits) return {};
    return '"' + text + "\" is no GPU's ordinal; expected numbers with commas between, such as 0,1";
}

}  // namespace

void add_engine_options(CLI::App& command, EngineOptions& options) {
    const std::map<std::string, Engine> engines = {{"auto", Engine::automatic}, {"gpu", Engine::gpu}, {"host", Engine::host}};
    command.add_option("--engine", options.engine, "where to run: auto (every usable GPU; the host where there is none), gpu or host")
        ->transform(CLI::CheckedTransformer(engines).description(""))
        ->type_name("auto|gpu|host");
    command.add_option("--devices", options.devices, "run on these GPUs, by ordinal, in this order")
        ->delimiter(',')
        ->check(check_ordinal)
        ->type_name("0,1,...");
    command.add_option("--threads", options.threads, "threads of the host engine; 0 is one a core")->type_name("N");
}

void add_workers_option(CLI::App& command, EngineOptions& options) {
    constexpr unsigned most_workers = 64;
    command.add_option("--workers", options.workers, "run in N worker processes for each GPU, so that losing a GPU does not lose the job")
        ->check(CLI::Range(1U, most_workers).description(""))
        ->type_name("N");
}

void require_consistent(const EngineOptions& options) {
    if (options.engine == Engine::host && !options.devices.empty()) throw UsageError("--devices names GPUs, but --engine host uses none");
    if (std::set<int>(options.devices.begin(), options.devices.end()).size() != options.devices.size()) {
        throw UsageError("--devices names a GPU twice");
    }
    if (options.workers > 0 && options.threads > 0) throw UsageError("--threads is for this process, but with --workers others compute");
}

DevicePool open_pool(const EngineOptions& options) {
    require_consistent(options);
    if (!options.devices.empty()) return DevicePool::with_devices(driver_of_gpus(), options.devices);
    switch (options.engine) {
        case Engine::gpu: return DevicePool::all(driver_of_gpus());
        case Engine::host: return DevicePool::host(options.threads);
        case Engine::automatic: break;
    }
    auto pool = DevicePool::all_or_host(careful_options());
    return pool.is_host() ? DevicePool::host(options.threads) : pool;
}

DevicePool open_other_pool(Engine engine, const EngineOptions& options) {
    return engine == Engine::host ? DevicePool::all_or_host(careful_options()) : DevicePool::host(options.threads);
}

DevicePool open_second_pool(Engine engine, const EngineOptions& options) {
    DevicePool other = open_other_pool(engine, options);
    if (other.engine() == engine) throw UsageError("--check needs a GPU: there is no second engine on this host");
    return other;
}

}  // namespace cupool::tools
