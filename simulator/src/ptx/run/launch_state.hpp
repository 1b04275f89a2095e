#pragma once

#include <optional>

#include "ptx/checks/race_detector.hpp"
#include "ptx/module.hpp"
#include "ptx/run/aligned_bytes.hpp"
#include "ptx/run/device_memory.hpp"
#include "ptx/run/schedule.hpp"

namespace cupool::ptx {

/// The coordinates of a linear index; x varies fastest.
constexpr Dimensions position_in(const Dimensions& all, std::uint64_t index) {
    return {static_cast<std::uint32_t>(index % all.x), static_cast<std::uint32_t>(index / all.x % all.y),
            static_cast<std::uint32_t>(index / all.x / all.y)};
}

/// The state that all blocks of a launch share.
struct LaunchState {
    LaunchState(const Module& module, const Launch& launch, GlobalMemory& memory, const Limits& limits);

    /// Whether a finding at the instruction is suppressed; counts it if so.
    bool suppresses(const Instruction& instruction) const;

    const Module& module;
    const Launch& launch;
    const Limits& limits;
    const Entry& entry;
    const EntryPoint& entry_point;
    const Instruction* code;  ///< of the module; the inspected variant if the launch has checks
    DeviceMemory memory;
    AlignedBytes parameters;  ///< of the entry
    AlignedBytes pool32;      ///< constants, replicated in all lanes of a slot
    AlignedBytes pool64;
    std::uint32_t shared_bytes;  ///< of a block, including dynamic shared memory
    Schedule schedule;
    std::optional<RaceDetector> races;  ///< if the race check is on
    std::uint64_t executed = 0;         ///< warp instructions of earlier blocks
};

}  // namespace cupool::ptx
