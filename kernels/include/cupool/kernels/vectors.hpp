#pragma once

/// \file
/// Element-wise operations on arrays of scalars modulo r: what a prover computes between two transforms (ntt.hpp).
///
/// All functions run on one device, or on the host's cores if `config.ctx` is the host. Operands and results lie in host memory or in that
/// of the context's device, aligned to 16 bytes there, in any mix. Elements of r and above are taken modulo r; results are below r, so
/// every engine and device gives the same bits. The results may be the same array as an operand; otherwise they must not overlap it. Work
/// is ordered on the context's stream. All functions are thread-safe and throw Error invalid_argument (sizes differ; an operand is
/// misaligned; the results overlap an operand in part), wrong_context (an operand is on another device), out_of_memory, and any error of
/// the driver.

#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>

namespace cupool {

/// How element-wise operations run.
struct VectorConfig {
    DeviceContext ctx{};  ///< the device, stream and memory pool that do the work, or DeviceContext::host()
    /// Whether all elements, operands and results, are in Montgomery form (R = 2^256), or in standard form.
    bool is_montgomery_form = false;
    /// With all operands on the device: return when the work is enqueued on the stream. Otherwise it has no effect.
    bool is_async = false;
};

/// results[i] = left[i] + right[i]
template <Curve C>
requires NttCurve<C> RunReport add_vectors(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                           const OutputOperand<Scalar>& results, SourceLocation where = SourceLocation::current());

/// results[i] = left[i] - right[i]
template <Curve C>
requires NttCurve<C> RunReport subtract_vectors(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                                const OutputOperand<Scalar>& results, SourceLocation where = SourceLocation::current());

/// results[i] = left[i] * right[i]
template <Curve C>
requires NttCurve<C> RunReport multiply_vectors(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                                const OutputOperand<Scalar>& results, SourceLocation where = SourceLocation::current());

/// results[i] = elements[i] * base^i. \param base  in standard form, whatever the form of the elements
template <Curve C>
requires NttCurve<C> RunReport multiply_by_powers(const Operand<Scalar>& elements, const Scalar& base, const VectorConfig& config,
                                                  const OutputOperand<Scalar>& results, SourceLocation where = SourceLocation::current());

/// results[i] = 1 / elements[i], or 0 if that is 0. On a device, it takes as much memory as the results if these are the same array as the
/// elements.
template <Curve C>
requires NttCurve<C> RunReport invert_vector(const Operand<Scalar>& elements, const VectorConfig& config,
                                             const OutputOperand<Scalar>& results, SourceLocation where = SourceLocation::current());

}  // namespace cupool
