#pragma once

#include <cupool/kernels/prepared_bases.hpp>

#include "msm/sizes.hpp"

namespace cupool::detail {

/// Does the checks that cupool::msm() does first, for results in host memory. \throws Error invalid_argument, wrong_context
template <Curve C>
void check_msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, const MsmSizes& sizes);
template <Curve C>
void check_msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, const MsmSizes& sizes);

}  // namespace cupool::detail
