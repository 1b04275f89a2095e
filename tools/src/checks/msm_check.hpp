#pragma once

#include <cupool/pool/device_pool.hpp>
#include <span>
#include <string>

#include "options/engine_options.hpp"

namespace cupool::tools {

/// Computes an MSM a second way and compares: on the engine that `pool` is not; where there is only the host, term by term with
/// double-and-add, or, from many terms on, as two MSMs over scalars split in two at random, with another window width.
/// \return how it was checked, for people \throws CheckFailed, or what the MSM throws
template <Curve C>
std::string check_msm(std::span<const AffinePoint<C>> points, std::span<const Scalar> scalars, const AffinePoint<C>& result,
                      const DevicePool& pool, const EngineOptions& options);

}  // namespace cupool::tools
