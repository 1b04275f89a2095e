#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cupool/simulator/simulator.hpp>

#include "objects/module.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

/// How many threads a launch has, and whether they may wait for each other.
struct LaunchShape {
    ptx::Dimensions grid;
    ptx::Dimensions block;
    unsigned dynamic_shared_bytes = 0;
    bool cooperative = false;
};

/// One launch, checked and complete, that may run any number of times.
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

/// Fails as a launch does whose shape or parameters are not the kernel's.
PreparedLaunch prepare_launch(const Function& kernel, const LaunchShape& shape, void** parameters, void** extra);

/// What runs it, in its turn. Each time it asks the fault plan, and fails with a fault that is the launch's own.
Work work_of(const PreparedLaunch& prepared);

}  // namespace cupool::simulator
