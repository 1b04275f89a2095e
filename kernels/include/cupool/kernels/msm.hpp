#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>

namespace cupool {

/// How an MSM is to be run. The names are ICICLE's, of whose config the batch, precompute and async members are not here yet.
struct MsmConfig {
    DeviceContext ctx;  ///< the device, stream and memory pool that do the work, or DeviceContext::host()
    int c = 0;          ///< window width in bits, 1 to 20; 0 chooses by size
    int bitsize = 0;  ///< every scalar is below 2^bitsize; 0 means the width of r. A scalar that breaks the promise is `invalid_argument`.
    bool are_scalars_on_device = false;  ///< must agree with where the operand lives
    bool are_points_on_device = false;   ///< must agree with where the operand lives
    bool are_scalars_montgomery_form = false;
    bool are_points_montgomery_form = false;  ///< also the form of the result

    static MsmConfig default_for_device(int device);
    static MsmConfig default_for_host();
};

/// sum of scalars[i] * points[i] on one device, or on the host's cores where config.ctx is the host.
///
/// Points are affine and on the curve (not checked here: see find_faulty_point), infinity allowed; scalars of r and above are taken
/// modulo r. No terms give infinity. Returns when the result is on the host; work is ordered on config.ctx's stream.
/// A device operand begins at a multiple of 16 bytes, as every allocation does.
/// \throws Error invalid_argument (sizes differ, a flag contradicts its operand, c out of range, a device operand is misaligned),
/// wrong_context (an operand lives on another device),
///         out_of_memory, and whatever the driver answers.
/// Thread-safe: any number of calls at once.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, JacobianPoint<C>& result);

}  // namespace cupool
