#pragma once

#include <cstdint>
#include <vector>

namespace cupool::ptx {

/// The register accesses and successors of an instruction.
struct RegisterAccess {
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    bool guarded = false;                ///< the write is conditional and ends no live range
    bool falls_through = true;           ///< the next instruction is a successor
    std::vector<std::uint32_t> targets;  ///< positions of further successors
};

/// Instructions [begin, end), entered only at the first and left only after the last.
struct BasicBlock {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> predecessors;
};

/// The basic blocks of `code` in code order.
std::vector<BasicBlock> find_basic_blocks(const std::vector<RegisterAccess>& code);

}  // namespace cupool::ptx
