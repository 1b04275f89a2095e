#pragma once

#include <cupool/kernels/run_report.hpp>

#include "msm/device/device_msm.hpp"

namespace cupool::detail {

/// cupool::msm() on config.ctx's device, after validation: sizes are right, operands and results lie where they must. One result an MSM.
/// With config.is_async, which asks for results on the device, it returns once the work is queued: no promise about scalars is looked
/// after.
template <Curve C>
RunReport msm_on_device(const DeviceMsmJob<C>& job, const MsmConfig& config, const MsmResults<C>& results,
                        const DeviceMsmLimits& limits = {});

}  // namespace cupool::detail
