#include <cupool/driver/detail/caller.hpp>
#include <cupool/pool/device_pool.hpp>

#include "curve/for_each_curve.hpp"
#include "msm/msms_of_bases.hpp"
#include "msm/msms_of_points.hpp"

namespace cupool {

namespace {

/// \throws Error unsupported if a blocking call has is_async set
void require_no_async(const MsmConfig& config) {
    if (!config.is_async) return;
    throw Error(ErrorCategory::unsupported,
                "msm: is_async is set, but DevicePool::msm() returns when the results are there; use DevicePool::submit_msm()");
}

}  // namespace

template <Curve C>
std::shared_ptr<detail::MsmJob> DevicePool::plan_msms(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                                      const MsmConfig& config, const detail::MsmResults<C>& results, MsmSpread spread,
                                                      const SourceLocation& where) const {
    detail::PoolState& pool = state(where);
    return detail::plan_msms_of_points<C>(pool, detail::MsmRequest<C>(pool, scalars, config, results), points, spread, where);
}

template <Curve C>
std::shared_ptr<detail::MsmJob> DevicePool::plan_msms(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases,
                                                      const MsmConfig& config, const detail::MsmResults<C>& results, MsmSpread spread,
                                                      const SourceLocation& where) const {
    detail::PoolState& pool = state(where);
    detail::MsmRequest<C> request(pool, scalars, config, results);
    bases.state(where).check(state_, request.terms());
    return detail::plan_msms_of_bases<C>(pool, std::move(request), bases.state_, spread, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                          JacobianPoint<C>& result, MsmSpread spread, SourceLocation where) const {
    return msm<C>(scalars, points, config, std::span(&result, 1), spread, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] { return plan_msms<C>(scalars, points, config, results, spread, where)->run(); });
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                          DeviceSpan<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        require_no_async(config);
        return plan_msms<C>(scalars, points, config, results, spread, where)->run();
    });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, JacobianPoint<C>& result, MsmSpread spread,
                                              SourceLocation where) const {
    return submit_msm<C>(scalars, points, config, std::span(&result, 1), spread, where);
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, std::span<JacobianPoint<C>> results, MsmSpread spread,
                                              SourceLocation where) const {
    return detail::report_at(where, [&] { return plan_msms<C>(scalars, points, config, results, spread, where)->start(); });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, DeviceSpan<JacobianPoint<C>> results, MsmSpread spread,
                                              SourceLocation where) const {
    return detail::report_at(where, [&] { return plan_msms<C>(scalars, points, config, results, spread, where)->start(); });
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          JacobianPoint<C>& result, SourceLocation where) const {
    return msm<C>(scalars, bases, config, std::span(&result, 1), MsmSpread::one_device, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] { return plan_msms<C>(scalars, bases, config, results, spread, where)->run(); });
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          DeviceSpan<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        require_no_async(config);
        return plan_msms<C>(scalars, bases, config, results, spread, where)->run();
    });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              JacobianPoint<C>& result, SourceLocation where) const {
    return submit_msm<C>(scalars, bases, config, std::span(&result, 1), MsmSpread::one_device, where);
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] { return plan_msms<C>(scalars, bases, config, results, spread, where)->start(); });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              DeviceSpan<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] { return plan_msms<C>(scalars, bases, config, results, spread, where)->start(); });
}

#define CUPOOL_INSTANTIATE_CALLS(C, Bases, ...)                                                                                           \
    template RunReport DevicePool::msm<C>(const PoolOperand<Scalar>&, const Bases&, const MsmConfig&, __VA_ARGS__, SourceLocation) const; \
    template std::future<RunReport> DevicePool::submit_msm<C>(const PoolOperand<Scalar>&, const Bases&, const MsmConfig&, __VA_ARGS__,    \
                                                              SourceLocation) const;
#define CUPOOL_INSTANTIATE(C)                                                                         \
    CUPOOL_INSTANTIATE_CALLS(C, PoolOperand<AffinePoint<C>>, JacobianPoint<C>&, MsmSpread)            \
    CUPOOL_INSTANTIATE_CALLS(C, PoolOperand<AffinePoint<C>>, std::span<JacobianPoint<C>>, MsmSpread)  \
    CUPOOL_INSTANTIATE_CALLS(C, PoolOperand<AffinePoint<C>>, DeviceSpan<JacobianPoint<C>>, MsmSpread) \
    CUPOOL_INSTANTIATE_CALLS(C, PooledBases<C>, JacobianPoint<C>&)                                    \
    CUPOOL_INSTANTIATE_CALLS(C, PooledBases<C>, std::span<JacobianPoint<C>>, MsmSpread)               \
    CUPOOL_INSTANTIATE_CALLS(C, PooledBases<C>, DeviceSpan<JacobianPoint<C>>, MsmSpread)
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE
#undef CUPOOL_INSTANTIATE_CALLS

}  // namespace cupool
