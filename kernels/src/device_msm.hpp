#pragma once

#include <cupool/kernels/msm.hpp>

namespace cupool::detail {

/// cupool::msm() on config.ctx's device, after validation: sizes are equal and not zero, operands lie where the flags say, device operands
/// on that device.
template <Curve C>
RunReport msm_on_device(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
                        JacobianPoint<C>& result);

}  // namespace cupool::detail
