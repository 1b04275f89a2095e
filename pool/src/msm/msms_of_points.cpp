#include "msm/msms_of_points.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "curve/for_each_curve.hpp"
#include "msm/checks.hpp"
#include "msm/devices_for_msm.hpp"
#include "msm/msm_distributor.hpp"
#include "msm/msm_tasks.hpp"

namespace cupool::detail {

namespace {

/// MSMs over points that the caller passes with them. The tasks keep it alive.
template <Curve C>
class MsmsOfPoints : public std::enable_shared_from_this<MsmsOfPoints<C>> {
public:
    /// \throws Error if the operands do not match each other or the configuration
    MsmsOfPoints(PoolState& pool, MsmRequest<C> request, PoolOperand<AffinePoint<C>> points);

    std::shared_ptr<MsmJob> job(MsmSpread spread, const SourceLocation& where);

private:
    bool are_points_shared() const { return points_.size() == request_.terms(); }
    bool are_on_host() const { return request_.scalars.is_on_host() && points_.is_on_host(); }
    std::optional<Division> division_of_slices() const;
    std::vector<std::size_t> choose(std::size_t devices, double work) const;
    void add_parts(MsmTasks<C>& tasks, std::vector<MsmPart> parts);
    void add_digit_partitioned(MsmTasks<C>& tasks, std::vector<MsmPart> parts, unsigned width);
    std::optional<unsigned> digit_partition_width(const std::vector<MsmPart>& parts, MsmSpread spread) const;
    RunReport run_part(const MsmPart& part, const DeviceContext& context, const MsmResults<C>& sums) const;
    RunReport run_msms(const StridedOperand<Scalar>& scalars, const StridedOperand<AffinePoint<C>>& points, const DeviceContext& context,
                       const MsmResults<C>& sums) const;

