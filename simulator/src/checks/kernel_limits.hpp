#pragma once

#include <algorithm>
#include <cstdint>

#include "ptx/ptx.hpp"

namespace cupool::simulator {

// Launch limits of every device: those of an H200, from the CUDA C++ Programming Guide's table for compute capability 9.0.
inline constexpr std::uint32_t max_threads_per_block = 1024;
inline constexpr std::uint32_t max_threads_per_multiprocessor = 2048;
inline constexpr std::uint32_t max_blocks_per_multiprocessor = 32;
inline constexpr std::uint32_t registers_per_multiprocessor = 65536;
inline constexpr std::uint32_t shared_bytes_per_multiprocessor = 233'472;
inline constexpr std::uint32_t reserved_shared_bytes_per_block = 1024;
inline constexpr std::uint32_t default_shared_bytes = 49152;
inline constexpr std::uint32_t max_shared_bytes = 232'448;
inline constexpr std::uint32_t warp_size = 32;
/// Maximum local memory of a thread.
inline constexpr std::size_t max_stack_bytes = 512 * 1024;

/// Maximum block size of the kernel by .maxntid. As in real drivers, .reqntid constrains the launch alone.
inline std::uint32_t max_threads(const ptx::Entry& entry) {
    const auto& bound = entry.max_threads;
    const std::uint32_t threads = bound[0] * std::max(bound[1], 1U) * std::max(bound[2], 1U);
    return threads == 0 ? max_threads_per_block : std::min(threads, max_threads_per_block);
}

}  // namespace cupool::simulator
