#pragma once

#include <cstdint>
#include <vector>

namespace cupool::ptx {

/// What an instruction does to virtual registers, and where control goes from it.
struct RegisterAccess {
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    bool guarded = false;                ///< a write may not happen: it ends no live range
    bool falls_through = true;           ///< the next instruction may follow
    std::vector<std::uint32_t> targets;  ///< positions that may follow besides
};

/// Instructions [begin, end) that control enters at the first of and leaves behind the last of.
struct BasicBlock {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> predecessors;
};

/// The basic blocks of `code`, in its order.
std::vector<BasicBlock> find_basic_blocks(const std::vector<RegisterAccess>& code);

}  // namespace cupool::ptx
