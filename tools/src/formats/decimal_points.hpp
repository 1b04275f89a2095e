#pragma once

#include <cupool/kernels/curve.hpp>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// Points as text, a line a point: `x,y`, both decimal. Each is checked to be on the curve; the subgroup is not checked.
/// \throws BadInput empty, length, digit, not_reduced, not_on_curve
template <Curve C>
std::vector<AffinePoint<C>> parse_decimal_points(std::string_view text);

}  // namespace cupool::tools
