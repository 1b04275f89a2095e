#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/checks/vector_clock.hpp"

namespace cupool::ptx {

/// The clocks that strong writes to an address publish to its readers.
struct Publication {
    SharedClock device;       ///< to all threads, by an acquire of device scope
    SharedClock sequential;   ///< to all threads, by a later fence.sc of device scope
    SharedClock in_block;     ///< to threads of `block` only, by an acquire of any scope
    std::uint32_t block = 0;  ///< of the last writer

    /// Merges a read-modify-write with the previous publication.
    void add(const Publication& later) {
        device = joined(device, later.device);
        sequential = joined(sequential, later.sequential);
        in_block = block == later.block ? joined(in_block, later.in_block) : later.in_block;
        block = later.block;
    }
};

using Publications = std::unordered_map<std::uint64_t, Publication>;

}  // namespace cupool::ptx
