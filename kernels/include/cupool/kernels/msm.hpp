#pragma once

#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>
#include <span>

namespace cupool {

/// How an MSM runs. The names are those of ICICLE. Its large_bucket_factor has no counterpart: in
/// no step does a thread get more work because a bucket is larger.
struct MsmConfig {
    DeviceContext ctx;             ///< the device, stream and memory pool that do the work, or DeviceContext::host()
    int batch_size = 0;            ///< the number of MSMs: equal to the number of results, or 0, which means the same
    std::int64_t points_size = 0;  ///< the number of points, or 0
    int c = 0;                     ///< bits of a digit, 1 to 21; 0 chooses by size
    int bitsize = 0;  ///< every scalar is below 2^bitsize; 0 means the width of r. A scalar that breaks the promise is `invalid_argument`.
    bool are_scalars_on_device = false;        ///< must agree with where the operand lies
    bool are_points_on_device = false;         ///< must agree with where the operand lies
    bool are_results_on_device = false;        ///< must agree with where the results go
    bool are_scalars_montgomery_form = false;  ///< each scalar is s 2^256 modulo r
    bool are_points_montgomery_form = false;   ///< also the form of the results
    bool is_async = false;  ///< with results on the device: return when the work is enqueued, see below; otherwise without effect
    /// Bytes of device memory that the work may take on each device, in addition to operands and
    /// results that lie there; 0 means no limit. With a budget below what it would take, the work
    /// uses narrower digits and processes the terms in chunks. 64 MiB are enough for up to 2^30
    /// terms, unless the width of the digits is fixed: by c, or by bases that are prepared in
    /// several tables (see PrepareConfig). A budget that is too small is `invalid_argument`; the
    /// message names the bytes that are needed.
    std::uint64_t memory_budget = 0;

    /// The defaults, with `ctx` the null stream and default memory pool of a device. \throws Error as
    /// DeviceContext::default_for_device()
    static MsmConfig default_for_device(int device, SourceLocation where = SourceLocation::current());
    /// The defaults: all cores of the host.
    static MsmConfig default_for_host();
};

/// Computes the sum of scalars[i] * points[i] on one device, or on the host's cores if config.ctx is the host.
///
/// Points are affine and in the group of order r (not checked here: see find_faulty_point); infinity is allowed. Scalars of r
/// and above are taken modulo r. For points of the curve outside the group, the sum is as written only with a bitsize below the
/// width of r: without one, a device may take s - r for a scalar s, or split it by an endomorphism that is a multiplication by
/// a number only in the group, and the result is meaningless. No terms give infinity. Returns when the result is on the host;
/// work is ordered on the stream of config.ctx. A device operand begins at a multiple of 16 bytes, as every allocation does.
///
/// Large host operands are uploaded while the device works on those it already has, from page-locked
/// memory at the speed of the bus; pageable memory passes through page-locked staging buffers (up to 32
/// MiB for each concurrent MSM, kept with the context) that up to eight threads of config.ctx fill. The
/// read-back takes 64 KiB of page-locked memory, up to 16 MiB for many MSMs, also kept with the context.
/// \throws Error invalid_argument (sizes differ, a flag contradicts its operand, c is out of range, a
/// device operand is misaligned, the budget is too small), wrong_context (an operand lies on another
/// device), out_of_memory, and any error of the driver. Thread-safe: any number of concurrent calls.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, JacobianPoint<C>& result,
              SourceLocation where = SourceLocation::current());

/// Computes as many MSMs of equal size as there are results: MSM k has the scalars k n to k n + n - 1, and either all MSMs share
/// the same n points or each has n points of its own, in the same order. Otherwise as above. Small MSMs are summed together,
/// which costs far less than one after the other. \throws additionally Error invalid_argument if the scalars do not divide evenly
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
              std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current());

/// The same with results in memory of config.ctx's device, where later work of config.ctx's stream
/// may read them. Returns when they are there. If it throws, their contents are unspecified.
///
/// With config.is_async it returns when all work is enqueued on config.ctx's stream; further calls may be enqueued
/// behind it or on other streams. Until that work is done, the operands must not change, and they, the results and
/// config.ctx (or a copy of it) must live; the memory of the work is freed in stream order. Errors that the device
/// finds later are reported by the next call that waits for the stream. A broken promise of bitsize could not be, so a
/// bitsize below the width of r is `unsupported`. The call may still wait for the stream: for large operands in host
/// memory and for points in host memory that several MSMs share, which have been read when it returns; while kernels
/// are loaded; and on a device without memory pools. The milliseconds of the report end when the work is enqueued.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
              DeviceSpan<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current());

}  // namespace cupool
