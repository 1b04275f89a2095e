#pragma once

#include <cupool/kernels/run_report.hpp>

#include "msm/device/device_msm_job.hpp"
#include "msm/results.hpp"

namespace cupool::detail {

/// cupool::msm() on the device of config.ctx, after validation: sizes match, and operands and
/// results lie where they must. One result per MSM. With config.is_async, for results on the
/// device, it returns once the work is enqueued; then promises about scalars are not checked.
template <Curve C>
RunReport msm_on_device(const DeviceMsmJob<C>& job, const MsmConfig& config, const MsmResults<C>& results,
                        const DeviceMsmLimits& limits = {});

}  // namespace cupool::detail
