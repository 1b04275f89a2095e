#pragma once

// Stands in for kernels/src/support/device.cuh, so that the field's headers compile for the host: one thread in one block.

#include <cstdint>
#include <utility>

#define CUPOOL_DEVICE inline

namespace cupool::device {

inline constexpr unsigned warp_size = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffff;

struct alignas(16) Vec4 {
    std::uint32_t words[4];

    std::uint32_t operator[](int i) const { return words[i]; }
};

inline unsigned thread_index() { return 0; }
inline unsigned block_index() { return 0; }
inline unsigned grid_size() { return 1; }
inline unsigned warp_index() { return 0; }
inline void block_barrier() {}
inline void warp_barrier() {}
inline bool any_lane(bool condition) { return condition; }
inline std::uint32_t shuffle_butterfly(std::uint32_t /*lanes*/, std::uint32_t value, unsigned /*distance*/) { return value; }
inline void prefetch(const void* /*address*/) {}

template <class T, T... Values>
struct NumberSequence {};
template <int... Values>
NumberSequence<int, Values...> to_numbers(std::integer_sequence<int, Values...>);
template <int Count>
using Numbers = decltype(to_numbers(std::make_integer_sequence<int, Count>{}));

}  // namespace cupool::device
