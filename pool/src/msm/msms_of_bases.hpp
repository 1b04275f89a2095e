#pragma once

#include <cupool/pool/msm_spread.hpp>
#include <memory>

#include "msm/msm_job.hpp"
#include "msm/msm_request.hpp"
#include "msm/pooled_bases_state.hpp"

namespace cupool::detail {

/// Plans MSMs over bases that were prepared on the pool's devices: checks the operands, chooses and leases members, and makes their tasks.
/// The job keeps the bases.
/// \pre bases->check() passed \param where  the caller's line, which errors of the job name
/// \throws Error if the operands do not match the bases or the configuration
template <Curve C>
std::shared_ptr<MsmJob> plan_msms_of_bases(PoolState& pool, MsmRequest<C> request, std::shared_ptr<const PooledBasesState<C>> bases,
                                           MsmSpread spread, const SourceLocation& where);

}  // namespace cupool::detail
