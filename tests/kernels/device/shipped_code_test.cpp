#include "support/shipped_code.hpp"

#include <cupool/driver/device_context.hpp>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

SimulatedDevice device_of_capability(int major, int minor) {
    SimulatedDevice device;
    device.compute_capability_major = major;
    device.compute_capability_minor = minor;
    return device;
}

/// How often the driver was asked to load a module until it took one. The simulated driver takes no machine code.
std::uint64_t loads_on(const SimulatedDevice& device) {
    const Machine machine(std::vector<SimulatedDevice>{device});
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Module module = detail::load(context.context(), detail::reduce_u32_code);
    CHECK(module.untyped_kernel("whole_sum").name() == "whole_sum");
    return machine.simulator.call_count("cuModuleLoadDataEx");
}

}  // namespace

TEST_CASE("machine code is tried on the devices that it is for, and its PTX is compiled where it is refused", "[shipped_code]") {
    CHECK(loads_on(device_of_capability(9, 0)) == 2);
    CHECK(loads_on(device_of_capability(8, 9)) == 1);
    CHECK(loads_on(device_of_capability(10, 0)) == 1);
}

TEST_CASE("only a refusal of machine code is answered with its PTX", "[shipped_code]") {
    Machine machine(std::vector<SimulatedDevice>{device_of_capability(9, 0)});
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    constexpr int out_of_memory = 2;
    machine.simulator.plan_fault("cuModuleLoadDataEx", 1, out_of_memory);
    const Error error = error_of([&] { detail::load(context.context(), detail::reduce_u32_code); });
    CHECK(error.category() == ErrorCategory::out_of_memory);
    CHECK(machine.simulator.call_count("cuModuleLoadDataEx") == 1);
}

TEST_CASE("machine code is an ELF file for each module", "[shipped_code]") {
    for (const detail::ShippedCode& code : {detail::msm_code<Curve::bn254>().pairs, detail::msm_code<Curve::bls12_381_g2>().join_windows,
                                            detail::msm_code<Curve::bls12_377>().sort, detail::reduce_u32_code}) {
        const std::string_view image(code.sm_90_begin, static_cast<std::size_t>(code.sm_90_end - code.sm_90_begin));
        CHECK(image.substr(0, 4) == "\177ELF");
    }
}
