#pragma once

/// \file
/// Includes of the lane loops. They precede the processor variants, so that no header is compiled for a variant's instruction set.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ptx/run/block.hpp"
#include "ptx/run/float_bits.hpp"
#include "ptx/run/handlers.hpp"
#include "ptx/run/reciprocals.hpp"
#include "ptx/run/rounding_scope.hpp"

namespace cupool::ptx {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// The bit of each lane, as a table: vector units compare with it faster than they shift by lane.
inline constexpr auto lane_bits = [] {
    std::array<std::uint32_t, warp_size> bits{};
    for (unsigned lane = 0; lane < warp_size; ++lane) bits[lane] = 1u << lane;
    return bits;
}();

}  // namespace cupool::ptx
