#pragma once

#include <optional>
#include <string>

#include "faults/fault_plan.hpp"

namespace cupool::simulator {

/// A plan as a file has it. See cupoolSimLoadPlan() for the format.
struct FaultPlanFile {
    std::optional<int> driver_version;
    FaultPlan faults;
};

/// Throws MalformedFault, which names the file, and the line and column, or the member, that is wrong.
FaultPlanFile read_fault_plan(const std::string& path);

}  // namespace cupool::simulator
