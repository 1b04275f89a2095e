#include "msm/msms_of_bases.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "curve/for_each_curve.hpp"
#include "msm/checks.hpp"
#include "msm/device/strided_msms.hpp"
#include "msm/devices_for_msm.hpp"
#include "msm/msm_distributor.hpp"
#include "msm/msm_tasks.hpp"

namespace cupool::detail {

namespace {

/// MSMs over bases that were prepared on the pool's devices. The tasks keep it alive, and it keeps the bases.
template <Curve C>
class MsmsOfBases : public std::enable_shared_from_this<MsmsOfBases<C>> {
public:
    MsmsOfBases(PoolState& pool, MsmRequest<C> request, std::shared_ptr<const PooledBasesState<C>> bases)
        : pool_(pool), request_(std::move(request)), bases_(std::move(bases)) {}

    std::shared_ptr<MsmJob> job(MsmSpread spread, const SourceLocation& where);

private:
    std::optional<Division> division_of_slices() const;
    std::vector<MsmPart> parts(MsmSpread spread) const;
    std::vector<MsmPart> parts_where_bases_are() const;
    void require_division_of_bases(const Division& division, const std::vector<MsmPart>& parts) const;
    void require_bases(const Division& division) const;
    std::vector<std::size_t> choose(std::size_t devices, double work) const;
    std::optional<unsigned> digit_partition_width(const std::vector<MsmPart>& parts) const;
    RunReport run_digit_partitioned(const std::vector<MsmPart>& parts, unsigned width, std::span<JacobianPoint<C>> sums) const;
    RunReport run_part(const MsmPart& part, const DeviceContext& context, const MsmResults<C>& sums) const;

