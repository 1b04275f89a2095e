#include "doctor/simulator_plan.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "io/report_json.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr int no_device = 100;
constexpr std::size_t most_devices = 64;

Json fault(const std::string& call, int result) { return {{"call", call}, {"result", result}, {"duration", "always"}}; }

Json plan_of(const DriverAnswer& driver) {
    Json plan = {{"faults", Json::array()}};
    if (driver.version > 0) plan["driver_version"] = driver.version;
    auto& faults = plan["faults"];
    if (driver.init.value_or(0) != 0) faults.push_back(fault("cuInit", *driver.init));
    if (driver.jit.value_or(0) != 0) faults.push_back(fault("cuModuleLoadDataEx", *driver.jit));
    for (std::size_t i = 0; i < driver.devices.size(); ++i) {
        const auto& device = driver.devices[i];
        if (device.context.value_or(0) != 0) {
            auto refused = fault("cuDevicePrimaryCtxRetain", *device.context);
            refused["device"] = i;
            faults.push_back(refused);
        } else if (device.free_memory) {
            faults.push_back({{"device", i}, {"memory_left", *device.free_memory}});
        }
    }
    return plan;
}

}  // namespace

std::string write_simulator_plan(const HostSnapshot& host, const std::string& folder) {
    const auto& driver = host.driver;
    if (driver.outcome != "answered" || !driver.init)
        throw UsageError("--simulator needs the answers of a driver, and the snapshot has none (outcome: " + driver.outcome + ")");
    const auto path = folder + "/plan.json";
    std::ofstream file(path, std::ios::binary);
    file << json_text(plan_of(driver), 1);
    file.flush();
    if (!file) throw std::runtime_error("the plan cannot be written to " + path);
    const bool has_none = *driver.init == no_device || driver.devices.empty();
    const auto count = has_none ? 1 : std::min(driver.devices.size(), most_devices);
    auto variables = "CUPOOL_SIM_DEVICES=" + std::to_string(count) + "\nCUPOOL_SIM_PLAN=" + path + "\n";
    if (const auto visible = host.variable("CUDA_VISIBLE_DEVICES")) variables += "CUDA_VISIBLE_DEVICES=" + *visible + "\n";
    return variables;
}

}  // namespace cupool::tools
