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

/// How much longer something takes.
struct Slowdown {
    double factor = 1;  ///< by the virtual clock
    Time extra{0};      ///< by the virtual clock, or really where there is none
};

/// A SimulatedFault that has been understood.
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

/// A fault that cannot be planned: says which member is wrong, and how.
struct MalformedFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws MalformedFault.
PlannedFault parse_fault(const SimulatedFault& fault);

std::optional<CupoolSimFaultDuration> duration_named(const std::string& name);

void plan_fault(const PlannedFault& fault);
void set_fault_plan(FaultPlan plan);
FaultPlan fault_plan();

/// A driver call, as plans see it.
struct Call {
    EntryPoint entry_point;
    /// For which it is, or no_device.
    int device;
    /// Whether it asks anything of the device itself, rather than of what the driver knows of it.
    bool reaches_device;
};

/// Whether there is any plan at all; if not, nothing below needs to be asked.
bool is_anything_planned();

/// A fault whose turn has come.
struct DueFault {
    abi::Status result;
    CupoolSimFaultDuration duration;
};

/// What the plan says of this call; each call asks once. A fault that is to last happens.
std::optional<abi::Status> planned_status(const Call& call);

/// What the plan says of this launch; each launch asks once.
std::optional<DueFault> planned_launch_fault(const std::string& kernel, int device);

/// The fault of a call or kernel that was to last: kills all devices, or that one. `what` says in the report whose it is.
void apply_lasting_fault(const DueFault& fault, int device, std::string_view what) noexcept;

Slowdown planned_slowdown(const Work& work);
Time planned_slowdown(const Call& call);

}  // namespace cupool::simulator
