#pragma once

#include <cstdint>
#include <optional>

#include <cupool/simulator/simulator.hpp>

#include "entry_point.hpp"

namespace cupool::simulator {

void plan_fault(EntryPoint entry_point, std::uint64_t nth, abi::Result result, CupoolSimFaultDuration duration);
void clear_fault_plan();

/// Back to what the environment asks for, which is the plan at first.
void reset_fault_plan();

/// What the plan says of this call; each call asks once.
std::optional<abi::Result> planned_fault(EntryPoint entry_point);

}  // namespace cupool::simulator
