#pragma once

#include <cstdint>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/point.hpp>
#include <span>
#include <vector>

namespace cupool::test {

/// Scalars that look random.
inline std::vector<Scalar> scalars_of(std::size_t count) {
    std::vector<Scalar> scalars(count);
    std::uint64_t state = 1;
    for (Scalar& scalar : scalars) {
        for (std::uint64_t& limb : scalar.limbs) limb = state = state * 6364136223846793005U + 1442695040888963407U;
    }
    return scalars;
}

/// The sum, computed on the host in this process.
template <Curve C>
AffinePoint<C> host_msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points) {
    JacobianPoint<C> result;
    msm<C>(Operand<Scalar>(scalars), Operand<AffinePoint<C>>(points), MsmConfig::default_for_host(), result);
    return to_affine(result);
}

}  // namespace cupool::test
