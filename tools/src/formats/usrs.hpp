#pragma once

#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>
#include <vector>

namespace cupool::tools {

/// The points of a `.usrs` file, snarkVM's universal reference string over BLS12-377: the count in 8
/// bytes, then x and y of each point in 48 bytes each, uncompressed, all little-endian. Checks on all
/// cores that each point is on the curve and in its subgroup.
/// \throws BadInput empty, length, not_reduced, not_on_curve, not_in_subgroup
std::vector<AffinePoint<Curve::bls12_377>> parse_usrs(std::span<const std::uint8_t> bytes);

}  // namespace cupool::tools
