#pragma once

#include "ptx/aligned_bytes.hpp"
#include "ptx/device_memory.hpp"
#include "ptx/module.hpp"

namespace cupool::ptx {

/// What all blocks of a launch share.
struct LaunchState {
    LaunchState(const Module& module, const Launch& launch, GlobalMemory& memory, const Limits& limits);

    const Module& module;
    const Launch& launch;
    const Limits& limits;
    const Entry& entry;
    const EntryPoint& entry_point;
    DeviceMemory memory;
    AlignedBytes parameters;  ///< of the entry
    AlignedBytes pool32;      ///< constants, one value in each lane of a slot
    AlignedBytes pool64;
    std::uint32_t shared_bytes;  ///< of a block, dynamic ones included
    std::uint64_t executed = 0;  ///< warp instructions, by blocks that ran before
};

}  // namespace cupool::ptx
