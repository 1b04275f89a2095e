#pragma once

#include <cupool/kernels/curve.hpp>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// Points as text, one per line: `x,y`, both decimal. Checks that each is on the curve, but not the subgroup.
/// \throws BadInput empty, length, digit, not_reduced, not_on_curve
template <Curve C>
std::vector<AffinePoint<C>> parse_decimal_points(std::string_view text);

}  // namespace cupool::tools
