#include <cstring>
#include <cupool/kernels/point.hpp>

#include "curve/for_each_curve.hpp"
#include "mpi_pool_state.hpp"

namespace cupool {

namespace {

/// The coordinates of a point, which are converted as those of affine points are.
template <Curve C, class Convert>
void convert(JacobianPoint<C>& point, Convert convert_affine) {
    AffinePoint<C> coordinates[] = {{point.x, point.y}, {point.z, {}}};
    convert_affine(std::span(coordinates));
    point = {coordinates[0].x, coordinates[0].y, coordinates[1].x};
}

/// The sum with z = 1, which has one form.
template <Curve C>
JacobianPoint<C> normalized_sum(std::vector<JacobianPoint<C>> points, bool is_montgomery_form) {
    if (is_montgomery_form) {
        for (JacobianPoint<C>& point : points) convert<C>(point, points_from_montgomery_form<C>);
    }
    JacobianPoint<C> total = to_jacobian<C>(to_affine<C>(sum<C>(points)));
    if (is_montgomery_form) convert<C>(total, points_to_montgomery_form<C>);
    return total;
}

/// The k-th of the points that each rank sent.
template <Curve C>
std::vector<JacobianPoint<C>> points_at(const std::vector<std::vector<std::byte>>& payloads, std::size_t k) {
    std::vector<JacobianPoint<C>> points(payloads.size());
    for (std::size_t rank = 0; rank < payloads.size(); ++rank)
        std::memcpy(&points[rank], payloads[rank].data() + k * sizeof(JacobianPoint<C>), sizeof(JacobianPoint<C>));
    return points;
}

template <Curve C>
std::string call_of(std::size_t results, const MsmConfig& config) {
    return "msm of " + to_string(C) + " with " + std::to_string(results) + " results in " +
           (config.are_points_montgomery_form ? "Montgomery" : "standard") + " form";
}

}  // namespace

template <Curve C, class Bases>
MpiReport MpiPool::sum_of_ranks(const PoolOperand<Scalar>& scalars, const Bases& bases, const MsmConfig& config,
                                std::span<JacobianPoint<C>> results, const SourceLocation& where) const {
    State& all = state(where);
    return all.collective_call(where, [&](MpiReport& report) {
        std::vector<JacobianPoint<C>> own;
        const std::exception_ptr failure = detail::failure_of([&] {
            own.resize(results.size());
            if (config.are_results_on_device)
                throw Error(ErrorCategory::unsupported, "the results of an MSM over ranks are on the host: are_results_on_device is set");
            if (scalars.size() != 0 || bases.size() != 0)
                report.local = all.pool.template msm<C>(scalars, bases, config, std::span<JacobianPoint<C>>(own));
        });
        const auto bytes = std::as_bytes(std::span(own));
        const auto payloads = detail::agree(all.link, {call_of<C>(results.size(), config), {bytes.begin(), bytes.end()}, failure});
        for (std::size_t k = 0; k < results.size(); ++k)
            results[k] = normalized_sum<C>(points_at<C>(payloads, k), config.are_points_montgomery_form);
    });
}

template <Curve C>
MpiReport MpiPool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                       std::span<JacobianPoint<C>> results, SourceLocation where) const {
    return sum_of_ranks<C>(scalars, points, config, results, where);
}

template <Curve C>
MpiReport MpiPool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                       JacobianPoint<C>& result, SourceLocation where) const {
    return sum_of_ranks<C>(scalars, points, config, std::span<JacobianPoint<C>>(&result, 1), where);
}

template <Curve C>
MpiReport MpiPool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                       std::span<JacobianPoint<C>> results, SourceLocation where) const {
    return sum_of_ranks<C>(scalars, bases, config, results, where);
}

template <Curve C>
MpiReport MpiPool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config, JacobianPoint<C>& result,
                       SourceLocation where) const {
    return sum_of_ranks<C>(scalars, bases, config, std::span<JacobianPoint<C>>(&result, 1), where);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template MpiReport MpiPool::msm<C>(const PoolOperand<Scalar>&, const PoolOperand<AffinePoint<C>>&, const MsmConfig&,                 \
                                       std::span<JacobianPoint<C>>, SourceLocation) const;                                               \
    template MpiReport MpiPool::msm<C>(const PoolOperand<Scalar>&, const PoolOperand<AffinePoint<C>>&, const MsmConfig&,                 \
                                       JacobianPoint<C>&, SourceLocation) const;                                                         \
    template MpiReport MpiPool::msm<C>(const PoolOperand<Scalar>&, const PooledBases<C>&, const MsmConfig&, std::span<JacobianPoint<C>>, \
                                       SourceLocation) const;                                                                            \
    template MpiReport MpiPool::msm<C>(const PoolOperand<Scalar>&, const PooledBases<C>&, const MsmConfig&, JacobianPoint<C>&,           \
                                       SourceLocation) const;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
