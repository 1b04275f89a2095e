#pragma once

#include <cupool/pool/msm_spread.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <memory>

#include "msm/msm_job.hpp"
#include "msm/msm_request.hpp"

namespace cupool::detail {

/// Plans MSMs over points that the caller passes with them: checks the operands, chooses and leases members, and makes their tasks.
/// \param where  the caller's line, which errors of the job name
/// \throws Error if the operands do not match each other or the configuration
template <Curve C>
std::shared_ptr<MsmJob> plan_msms_of_points(PoolState& pool, MsmRequest<C> request, PoolOperand<AffinePoint<C>> points, MsmSpread spread,
                                            const SourceLocation& where);

}  // namespace cupool::detail
