#pragma once

#include <cstddef>
#include <cupool/kernels/prepared_bases.hpp>
#include <span>

namespace cupool::detail {

/// The scalars of several MSMs that have equally many each, in host memory, `stride` from those of one to those of the next.
struct ScalarRuns {
    std::span<const Scalar> scalars;  ///< from the first one of the first MSM to the last one of the last
    std::size_t run = 0;              ///< of each MSM
    std::size_t stride = 0;           ///< at least `run`
};

/// As many MSMs as there are results, over the first `run` of the bases: cupool::msm() of prepared bases for a device that has some of
/// them, and so does some of the terms of each MSM. A scalar that breaks its promise is named by its place in `scalars.scalars`.
template <Curve C>
RunReport msm_of_runs(const ScalarRuns& scalars, const PreparedBases<C>& bases, const MsmConfig& config,
                      std::span<JacobianPoint<C>> results);

}  // namespace cupool::detail
