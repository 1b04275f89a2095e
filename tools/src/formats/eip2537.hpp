#pragma once

/// \file
/// Inputs and outputs of the G1 precompiles of EIP-2537 over BLS12-381.
///
/// A field element is 64 bytes, big-endian, with the top 16 zero. A point is x and y; all zeros is
/// infinity. A scalar is 32 bytes of any value.

#include <array>
#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>

#include "formats/pairs.hpp"

namespace cupool::tools {

/// The two points of BLS12_G1ADD, 256 bytes. Each is on the curve, not necessarily in the subgroup.
/// \throws BadInput length, padding, not_reduced, not_on_curve
std::array<AffinePoint<Curve::bls12_381>, 2> parse_eip2537_g1_add(std::span<const std::uint8_t> input);

/// The terms of BLS12_G1MSM, at least one, 160 bytes each; each point is on the curve and in its
/// subgroup. A multiplication is an MSM of one term.
/// \throws BadInput empty, length, padding, not_reduced, not_on_curve, not_in_subgroup
Pairs<Curve::bls12_381> parse_eip2537_g1_msm(std::span<const std::uint8_t> input);

/// A point as the precompiles return it.
std::array<std::uint8_t, 128> eip2537_g1(const AffinePoint<Curve::bls12_381>& point);

}  // namespace cupool::tools