    PoolState& pool_;
    MsmRequest<C> request_;
    std::shared_ptr<const PooledBasesState<C>> bases_;
};

template <Curve C>
std::optional<Division> MsmsOfBases<C>::division_of_slices() const {
    if (!request_.scalars.is_sliced() || request_.terms() == 0) return std::nullopt;
    return detail::division_of_slices(request_.scalars, request_.count(), "scalars");
}

template <Curve C>
std::shared_ptr<MsmJob> MsmsOfBases<C>::job(MsmSpread spread, const SourceLocation& where) {
    require_enumerator(spread, MsmSpread::digit_partition, "MsmSpread");
    MsmTasks<C> tasks(pool_, request_.results, request_.config.are_points_montgomery_form);
    std::vector<MsmPart> parts = this->parts(spread);
    const std::optional<unsigned> width = digit_partition_width(parts);
    pool_.msms().lease(parts, msm_work<C>(1));
    const auto self = this->shared_from_this();
    if (width) {
        const std::size_t first_member = parts[0].member;
        tasks.add_joint(first_member, {0, 1}, [self, parts = std::move(parts), width](const DeviceContext&, const MsmResults<C>& sums) {
            return self->run_digit_partitioned(parts, *width, sums.host());
        });
        return std::move(tasks).job(where);
    }
    for (const MsmPart& part : parts) {
        tasks.add(part.member, part.msms, [self, part](const DeviceContext& context, const MsmResults<C>& sums) {
            return self->pool_.msms().run_part(part, [&] { return self->run_part(part, context, sums); });
        });
    }
    return std::move(tasks).job(where);
}

template <Curve C>
std::vector<MsmPart> MsmsOfBases<C>::parts(MsmSpread spread) const {
    const std::optional<Division> division = division_of_slices();
    if (bases_->is_sharded) {
        std::vector<MsmPart> parts = parts_where_bases_are();
        if (division) require_division_of_bases(*division, parts);
        return parts;
    }
    if (division) {
        require_bases(*division);
        return pool_.msms().parts_of_slices(*division, request_.count());
    }
    const double work = msm_work<C>(request_.terms()) * static_cast<double>(request_.count());
    const std::size_t devices = std::min(request_.count(), devices_for_msm(work, bases_->parts.size(), spread));
    return pool_.msms().parts_of_msms(choose(devices, work), request_.count(), request_.terms());
}

/// If the bases are divided, each device computes its terms of all MSMs.
template <Curve C>
std::vector<MsmPart> MsmsOfBases<C>::parts_where_bases_are() const {
    std::vector<MsmPart> parts;
    for (const auto& part : bases_->parts) {
        const std::size_t begin = std::min<std::size_t>(part.terms.offset, request_.terms());
        const std::size_t end = std::min<std::size_t>(part.terms.offset + part.terms.count, request_.terms());
        if (begin == end && !parts.empty()) break;
        parts.push_back({part.member, {0, request_.count()}, {begin, end - begin}});
    }
    return parts;
}

template <Curve C>
void MsmsOfBases<C>::require_division_of_bases(const Division& division, const std::vector<MsmPart>& parts) const {
    std::vector<int> devices;
    std::vector<Slice> slices;
    for (const MsmPart& part : parts) {
        devices.push_back(pool_.member(part.member).ordinal());
        slices.push_back(part.terms);
    }
    require_same_division(division, "scalars", {devices, slices}, "bases");
}

/// For bases that lie whole on each device. \throws Error invalid_argument if a device has a slice of the scalars but no bases
template <Curve C>
void MsmsOfBases<C>::require_bases(const Division& division) const {
    for (const int device : division.devices()) {
        if (bases_->part_of(pool_.index_of(device)) != nullptr) continue;
        refuse(
            "msm",
            "a slice of the scalars is on device " + std::to_string(device) +
                ", where no bases were prepared; prepare the bases again with that device in the pool, or pass the scalars in one piece");
    }
}

template <Curve C>
std::vector<std::size_t> MsmsOfBases<C>::choose(std::size_t devices, double work) const {
    const auto has_bases = [&](std::size_t member) { return bases_->part_of(member) != nullptr; };
    const auto home = home_of(pool_, request_.scalars);
    if (devices == 1 && home && has_bases(*home)) return {*home};
    return pool_.msms().choose_members(devices, work / static_cast<double>(devices), has_bases);
}

template <Curve C>
std::optional<unsigned> MsmsOfBases<C>::digit_partition_width(const std::vector<MsmPart>& parts) const {
    // If there are several MSMs, each device computes its terms of all of them in one call.
    if (!bases_->is_sharded || parts.size() == 1 || request_.count() != 1 || !request_.scalars.is_on_host()) return std::nullopt;
    const std::span<const Scalar> scalars = request_.scalars.host();
    const MsmConfig own = bases_->checked(request_.config_of_one(), scalars.first(parts[0].terms.count));
    return pool_.msms().digit_partitioner().width<C>(parts, request_.terms(), {scalars.data()}, own, bases_->spread_of_one());
}

template <Curve C>
RunReport MsmsOfBases<C>::run_digit_partitioned(const std::vector<MsmPart>& parts, unsigned width, std::span<JacobianPoint<C>> sums) const {
    const std::span<const Scalar> scalars = request_.scalars.host();
    const MsmConfig own = bases_->checked(request_.config_of_one(), scalars.first(parts[0].terms.count));
    const auto terms_of_part = [&](std::size_t, const MsmPart& part, const DeviceContext& context) {
        const DeviceSpan<const AffinePoint<C>> there = bases_->tables_at(part.member).on_device.span();
        return DeviceTerms<C>{part.member, context, scalars.subspan(part.terms.offset, part.terms.count),
                              there.subspan(0, part.terms.count)};
    };
    return pool_.msms().digit_partitioner().run<C>(parts, own, width, request_.terms(), terms_of_part, sums);
}

template <Curve C>
RunReport MsmsOfBases<C>::run_part(const MsmPart& part, const DeviceContext& context, const MsmResults<C>& sums) const {
    const auto& with_bases = *bases_->part_of(part.member);
    const StridedRange range = request_.range_of(request_.scalars, part);
    LocalOperands operands(pool_, part.member, context);
    try {
        const auto scalars = operands.local(request_.scalars, range);
        const MsmConfig own = request_.config_of_part(context, scalars.elements, sums);
        const std::size_t first_base = part.terms.offset - with_bases.terms.offset;
        try {
            RunReport report = msm_of_strided_scalars<C>({scalars.elements, part.terms.count, scalars.range.stride, first_base},
                                                         *with_bases.bases, own, sums);
            report.bytes += operands.bytes();
            report.device_bytes += operands.bytes();
            return report;
        } catch (const OversizedScalar& error) {
            request_.throw_oversized_scalar(range, scalars.range, error);
        }
    } catch (...) {
        operands.wait();
        throw;
    }
}

}  // namespace

template <Curve C>
std::shared_ptr<MsmJob> plan_msms_of_bases(PoolState& pool, MsmRequest<C> request, std::shared_ptr<const PooledBasesState<C>> bases,
                                           MsmSpread spread, const SourceLocation& where) {
    return std::make_shared<MsmsOfBases<C>>(pool, std::move(request), std::move(bases))->job(spread, where);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                     \
    template std::shared_ptr<MsmJob> plan_msms_of_bases<C>(PoolState&, MsmRequest<C>, std::shared_ptr<const PooledBasesState<C>>, \
                                                           MsmSpread, const SourceLocation&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
