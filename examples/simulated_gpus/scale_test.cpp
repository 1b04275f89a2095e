// Tests the program on four simulated GPUs: it works, and it reports failed driver calls and a faulty kernel.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cupool/simulator/simulator.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scale.hpp"

namespace {

std::string ptx() {
    std::ifstream file(SCALE_PTX);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The CUresult with which scaling fails; 0 if it succeeds.
int failure_of(const std::string& kernels) {
    try {
        scale(kernels, std::vector<float>(1000, 1.5F), 2);
        return 0;
    } catch (const GpuError& error) {
        return error.result;
    }
}

const std::vector<cupool::SimulatedDevice> four_gpus(4);

}  // namespace

TEST_CASE("four GPUs scale a share each") {
    cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, four_gpus);
    CHECK(scale(ptx(), std::vector<float>(1000, 1.5F), 2) == std::vector<float>(1000, 3));
    CHECK(simulator.call_count("cuLaunchKernel") == 4);
    simulator.reset();  // throws if an object still exists
}

TEST_CASE("one GPU that is out of memory fails the whole, and leaks nothing") {
    cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, four_gpus);
    constexpr int out_of_memory = 2;
    simulator.plan_fault("cuMemAlloc", 3, out_of_memory);
    CHECK(failure_of(ptx()) == out_of_memory);
    CHECK(simulator.call_count("cuLaunchKernel") == 2);
    simulator.reset();
}

TEST_CASE("a kernel that reads past the end is found and named") {
    cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, four_gpus);
    std::string careless = ptx();
    careless.replace(careless.find("@%p ret;"), 8, "");  // no thread stops at the end of the array
    constexpr int illegal_address = 700;
    CHECK(failure_of(careless) == illegal_address);
    const std::string report = simulator.device_fault_report();
    INFO(report);
    CHECK(report.find("kernel 'scale', line 25 (ld.global.f32), block (1,0,0), thread (122,0,0)") != std::string::npos);
}
