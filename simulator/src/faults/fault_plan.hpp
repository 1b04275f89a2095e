#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <cupool/simulator/simulator.hpp>

#include "api/entry_point.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

inline constexpr int any_device = -1;
inline constexpr int no_device = -2;

/// A planned delay.
struct Slowdown {
    double factor = 1;  ///< multiplies durations on the virtual clock
    Time extra{0};      ///< on the virtual clock; in real time if there is no seed
};

/// A validated SimulatedFault.
struct PlannedFault {
    std::optional<EntryPoint> call;
    std::string kernel;
    int device = any_device;
    std::uint64_t calls_until = 1;
    abi::Status result = abi::Status::success;
    CupoolSimFaultDuration duration = cupool_sim_once;
    Slowdown slowdown;
    std::optional<std::uint64_t> memory_left;
};

using FaultPlan = std::vector<PlannedFault>;

/// A fault description is malformed; the message names the member and the error.
struct MalformedFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Validates a fault. Throws MalformedFault.
PlannedFault parse_fault(const SimulatedFault& fault);

std::optional<CupoolSimFaultDuration> duration_named(const std::string& name);

void plan_fault(const PlannedFault& fault);
void set_fault_plan(FaultPlan plan);
FaultPlan fault_plan();

/// A driver call, as fault plans match it.
struct Call {
    EntryPoint entry_point;
    /// The addressed device, or no_device.
    int device;
    /// Whether the call accesses the device itself, not only what the driver knows about it.
    bool reaches_device;
};

/// Whether anything is planned; if not, the functions below need not be called.
bool is_anything_planned();

/// A fault that happens now.
struct DueFault {
    abi::Status result;
    CupoolSimFaultDuration duration;
};

/// The status that the plan gives this call, if any. Each call asks once. Applies lasting faults.
std::optional<abi::Status> planned_status(const Call& call);

/// The fault that the plan gives this launch, if any. Each launch asks once.
std::optional<DueFault> planned_launch_fault(const std::string& kernel, int device);

/// Applies a lasting fault: it becomes the sticky fault of the process, or `device` is lost. `what` names the cause in the report.
void apply_lasting_fault(const DueFault& fault, int device, std::string_view what) noexcept;

Slowdown planned_slowdown(const Work& work);
Time planned_slowdown(const Call& call);

}  // namespace cupool::simulator
