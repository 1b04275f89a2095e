#pragma once

#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>
#include <span>

namespace cupool {

/// How an MSM is to be run. The names are ICICLE's. Its large_bucket_factor is not wanted: no step gives a thread more work because a
/// bucket is larger.
struct MsmConfig {
    DeviceContext ctx;             ///< the device, stream and memory pool that do the work, or DeviceContext::host()
    int batch_size = 0;            ///< how many MSMs there are; must be how many results there are, or 0, which means just that
    std::int64_t points_size = 0;  ///< how many points there are; must be so, or 0
    int c = 0;                     ///< bits of a digit, 1 to 21; 0 chooses by size
    int bitsize = 0;  ///< every scalar is below 2^bitsize; 0 means the width of r. A scalar that breaks the promise is `invalid_argument`.
    bool are_scalars_on_device = false;        ///< must agree with where the operand lives
    bool are_points_on_device = false;         ///< must agree with where the operand lives
    bool are_results_on_device = false;        ///< must agree with where the results are to go
    bool are_scalars_montgomery_form = false;  ///< each scalar is s 2^256 modulo r
    bool are_points_montgomery_form = false;   ///< also the form of the results
    bool is_async = false;  ///< with results on the device, return as soon as the work is queued; see below. Else it means nothing.
    /// Bytes of device memory that the work may take on each device, besides operands and results
    /// that lie there; 0 means no limit. On a smaller budget than it would like, the work takes
    /// narrower digits and goes over the terms in chunks. 64 MiB are enough for up to 2^30 terms,
    /// unless the digits' width is fixed: by c, or by bases that are prepared in several tables (see
    /// PrepareConfig). A budget that is too small is `invalid_argument`; the message names the bytes
    /// that are needed.
    std::uint64_t memory_budget = 0;

    /// The defaults, with `ctx` the null stream and default memory pool of a device. \throws Error as
    /// DeviceContext::default_for_device()
    static MsmConfig default_for_device(int device, SourceLocation where = SourceLocation::current());
    /// The defaults: all cores of the host.
    static MsmConfig default_for_host();
};

/// sum of scalars[i] * points[i] on one device, or on the host's cores where config.ctx is the host.
///
/// Points are affine and in the group of order r (not checked here: see find_faulty_point), infinity allowed; scalars of r and above are
/// taken modulo r. Elsewhere on the curve, where r times a point is not infinity, the sum is as written only with a bitsize below the width
/// of r: without one a device may take s - r for a scalar s, or split it by an endomorphism that multiplies points of the group alone by a
/// number, and the sum of other points means nothing. No terms give infinity. Returns when the result is on the host; work is
/// ordered on config.ctx's stream. A device operand begins at a multiple of 16 bytes, as every allocation does.
///
/// Large host operands are copied while the device works on what it has already, from page-locked memory as fast as the bus goes; ordinary
/// memory passes through page-locked chunks (up to 32 MiB for each MSM that runs at once, kept with the context) that up to eight threads
/// of config.ctx fill. What comes back takes 64 KiB of page-locked memory, of many MSMs up to 16 MiB, kept likewise.
/// \throws Error invalid_argument (sizes differ, a flag contradicts its operand, c out of range, a device operand is
/// misaligned, the budget is too small), wrong_context (an operand lives on another device),
///         out_of_memory, and whatever the driver answers.
/// Thread-safe: any number of calls at once.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, JacobianPoint<C>& result,
              SourceLocation where = SourceLocation::current());

/// As many MSMs of equal size as there are results: MSM number k has scalars[k n] to scalars[k n + n - 1], and all of them the same n
/// points, or each n points of its own, in the same order. Otherwise as above; small MSMs are done together, which costs far less than
/// one after the other. \throws additionally Error invalid_argument where the scalars do not divide evenly
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
              std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current());

/// The same with results in memory of config.ctx's device, where later work of config.ctx's stream finds them. It returns when they are
/// there. Where it throws, what they hold is unspecified.
///
/// With config.is_async it returns when all work is queued on config.ctx's stream, and calls that are queued one behind the other, or on
/// several streams, run as their streams say. Until that work is done, the operands must stay as they are, and they, the results and
/// config.ctx (or a copy of it) must live; memory that the work takes is given back in the stream's order. What the device finds later
/// comes out of whatever next waits for the stream. A broken promise could not, so a bitsize below the width of r is `unsupported`. The
/// call may still wait for the stream where it must: with operands in host memory, for large ones and for points that several MSMs share,
/// which have been read then; while kernels are loaded; and on a device without memory pools. The report's milliseconds are those of the
/// queueing.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
              DeviceSpan<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current());

}  // namespace cupool
