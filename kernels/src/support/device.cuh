#pragma once

/// \file
/// The few words of CUDA that the kernels need, spelled for plain clang, which needs no toolkit for them.

#include <cstdint>

#define CUPOOL_KERNEL extern "C" __attribute__((global))
#define CUPOOL_DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define CUPOOL_SHARED __attribute__((shared))
#define CUPOOL_BLOCK_SIZE(threads) __attribute__((launch_bounds(threads)))
/// With registers for so many blocks on a multiprocessor.
#define CUPOOL_BLOCKS(threads, blocks) __attribute__((launch_bounds(threads, blocks)))

namespace cupool::device {

inline constexpr unsigned warp_size = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffff;

/// Four words, which one instruction reads or writes. A vector travels to a function in registers, where a struct would go through the
/// stack.
using Vec4 = std::uint32_t __attribute__((ext_vector_type(4)));

CUPOOL_DEVICE unsigned thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
CUPOOL_DEVICE unsigned block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
CUPOOL_DEVICE unsigned block_index() { return __nvvm_read_ptx_sreg_ctaid_x(); }
CUPOOL_DEVICE unsigned block_index_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
CUPOOL_DEVICE unsigned grid_size() { return __nvvm_read_ptx_sreg_nctaid_x(); }
CUPOOL_DEVICE unsigned grid_size_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
CUPOOL_DEVICE unsigned global_index() { return block_index() * block_size() + thread_index(); }
CUPOOL_DEVICE unsigned warp_index() { return thread_index() / warp_size; }
CUPOOL_DEVICE void block_barrier() { __syncthreads(); }
/// Whether the condition holds in any lane of a warp, all of them together.
CUPOOL_DEVICE bool any_lane(bool condition) { return __nvvm_vote_any_sync(all_lanes, condition); }
/// The lanes in which the condition holds, a bit each; all lanes together.
CUPOOL_DEVICE std::uint32_t ballot(bool condition) { return static_cast<std::uint32_t>(__nvvm_vote_ballot_sync(all_lanes, condition)); }
CUPOOL_DEVICE void warp_barrier() { __nvvm_bar_warp_sync(all_lanes); }

/// The numbers from 0 to Count - 1, as template arguments.
template <class T, T... Values>
struct NumberSequence {};
template <int Count>
using Numbers = __make_integer_seq<NumberSequence, int, Count>;

/// The value of the lane whose number differs in the bits `distance`; all of `lanes` together.
CUPOOL_DEVICE std::uint32_t shuffle_butterfly(std::uint32_t lanes, std::uint32_t value, unsigned distance) {
    constexpr int anywhere = 0x1f;
    return static_cast<std::uint32_t>(__nvvm_shfl_sync_bfly_i32(lanes, static_cast<int>(value), static_cast<int>(distance), anywhere));
}
/// The value of lane number `lane` of the segment of `width` lanes, a power of two; all of `lanes` together.
CUPOOL_DEVICE std::uint32_t shuffle_within(std::uint32_t lanes, std::uint32_t value, unsigned lane, unsigned width) {
    const int segment = static_cast<int>((warp_size - width) << 8 | 0x1f);
    return static_cast<std::uint32_t>(__nvvm_shfl_sync_idx_i32(lanes, static_cast<int>(value), static_cast<int>(lane), segment));
}

CUPOOL_DEVICE std::uint32_t count_bits(std::uint32_t word) { return static_cast<std::uint32_t>(__builtin_popcount(word)); }

CUPOOL_DEVICE std::uint32_t atomic_add(std::uint32_t* address, std::uint32_t value) {
    std::uint32_t before;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(value) : "memory");
    return before;
}

/// Counts up to `last` and begins again at 0 after it; returns the count before.
CUPOOL_DEVICE std::uint32_t atomic_increment(std::uint32_t* address, std::uint32_t last) {
    std::uint32_t before;
    asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(last) : "memory");
    return before;
}

/// Orders the thread's accesses before and after it, as all threads of the device see them.
CUPOOL_DEVICE void memory_fence() { asm volatile("membar.gl;" ::: "memory"); }

/// atomic_add() in shared memory.
CUPOOL_DEVICE std::uint32_t atomic_add_shared(std::uint32_t* address, std::uint32_t value) {
    return __nvvm_atom_add_gen_i(reinterpret_cast<int*>(address), static_cast<int>(value));
}

CUPOOL_DEVICE void atomic_min(std::uint32_t* address, std::uint32_t value) {
    asm volatile("red.global.min.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Asks for the line at `address` to be brought into the L2 cache.
CUPOOL_DEVICE void prefetch(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
/// The same into the cache of the multiprocessor.
CUPOOL_DEVICE void prefetch_near(const void* address) { asm volatile("prefetch.global.L1 [%0];" ::"l"(address)); }

}  // namespace cupool::device
