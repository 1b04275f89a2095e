#pragma once

#include <cstddef>
#include <cupool/kernels/curve.hpp>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// The number of field elements of an EIP-4844 blob, and of Lagrange points of its setup.
inline constexpr std::size_t blob_elements = 4096;

/// The size of the largest text that parse_trusted_setup() accepts, in bytes: the counts and, for
/// each point, "0x", digits and a line end.
inline constexpr std::size_t largest_setup_file = (4 + 2) + (2 + 2) + 2 * blob_elements * (2 + 2 * 48 + 2) + 65 * (2 + 2 * 96 + 2);

/// The G1 points of EIP-4844's trusted setup in Lagrange form, in the order of a blob's elements: commitment = sum of blob[i] * point[i].
///
/// The text is the trusted_setup.txt of c-kzg-4844: two counts (4096, 65), then one hexadecimal point
/// per line: 4096 G1 points in Lagrange form, 65 G2 points, 4096 G1 points in monomial form. The
/// Lagrange points are in natural order in the file, but the elements of a blob are in bit-reversed
/// order (EIP-4844, polynomial-commitments.md, bit_reversal_permutation), so this function permutes
/// the points. It checks on all cores that they are in the subgroup; of the other two lists it checks
/// only the number of lines.
/// \throws BadInput empty, length, digit, flags, not_reduced, not_on_curve, not_in_subgroup
std::vector<AffinePoint<Curve::bls12_381>> parse_trusted_setup(std::string_view text);

}  // namespace cupool::tools
