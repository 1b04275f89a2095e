#pragma once

#include <optional>

#include "ptx/checks/race_detector.hpp"
#include "ptx/module.hpp"
#include "ptx/run/aligned_bytes.hpp"
#include "ptx/run/device_memory.hpp"
#include "ptx/run/schedule.hpp"

namespace cupool::ptx {

/// Where the `index`-th lies, of all in the order of x, y and z.
constexpr Dimensions position_in(const Dimensions& all, std::uint64_t index) {
    return {static_cast<std::uint32_t>(index % all.x), static_cast<std::uint32_t>(index / all.x % all.y),
            static_cast<std::uint32_t>(index / all.x / all.y)};
}

/// What all blocks of a launch share.
struct LaunchState {
    LaunchState(const Module& module, const Launch& launch, GlobalMemory& memory, const Limits& limits);

    /// Whether a finding at the instruction is known to be benign; counts it then.
    bool suppresses(const Instruction& instruction) const;

    const Module& module;
    const Launch& launch;
    const Limits& limits;
    const Entry& entry;
    const EntryPoint& entry_point;
    const Instruction* code;  ///< the module's, with inspections where the launch has checks
    DeviceMemory memory;
    AlignedBytes parameters;  ///< of the entry
    AlignedBytes pool32;      ///< constants, one value in each lane of a slot
    AlignedBytes pool64;
    std::uint32_t shared_bytes;  ///< of a block, dynamic ones included
    Schedule schedule;
    std::optional<RaceDetector> races;  ///< where they are looked for
    std::uint64_t executed = 0;         ///< warp instructions, by blocks that ran before
};

}  // namespace cupool::ptx
