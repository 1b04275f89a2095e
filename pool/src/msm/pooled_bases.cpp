#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/pooled_bases.hpp>
#include <optional>
#include <utility>

#include "curve/for_each_curve.hpp"
#include "msm/checks.hpp"
#include "msm/devices_for_msm.hpp"
#include "msm/pooled_bases_state.hpp"
#include "pool_state.hpp"

namespace cupool {

template <Curve C>
PooledBases<C>::PooledBases(std::shared_ptr<const detail::PooledBasesState<C>> state) : state_(std::move(state)) {}

template <Curve C>
const detail::PooledBasesState<C>& PooledBases<C>::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("the bases", where);
    state_->process.require_own_process("the bases", where);
    return *state_;
}

template <Curve C>
std::size_t PooledBases<C>::size(SourceLocation where) const {
    return state(where).size;
}

template <Curve C>
bool PooledBases<C>::is_sharded(SourceLocation where) const {
    return state(where).is_sharded;
}

template <Curve C>
std::vector<int> PooledBases<C>::devices(SourceLocation where) const {
    std::vector<int> ordinals;
    for (const auto& part : state(where).parts) {
        if (!part.bases->context().is_host()) ordinals.push_back(part.bases->context().device());
    }
    return ordinals;
}

template <Curve C>
std::uint64_t PooledBases<C>::device_bytes(SourceLocation where) const {
    std::uint64_t bytes = 0;
    for (const auto& part : state(where).parts) bytes += part.bases->device_bytes();
    return bytes;
}

template <Curve C>
PooledBases<C> DevicePool::prepare(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread,
                                   SourceLocation where) const {
    return detail::report_at(where, [&] { return prepare_bases(points, config, spread, where); });
}

template <Curve C>
PooledBases<C> DevicePool::prepare_bases(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread,
                                         const SourceLocation& where) const {
    detail::PoolState& pool = state(where);
    detail::require_enumerator(spread, MsmSpread::digit_partition, "MsmSpread");
    const std::vector<std::size_t> healthy = pool.healthy();
    const auto bases = std::make_shared<detail::PooledBasesState<C>>();
    bases->pool = state_;
    bases->size = points.size();
    const std::size_t served = detail::devices_for_msm(detail::msm_work<C>(points.size()), healthy.size(), spread);
    bases->spread = spread;
    bases->is_sharded = healthy.size() > 1 && served == healthy.size();
    const std::vector<Slice> slices = pool.divided(points.size(), Shares::by_speed, healthy);
    std::vector<std::size_t> holders;
    for (std::size_t i = 0; i < healthy.size(); ++i) {
        const Slice terms = bases->is_sharded ? slices[healthy[i]] : Slice{0, points.size()};
        if (bases->is_sharded && terms.count == 0 && i > 0) continue;  // the first checks the configuration even if there are no points
        bases->parts.push_back({healthy[i], terms, std::nullopt});
        holders.push_back(healthy[i]);
    }
    pool.run_each(holders, [&](std::size_t index, const DeviceContext& context) {
        auto& part =
            *std::find_if(bases->parts.begin(), bases->parts.end(), [=](const auto& candidate) { return candidate.member == index; });
        PrepareConfig own = config;
        own.ctx = context;
        const std::span<const AffinePoint<C>> own_points = points.subspan(part.terms.offset, part.terms.count);
        part.bases.emplace(Operand<AffinePoint<C>>(own_points), own);
        if (!context.is_host()) pool.member(index).bytes += own_points.size_bytes();
    });
    return PooledBases<C>(bases);
}

namespace detail {

template <Curve C>
void PooledBasesState<C>::check(const std::shared_ptr<const void>& user, std::size_t terms) const {
    if (pool.owner_before(user) || user.owner_before(pool)) {
        throw Error(ErrorCategory::wrong_context, "the bases were prepared by another pool");
    }
    if (terms > size) {
        throw Error(ErrorCategory::invalid_argument,
                    std::to_string(terms) + " scalars are more than there are bases: " + std::to_string(size));
    }
}

template <Curve C>
MsmConfig PooledBasesState<C>::checked(MsmConfig config, std::span<const Scalar> scalars) const {
    const BaseTables<C>& tables = tables_at(parts[0].member);
    config.ctx = tables.context;
    check_msm<C>(scalars, *parts[0].bases, config, {1, scalars.size(), scalars.size()});
    config.bitsize = bitsize_of(tables, config);
    if (tables.width != 0) config.c = static_cast<int>(tables.width);
    return config;
}

}  // namespace detail

#define CUPOOL_INSTANTIATE(C)                    \
    template struct detail::PooledBasesState<C>; \
    template class PooledBases<C>;               \
    template PooledBases<C> DevicePool::prepare<C>(std::span<const AffinePoint<C>>, const PrepareConfig&, MsmSpread, SourceLocation) const;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
