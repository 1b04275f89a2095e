#pragma once

#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>
#include <vector>

namespace cupool::tools {

/// The points of a `.usrs` file, snarkVM's universal reference string over BLS12-377: their count in 8 bytes, then x and y in 48 bytes
/// each, uncompressed, all little-endian. Each point is checked to be on the curve and in its subgroup, on all cores.
/// \throws BadInput empty, length, not_reduced, not_on_curve, not_in_subgroup
std::vector<AffinePoint<Curve::bls12_377>> parse_usrs(std::span<const std::uint8_t> bytes);

}  // namespace cupool::tools
