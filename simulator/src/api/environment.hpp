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

/// The configuration that the environment variables request. See cupoolSimReset() for the variables.
struct Environment {
    int device_count = 1;
    int driver_version = 13000;
    std::uint64_t seed = 0;
    ptx::Checks checks;
    bool checks_ordering = false;
    bool checks_context = false;
    KernelBudget budget;
    std::vector<std::pair<std::string, int>> suppressions;  ///< kernel and line; line 0: the whole kernel
    bool contraction = true;
    FaultPlan faults;
};

/// An environment variable is malformed; the message names it and the error.
struct MalformedEnvironment : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws MalformedEnvironment.
Environment read_environment();

}  // namespace cupool::simulator
