#pragma once

/// \file
/// The parameter of the collectives' kernels, which host and device code share. No standard library here but <cstdint>: device code
/// includes this.

#include <cstdint>

namespace cupool::detail {

/// How many devices one collective can have: each has an address in the kernels' parameter.
inline constexpr unsigned max_peers = 32;

/// Equally long arrays, each in the memory of any device that the kernel's device reaches.
struct PeerArrays {
    std::uint64_t inputs[max_peers];
    std::uint64_t outputs[max_peers];
    std::uint32_t input_count;
    std::uint32_t output_count;
    std::uint64_t count;  ///< of elements
    std::uint64_t head;   ///< elements before the first 16-byte boundary; `count` if the arrays do not have it in common
};

}  // namespace cupool::detail
