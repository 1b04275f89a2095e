#pragma once

#include <optional>
#include <string>

#include "faults/fault_plan.hpp"

namespace cupool::simulator {

/// The content of a fault plan file. See cupoolSimLoadPlan() for the format.
struct FaultPlanFile {
    std::optional<int> driver_version;
    FaultPlan faults;
};

/// Throws MalformedFault, which names the file and either line and column or the member.
FaultPlanFile read_fault_plan(const std::string& path);

}  // namespace cupool::simulator
