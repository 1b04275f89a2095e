#pragma once

#include <cstddef>
#include <cupool/kernels/prepared_bases.hpp>

#include "msm/results.hpp"

namespace cupool::detail {

/// The scalars of several MSMs of equal size, which begin `stride` apart, and which bases belong to them.
struct StridedScalars {
    Operand<Scalar> scalars;     ///< from the first scalar of the first MSM to the last of the last
    std::size_t count = 0;       ///< scalars of each MSM
    std::size_t stride = 0;      ///< at least `count`
    std::size_t first_base = 0;  ///< the base of the first scalar of each MSM
};

/// As many MSMs as there are results, each over `count` of the bases: cupool::msm() over prepared bases on a device that
/// sums some of the terms of each MSM. A scalar that breaks its promise is reported by its index in `scalars.scalars`.
template <Curve C>
RunReport msm_of_strided_scalars(const StridedScalars& scalars, const PreparedBases<C>& bases, const MsmConfig& config,
                                 const MsmResults<C>& results);

}  // namespace cupool::detail
