#pragma once

#include <cstdint>
#include <cupool/kernels/msm.hpp>
#include <memory>
#include <span>

namespace cupool {

template <Curve C>
class PreparedBases;

namespace detail {
template <Curve C>
struct BaseTables;
template <Curve C>
const BaseTables<C>& tables_of(const PreparedBases<C>& bases, const SourceLocation& where = SourceLocation::current());
}  // namespace detail

/// How bases are prepared.
struct PrepareConfig {
    DeviceContext ctx;  ///< where the bases lie: a device, or DeviceContext::host()
    /// The number of tables of multiples, 1 to 64: the points, and the points times powers of two that follow
    /// from the width of digits. A table takes as much memory as the points. With f tables, f digits of a
    /// scalar share their buckets: there are f times fewer buckets to sum, so digits may be wider and fewer.
    ///
    /// Several tables fix the width of the digits for all MSMs over these bases, so a small
    /// MsmConfig::memory_budget cannot change it. If c is 0, the width is chosen for speed alone: a
    /// budget of 64 MiB is enough over up to 2^19 points, but over more points an MSM may need
    /// several times as much; a smaller c needs less. One table leaves the width open, unless c is
    /// given.
    int precompute_factor = 1;
    int c = 0;                          ///< bits of a digit, 1 to 21; 0 chooses by size. With a table for every digit, some have a bit less
    int bitsize = 0;                    ///< as MsmConfig's, for every MSM with these bases
    bool are_points_on_device = false;  ///< must agree with where the operand lies
    bool are_points_montgomery_form = false;  ///< the form of the given coordinates

    /// The defaults, with `ctx` the null stream and default memory pool of a device. \throws Error as
    /// DeviceContext::default_for_device()
    static PrepareConfig default_for_device(int device, SourceLocation where = SourceLocation::current());
};

/// Bases for many MSMs: they stay where the work is done, in the form that it needs. Copyable;
/// copies share the tables. Thread-safe. A use of moved-from bases throws wrong_context. In a
/// forked child, bases on the host remain usable; those on a device throw forked.
template <Curve C>
class PreparedBases {
public:
    /// Returns when the bases are ready; the points are no longer needed then. They may include infinity. \throws
    /// Error invalid_argument (a flag contradicts its operand, a number is out of range, more than 2^30 points in
    /// all tables), wrong_context (the points lie on another device), out_of_memory, and any error of the driver
    PreparedBases(const Operand<AffinePoint<C>>& points, const PrepareConfig& config, SourceLocation where = SourceLocation::current());

    /// The number of bases.
    std::size_t size(SourceLocation where = SourceLocation::current()) const;
    /// The number of tables: at most the number of digits of a scalar, so possibly fewer than requested; one on the host.
    int precompute_factor(SourceLocation where = SourceLocation::current()) const;
    /// Bytes of device memory that they take; 0 on the host.
    std::uint64_t device_bytes(SourceLocation where = SourceLocation::current()) const;
    /// The context in which they lie.
    const DeviceContext& context(SourceLocation where = SourceLocation::current()) const;

private:
    friend const detail::BaseTables<C>& detail::tables_of<C>(const PreparedBases& bases, const SourceLocation& where);

    std::shared_ptr<const detail::BaseTables<C>> tables_;
};

/// Computes one MSM over prepared bases for each result. An MSM with fewer scalars than bases uses the first bases. config.ctx must
/// belong to the context of the bases. config.c must be 0 or the digit width that the bases were prepared for; config.bitsize
/// likewise, if they were prepared with a bitsize or in several tables. Of the fields about points only are_points_montgomery_form
/// is used: it is the form of the results. Everything else is as in cupool::msm() of points. \throws additionally Error invalid_argument
/// (more scalars per MSM than bases, c or bitsize not that of the bases), wrong_context (config.ctx is of another context than the bases)
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, std::span<JacobianPoint<C>> results,
              SourceLocation where = SourceLocation::current());

/// Computes one MSM over prepared bases.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, JacobianPoint<C>& result,
              SourceLocation where = SourceLocation::current()) {
    return msm<C>(scalars, bases, config, std::span<JacobianPoint<C>>(&result, 1), where);
}

/// The same with results in memory of config.ctx's device, optionally asynchronous, as cupool::msm() of points. Bases that
/// promise a bitsize below the width of r are `unsupported` then. A copy of the bases must live until the work is done.
template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, DeviceSpan<JacobianPoint<C>> results,
              SourceLocation where = SourceLocation::current());

}  // namespace cupool
