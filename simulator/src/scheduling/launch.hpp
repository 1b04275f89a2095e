#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cupool/simulator/simulator.hpp>

#include "objects/module.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

/// Grid and block dimensions of a launch, and whether it is cooperative.
struct LaunchShape {
    ptx::Dimensions grid;
    ptx::Dimensions block;
    unsigned dynamic_shared_bytes = 0;
    bool cooperative = false;
};

/// A validated launch that can run any number of times.
struct PreparedLaunch {
    abi::Function function;
    ptx::Program program;
    ptx::Launch launch;
    std::vector<std::byte> parameters;
    std::vector<std::uint64_t> variable_addresses;
    abi::Context context;
    int device;
    CupoolSimDevice device_kind;
    std::uint32_t stack_bytes = 0;  ///< CU_LIMIT_STACK_SIZE

    const ptx::Entry& entry() const { return program.entries()[launch.entry]; }
};

/// Fails as a launch does if shape or parameters do not fit the kernel.
PreparedLaunch prepare_launch(const Function& kernel, const LaunchShape& shape, void** parameters, void** extra);

/// Work that runs the launch. Each run consults the fault plan and fails with a fault planned for the kernel.
Work work_of(const PreparedLaunch& prepared);

}  // namespace cupool::simulator
