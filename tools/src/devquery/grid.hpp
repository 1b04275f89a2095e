#pragma once

#include <algorithm>
#include <cstdint>
#include <cupool/driver/context.hpp>
#include <cupool/driver/device.hpp>

namespace cupool::tools {

/// Threads of a block of the kernels that go over memory in steps of the whole grid.
inline constexpr unsigned threads_of_block = 256;

/// As many blocks for such a kernel as the device runs at a time, but none without work.
inline unsigned blocks_for(std::uint64_t items, ContextView context) {
    constexpr unsigned blocks_of_multiprocessor = 8;
    constexpr std::uint64_t most_blocks = 1 << 16;
    const auto resident = static_cast<std::uint64_t>(context.device().multiprocessor_count()) * blocks_of_multiprocessor;
    return static_cast<unsigned>(std::min({resident, most_blocks, (items + threads_of_block - 1) / threads_of_block}));
}

}  // namespace cupool::tools
