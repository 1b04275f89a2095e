#pragma once

/// \file
/// How fast an MSM could be at best: a lower bound of its time on GPUs, to hold measured times against.

#include <cupool/kernels/curve.hpp>
#include <cupool/pool/device_pool.hpp>
#include <optional>

namespace cupool::tools {

/// The slots of the integer multiply pipes that an MSM of `terms` uniform scalars takes at least by Pippenger's method with signed digits:
///
///     the least over window widths c of  (bits / c + 1) * (terms * (5M + 1S) + 2^(c - 1) * 2 * (12M + 2S))
///
/// that is, one addition in batched affine coordinates (Guide to Elliptic Curve Cryptography, section 3.1.2, with Montgomery's trick) for
/// each term in each window, and two in XYZZ coordinates (add-2008-s) for each bucket. A Montgomery product M takes 264 slots of 32 bits at
/// four 64-bit limbs and 588 at six, a square S 208 and 456. Sorting, copying and everything that is no multiplication is left out, and so
/// are multiples prepared beforehand, which save windows.
double msm_multiply_slots(Curve curve, double terms);

/// The milliseconds in which the pool's GPUs could do that, each an equal share of the terms with all its multiply pipes busy: 64 slots a
/// clock a multiprocessor. Nothing for the host, and where a GPU is none of compute capability 9.0, on which those figures were measured.
std::optional<double> msm_bound_milliseconds(Curve curve, std::size_t terms, const DevicePool& pool);

}  // namespace cupool::tools
