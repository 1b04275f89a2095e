#pragma once

#include <cstddef>
#include <cupool/kernels/prepared_bases.hpp>

#include "msm/results.hpp"

namespace cupool::detail {

/// The scalars of several MSMs that have equally many each, `stride` from those of one to those of the next, and their bases.
struct ScalarRuns {
    Operand<Scalar> scalars;     ///< from the first one of the first MSM to the last one of the last
    std::size_t run = 0;         ///< of each MSM
    std::size_t stride = 0;      ///< at least `run`
    std::size_t first_base = 0;  ///< which base the first scalar of each MSM goes with
};

/// As many MSMs as there are results, over `run` of the bases: cupool::msm() of prepared bases for a device that does some of the terms of
/// each MSM. A scalar that breaks its promise is named by its place in `scalars.scalars`.
template <Curve C>
RunReport msm_of_runs(const ScalarRuns& scalars, const PreparedBases<C>& bases, const MsmConfig& config, const MsmResults<C>& results);

}  // namespace cupool::detail
