#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/access_history.hpp"
#include "ptx/thread_clocks.hpp"

namespace cupool::ptx {

/// What was published at an address, for those who read it there.
using Publications = std::unordered_map<std::uint64_t, Knowledge>;

/// What the search for races knows of one block.
struct BlockRaces {
    BlockRaces(std::uint64_t block, std::uint64_t threads)
        : clocks(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(threads)) {}

    ThreadClocks clocks;
    AccessHistory shared;
    Publications shared_publications;
};

}  // namespace cupool::ptx
