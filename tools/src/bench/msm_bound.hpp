#pragma once

/// \file
/// A lower bound for the time of an MSM on GPUs, to compare measured times with.

#include <cupool/kernels/curve.hpp>
#include <cupool/pool/device_pool.hpp>
#include <optional>

namespace cupool::tools {

/// The minimum number of slots of the integer multiply pipes for an MSM of `terms` uniform scalars
/// by Pippenger's method with signed digits:
///
///     minimum over window widths c of  (bits / c + 1) * (terms * (5M + 1S) + 2^(c - 1) * 2 * (12M + 2S))
///
/// This is one batched-affine addition for each term in each window (Guide to Elliptic Curve
/// Cryptography, section 3.1.2, with Montgomery's trick) and two additions in XYZZ coordinates
/// (add-2008-s) for each bucket. A Montgomery product M takes 264 slots of 32 bits with four 64-bit
/// limbs and 588 with six; a square S takes 208 and 456. The bound ignores sorting, copies and all
/// other instructions, and prepared tables, which save windows.
double msm_multiply_slots(Curve curve, double terms);

/// The time in which the GPUs of the pool can do this, in milliseconds, if each takes an equal part
/// of the terms and keeps all multiply pipes busy: 64 slots a clock and multiprocessor. nullopt for
/// the host, and if a GPU does not have compute capability 9.0, on which the figures were measured.
std::optional<double> msm_bound_milliseconds(Curve curve, std::size_t terms, const DevicePool& pool);

}  // namespace cupool::tools
