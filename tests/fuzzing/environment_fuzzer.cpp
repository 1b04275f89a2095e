// Fuzzes what the environment may say to the simulated driver. The input's lines are NAME=VALUE; other names than these are left out, and
// so is CUPOOL_SIM_PLAN, which names a file.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "fuzz_input.hpp"
#include "simulated_machine.hpp"

using namespace cupool::test;

namespace {

constexpr std::array<const char*, 10> names{
    "CUPOOL_SIM_DEVICES",        "CUPOOL_SIM_DRIVER_VERSION",      "CUPOOL_SIM_SEED",        "CUPOOL_SIM_CHECKS", "CUPOOL_SIM_SUPPRESS",
    "CUPOOL_SIM_KERNEL_SECONDS", "CUPOOL_SIM_KERNEL_INSTRUCTIONS", "CUPOOL_SIM_CONTRACTION", "CUPOOL_SIM_FAULTS", "CUDA_VISIBLE_DEVICES"};

/// An older driver lacks the second version of cuDevicePrimaryCtxRelease.
constexpr int first_version_to_release = 11000;

void set_environment(FuzzInput input) {
    while (!input.empty()) {
        const std::string line(input.take_until('\n'));
        const std::size_t equals = std::min(line.find('='), line.size());
        const auto name = std::find(names.begin(), names.end(), line.substr(0, equals));
        if (name != names.end() && equals < line.size()) setenv(*name, line.c_str() + equals + 1, 1);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static SimulatedMachine& machine = SimulatedMachine::instance();
    set_environment({data, size});
    machine.cuda.primary_context_release(0);
    machine.simulator.reset();
    if (machine.cuda.init(0) == Status::success) {
        int count = 0;
        machine.cuda.device_get_count(&count);
        int version = 0;
        machine.cuda.driver_get_version(&version);
        Context context{};
        if (version >= first_version_to_release && machine.cuda.primary_context_retain(&context, 0) == Status::success) {
            machine.cuda.primary_context_release(0);
        }
    }
    for (const char* const name : names) unsetenv(name);
    machine.simulator.clear_faults();
    return 0;
}
