#pragma once

#include <cstddef>
#include <cupool/kernels/msm.hpp>
#include <span>

namespace cupool::detail {

/// What an MSM on the host may use; the defaults keep its working memory below 1.5 GiB.
struct HostMsmLimits {
    std::size_t chunk_terms = std::size_t{1} << 22;   ///< terms done at a time, at most 2^31
    std::size_t sorted_terms = std::size_t{1} << 26;  ///< sorted terms, of one window or of several, held at a time
    bool vectors = true;                              ///< the processor's vector unit, where it has the one that VectorField is for
};

/// cupool::msm() on the host's cores, after validation: sizes are equal.
///
/// Pippenger's method: scalars are cut into signed digits; in each window the points are sorted by their digit, and equal pieces of the
/// sorted order (wherever buckets begin and end, so that skewed scalars are as even as others) go to the threads. Where the processor has
/// AVX-512 IFMA eight points are added side by side, unless CUPOOL_HOST_VECTORS=0 is in the environment; results are the same.
template <Curve C>
JacobianPoint<C> msm_on_host(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                             const HostMsmLimits& limits = {});

}  // namespace cupool::detail