    PoolState& pool_;
    MsmRequest<C> request_;
    PoolOperand<AffinePoint<C>> points_;
};

template <Curve C>
MsmsOfPoints<C>::MsmsOfPoints(PoolState& pool, MsmRequest<C> request, PoolOperand<AffinePoint<C>> points)
    : pool_(pool), request_(std::move(request)), points_(std::move(points)) {
    const MsmConfig& config = request_.config;
    require_points(request_.sizes, points_.size(), config);
    require_digits("msm", config.c, config.bitsize);
    require_msm_operand(pool, points_, config.are_points_on_device, "points");
}

/// How the slices of the operands divide the terms; nullopt if no operand is in slices.
template <Curve C>
std::optional<Division> MsmsOfPoints<C>::division_of_slices() const {
    std::optional<Division> of_scalars;
    std::optional<Division> of_points;
    if (request_.terms() == 0) return std::nullopt;
    if (request_.scalars.is_sliced()) of_scalars = detail::division_of_slices(request_.scalars, request_.count(), "scalars");
    if (points_.is_sliced()) of_points = detail::division_of_slices(points_, are_points_shared() ? 1 : request_.count(), "points");
    if (of_scalars && of_points) require_same_division(*of_scalars, "scalars", *of_points, "points");
    return of_scalars ? of_scalars : of_points;
}

/// A single device is the one where an operand lies, if there is one.
template <Curve C>
std::vector<std::size_t> MsmsOfPoints<C>::choose(std::size_t devices, double work) const {
    if (devices == 1) {
        if (const auto home = home_of(pool_, points_)) return {*home};
        if (const auto home = home_of(pool_, request_.scalars)) return {*home};
    }
    return pool_.msms().choose_members(devices, work / static_cast<double>(devices));
}

template <Curve C>
std::shared_ptr<MsmJob> MsmsOfPoints<C>::job(MsmSpread spread, const SourceLocation& where) {
    require_enumerator(spread, MsmSpread::digit_partition, "MsmSpread");
    MsmTasks<C> tasks(pool_, request_.results, request_.config.are_points_montgomery_form);
    if (const auto division = division_of_slices()) {
        add_parts(tasks, pool_.msms().parts_of_slices(*division, request_.count()));
        return std::move(tasks).job(where);
    }
    const std::size_t count = request_.count();
    const std::size_t terms = request_.terms();
    const double work = msm_work<C>(terms);
    const std::size_t healthy = pool_.healthy().size();
    const std::size_t devices = devices_for_msm(work * static_cast<double>(count), healthy, spread);
    const std::vector<std::size_t> members = choose(devices, work * static_cast<double>(count));
    const std::size_t whole = whole_msms(count, pool_.weights_of(members), devices_for_msm(work, healthy, spread));
    if (whole != 0) add_parts(tasks, pool_.msms().parts_of_msms(members, whole, terms));
    if (whole == count) return std::move(tasks).job(where);

    const std::size_t devices_of_rest = devices_for_msm(work, std::max<std::size_t>(1, std::min(healthy, terms)), spread);
    const Slice rest{whole, count - whole};
    std::vector<MsmPart> parts = pool_.msms().parts_of_terms(choose(devices_of_rest, work * static_cast<double>(rest.count)), rest, terms);
    const std::optional<unsigned> width = digit_partition_width(parts, spread);
    if (width) {
        add_digit_partitioned(tasks, std::move(parts), *width);
    } else {
        add_parts(tasks, std::move(parts));
    }
    return std::move(tasks).job(where);
}

template <Curve C>
void MsmsOfPoints<C>::add_parts(MsmTasks<C>& tasks, std::vector<MsmPart> parts) {
    pool_.msms().lease(parts, msm_work<C>(1));
    for (const MsmPart& part : parts) {
        tasks.add(part.member, part.msms, [self = this->shared_from_this(), part](const DeviceContext& context, const MsmResults<C>& sums) {
            return self->pool_.msms().run_part(part, [&] { return self->run_part(part, context, sums); });
        });
    }
}

template <Curve C>
std::optional<unsigned> MsmsOfPoints<C>::digit_partition_width(const std::vector<MsmPart>& parts, MsmSpread spread) const {
    if (parts.size() == 1 || !are_on_host()) return std::nullopt;
    const std::size_t terms = request_.terms();
    const std::span<const Scalar> scalars = request_.scalars.host();
    const MsmConfig one = request_.config_of_one();
    check_msm<C>(scalars.first(terms), Operand<AffinePoint<C>>(points_.host().first(terms)), one, {1, terms, terms});
    return pool_.msms().digit_partitioner().width<C>(parts, terms, {scalars.data(), points_.host().data()}, one, spread);
}

template <Curve C>
void MsmsOfPoints<C>::add_digit_partitioned(MsmTasks<C>& tasks, std::vector<MsmPart> parts, unsigned width) {
    pool_.msms().lease(parts, msm_work<C>(1));
    const std::size_t first_member = parts[0].member;
    const Slice msms = parts[0].msms;
    tasks.add_joint(first_member, msms,
                    [self = this->shared_from_this(), parts = std::move(parts), width](const DeviceContext&, const MsmResults<C>& sums) {
                        const std::size_t terms = self->request_.terms();
                        const auto terms_of_part = [&](std::size_t k, const MsmPart& part, const DeviceContext& context) {
                            const std::size_t first = k * terms + part.terms.offset;
                            const std::size_t first_point = self->are_points_shared() ? part.terms.offset : first;
                            return DeviceTerms<C>{part.member, context, self->request_.scalars.host().subspan(first, part.terms.count),
                                                  self->points_.host().subspan(first_point, part.terms.count)};
                        };
                        return self->pool_.msms().digit_partitioner().template run<C>(parts, self->request_.config_of_one(), width, terms,
                                                                                      terms_of_part, sums.host());
                    });
}

template <Curve C>
RunReport MsmsOfPoints<C>::run_part(const MsmPart& part, const DeviceContext& context, const MsmResults<C>& sums) const {
    MsmPart of_points = part;
    if (are_points_shared()) of_points.msms = {0, 1};
    const StridedRange scalar_range = request_.range_of(request_.scalars, part);
    LocalOperands operands(pool_, part.member, context);
    try {
        const auto scalars = operands.local(request_.scalars, scalar_range);
        const auto points = operands.local(points_, request_.range_of(points_, of_points));
        try {
            RunReport report = run_msms(scalars, points, context, sums);
            report.bytes += operands.bytes();
            report.device_bytes += operands.bytes();
            return report;
        } catch (const OversizedScalar& error) {
            request_.throw_oversized_scalar(scalar_range, scalars.range, error);
        }
    } catch (...) {
        operands.wait();
        throw;
    }
}

/// Runs the MSMs in one call if their rows are contiguous. Otherwise each of them is large enough for several devices, and they run one
/// after another.
template <Curve C>
RunReport MsmsOfPoints<C>::run_msms(const StridedOperand<Scalar>& scalars, const StridedOperand<AffinePoint<C>>& points,
                                    const DeviceContext& context, const MsmResults<C>& sums) const {
    MsmConfig own = request_.config_of_part(context, scalars.elements, sums);
    own.are_points_on_device = points.elements.is_on_device();
    const auto run = [&](const Operand<Scalar>& own_scalars, const Operand<AffinePoint<C>>& own_points, const MsmResults<C>& own_sums) {
        if (own_sums.is_on_device()) return cupool::msm<C>(own_scalars, own_points, own, own_sums.device());
        return cupool::msm<C>(own_scalars, own_points, own, own_sums.host());
    };
    if (scalars.range.is_contiguous() && points.range.is_contiguous()) return run(scalars.elements, points.elements, sums);
    RunReport all;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        try {
            const RunReport one = run(scalars.row(k), points.row(points.range.row_count == 1 ? 0 : k), sums.subspan(k, 1));
            all.engine = one.engine;
            pool_.join(all, one);
        } catch (const OversizedScalar& error) {
            throw_oversized_scalar(k * scalars.range.stride + error.index(), error.bits());
        }
    }
    return all;
}

}  // namespace

template <Curve C>
std::shared_ptr<MsmJob> plan_msms_of_points(PoolState& pool, MsmRequest<C> request, PoolOperand<AffinePoint<C>> points, MsmSpread spread,
                                            const SourceLocation& where) {
    return std::make_shared<MsmsOfPoints<C>>(pool, std::move(request), std::move(points))->job(spread, where);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                  \
    template std::shared_ptr<MsmJob> plan_msms_of_points<C>(PoolState&, MsmRequest<C>, PoolOperand<AffinePoint<C>>, MsmSpread, \
                                                            const SourceLocation&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
