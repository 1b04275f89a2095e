#pragma once

#include <cstddef>
#include <cupool/kernels/curve.hpp>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// How many field elements an EIP-4844 blob has, and Lagrange points its setup.
inline constexpr std::size_t blob_elements = 4096;

/// How many bytes the largest text has that parse_trusted_setup() takes: the counts, and "0x", digits and a line end a point.
inline constexpr std::size_t largest_setup_file = (4 + 2) + (2 + 2) + 2 * blob_elements * (2 + 2 * 48 + 2) + 65 * (2 + 2 * 96 + 2);

/// The G1 points of EIP-4844's trusted setup in Lagrange form, in the order of a blob's elements: commitment = sum of blob[i] * point[i].
///
/// The text is c-kzg-4844's trusted_setup.txt: two counts (4096, 65), then, a line a point in hexadecimal, 4096 G1 points in Lagrange form,
/// 65 G2 points, 4096 G1 points in monomial form. The file has the Lagrange points in natural order; a blob has its elements in
/// bit-reversed order (EIP-4844, polynomial-commitments.md, bit_reversal_permutation), so the points are permuted here. They are checked to
/// be in the subgroup, on all cores; the other two lists are only checked to be there. \throws BadInput empty, length, digit, flags,
/// not_reduced, not_on_curve, not_in_subgroup
std::vector<AffinePoint<Curve::bls12_381>> parse_trusted_setup(std::string_view text);

}  // namespace cupool::tools
