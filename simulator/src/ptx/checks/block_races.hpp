#pragma once

#include <cstdint>

#include "ptx/checks/access_history.hpp"
#include "ptx/checks/thread_clocks.hpp"

namespace cupool::ptx {

/// The race detector's state of one block.
struct BlockRaces {
    BlockRaces(std::uint64_t block, std::uint64_t threads)
        : clocks(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(threads)) {}

    ThreadClocks clocks;
    AccessHistory shared;
    Publications shared_publications;
};

}  // namespace cupool::ptx
