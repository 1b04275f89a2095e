#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks/kernel_budget.hpp"
#include "faults/fault_plan.hpp"
#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// What the environment asks of the machine. See cupoolSimReset() for the variables.
struct Environment {
    int device_count = 1;
    int driver_version = 13000;
    std::uint64_t seed = 0;
    ptx::Checks checks;
    bool checks_ordering = false;
    bool checks_context = false;
    KernelBudget budget;
    std::vector<std::pair<std::string, int>> suppressions;  ///< kernels, and lines of them or 0
    bool contraction = true;
    FaultPlan faults;
};

/// A variable that cannot be understood: says which, and what is wrong with it.
struct MalformedEnvironment : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws MalformedEnvironment.
Environment read_environment();

}  // namespace cupool::simulator
