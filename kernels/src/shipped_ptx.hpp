#pragma once

#include <cupool/kernels/curve.hpp>

namespace cupool::detail {

extern const char msm_bn254_ptx[];
extern const char msm_bls12_381_ptx[];
extern const char msm_bls12_377_ptx[];
extern const char reduce_ptx[];

/// The text of the MSM kernels for a curve, NUL-terminated.
template <Curve C>
inline const char* msm_ptx() {
    if constexpr (C == Curve::bn254) return msm_bn254_ptx;
    if constexpr (C == Curve::bls12_381) return msm_bls12_381_ptx;
    if constexpr (C == Curve::bls12_377) return msm_bls12_377_ptx;
}

}  // namespace cupool::detail
