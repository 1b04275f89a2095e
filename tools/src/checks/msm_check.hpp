#pragma once

#include <cupool/pool/device_pool.hpp>
#include <span>
#include <string>

#include "options/engine_options.hpp"

namespace cupool::tools {

/// Computes an MSM a second time and compares: on the other engine if there is one. On the host
/// alone, few terms are summed by double-and-add; many terms are computed as two MSMs with another
/// window width, over scalars split in two at random.
/// \param engine  on which the result was computed
/// \return how the result was checked, for people \throws CheckFailed, or what the MSM throws
template <Curve C>
std::string check_msm(std::span<const AffinePoint<C>> points, std::span<const Scalar> scalars, const AffinePoint<C>& result, Engine engine,
                      const EngineOptions& options);

}  // namespace cupool::tools
