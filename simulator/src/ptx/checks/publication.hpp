#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/checks/vector_clock.hpp"

namespace cupool::ptx {

/// What strong writes to an address hand on to those who read there.
struct Publication {
    SharedClock device;       ///< to all, by an acquire of the device
    SharedClock sequential;   ///< to all, by a later fence.sc of the device
    SharedClock in_block;     ///< to threads of `block` alone, by an acquire of any scope
    std::uint32_t block = 0;  ///< the last writer's

    /// A read-modify-write adds to what was published before.
    void add(const Publication& later) {
        device = joined(device, later.device);
        sequential = joined(sequential, later.sequential);
        in_block = block == later.block ? joined(in_block, later.in_block) : later.in_block;
        block = later.block;
    }
};

using Publications = std::unordered_map<std::uint64_t, Publication>;

}  // namespace cupool::ptx
