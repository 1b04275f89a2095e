#include <algorithm>
#include <cupool/driver/caller.hpp>
#include <cupool/pool/pooled_bases.hpp>
#include <optional>
#include <utility>

#include "base_tables.hpp"
#include "msm_checks.hpp"
#include "msm_of_runs.hpp"
#include "msm_shares.hpp"
#include "msm_sizes.hpp"
#include "pool_state.hpp"

namespace cupool {

template <Curve C>
struct PooledBases<C>::State {
    /// What one device has.
    struct Part {
        std::size_t member;  ///< of the pool
        detail::Share terms;
        std::optional<PreparedBases<C>> bases;
    };

    /// Refuses another pool's use of the bases, and MSMs of more terms than there are.
    void check(const std::shared_ptr<const void>& user, std::size_t terms) const;

    /// An MSM's config, with what the bases have laid down. \param scalars  of the first part \throws what cupool::msm() refuses
    MsmConfig checked(const MsmConfig& config, std::span<const Scalar> scalars) const;

    /// How one MSM may be spread where they are divided: of several tables each device has some of the terms' multiples alone.
    MsmSpread spread_of_one() const { return tables_at(parts[0].member).table_count == 1 ? spread : MsmSpread::all_devices; }

    const detail::BaseTables<C>& tables_at(std::size_t member) const { return detail::tables_of(*part_of(member)->bases); }

    const Part* part_of(std::size_t member) const {
        const auto found = std::find_if(parts.begin(), parts.end(), [=](const Part& part) { return part.member == member; });
        return found == parts.end() ? nullptr : &*found;
    }

    std::weak_ptr<const void> pool;
    std::size_t size = 0;
    bool is_sharded = false;
    MsmSpread spread = MsmSpread::automatic;  ///< as asked for
    std::vector<Part> parts;                  ///< in the pool's order
};

template <Curve C>
PooledBases<C>::PooledBases(std::shared_ptr<const State> state) : state_(std::move(state)) {}

template <Curve C>
std::size_t PooledBases<C>::size() const {
    return state_->size;
}

template <Curve C>
bool PooledBases<C>::is_sharded() const {
    return state_->is_sharded;
}

template <Curve C>
std::vector<int> PooledBases<C>::devices() const {
    std::vector<int> ordinals;
    for (const auto& part : state_->parts) {
        if (!part.bases->context().is_host()) ordinals.push_back(part.bases->context().device());
    }
    return ordinals;
}

template <Curve C>
std::uint64_t PooledBases<C>::device_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& part : state_->parts) bytes += part.bases->device_bytes();
    return bytes;
}

template <Curve C>
PooledBases<C> DevicePool::prepare(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread,
                                   SourceLocation where) const {
    return detail::report_at(where, [&] { return prepare_bases(points, config, spread); });
}

template <Curve C>
PooledBases<C> DevicePool::prepare_bases(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread) const {
    const std::vector<std::size_t> healthy = state_->healthy();
    const auto bases = std::make_shared<typename PooledBases<C>::State>();
    bases->pool = state_;
    bases->size = points.size();
    const std::size_t served = detail::devices_for_msm(detail::msm_work<C>(points.size()), healthy.size(), spread);
    bases->spread = spread;
    bases->is_sharded = healthy.size() > 1 && served == healthy.size();
    const std::vector<detail::Share> shares = state_->divided(points.size(), Shares::by_speed, healthy);
    std::vector<std::size_t> holders;
    for (std::size_t i = 0; i < healthy.size(); ++i) {
        const detail::Share terms = bases->is_sharded ? shares[healthy[i]] : detail::Share{0, points.size()};
        if (bases->is_sharded && terms.count == 0 && i > 0) continue;  // the first checks the config where there are no points
        bases->parts.push_back({healthy[i], terms, std::nullopt});
        holders.push_back(healthy[i]);
    }
    state_->run_each(holders, [&](std::size_t index, const DeviceContext& context) {
        auto& part =
            *std::find_if(bases->parts.begin(), bases->parts.end(), [=](const auto& candidate) { return candidate.member == index; });
        PrepareConfig own = config;
        own.ctx = context;
        const std::span<const AffinePoint<C>> own_points = points.subspan(part.terms.offset, part.terms.count);
        part.bases.emplace(Operand<AffinePoint<C>>(own_points), own);
        if (!context.is_host()) state_->member(index).bytes += own_points.size_bytes();
    });
    return PooledBases<C>(bases);
}

template <Curve C>
void PooledBases<C>::State::check(const std::shared_ptr<const void>& user, std::size_t terms) const {
    if (pool.owner_before(user) || user.owner_before(pool)) {
        throw Error(ErrorCategory::wrong_context, "the bases were prepared by another pool");
    }
    if (terms > size) {
        throw Error(ErrorCategory::invalid_argument,
                    std::to_string(terms) + " scalars are more than there are bases: " + std::to_string(size));
    }
}

template <Curve C>
MsmConfig PooledBases<C>::State::checked(const MsmConfig& config, std::span<const Scalar> scalars) const {
    const detail::BaseTables<C>& tables = tables_at(parts[0].member);
    MsmConfig own = config;
    own.batch_size = 0;
    own.ctx = tables.context;
    detail::check_msm<C>(scalars, *parts[0].bases, own, {1, scalars.size(), scalars.size()});
    own.bitsize = detail::bitsize_of(tables, config);
    if (tables.width != 0) own.c = static_cast<int>(tables.width);
    return own;
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, const PooledBases<C>& bases, const MsmConfig& config, JacobianPoint<C>& result,
                          SourceLocation where) const {
    return msm<C>(scalars, bases, config, std::span(&result, 1), MsmSpread::one_device, where);
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] { return msm_of_bases(scalars, bases, config, results, spread); });
}

template <Curve C>
RunReport DevicePool::msm_of_bases(std::span<const Scalar> scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                   std::span<JacobianPoint<C>> results, MsmSpread spread) const {
    const typename PooledBases<C>::State& prepared = *bases.state_;
    const std::size_t msm_count = detail::msm_sizes(scalars.size(), results.size(), config).msm_count;
    const std::size_t terms = scalars.size() / msm_count;
    prepared.check(state_, terms);
    state_->faults().check();
    const auto msms_on = [&](std::size_t member, const DeviceContext& context, const detail::ScalarRuns& own_scalars,
                             std::span<JacobianPoint<C>> sums) {
        MsmConfig own = config;
        own.ctx = context;
        return detail::msm_of_runs<C>(own_scalars, *prepared.part_of(member)->bases, own, sums);
    };
    if (prepared.is_sharded) {
        const auto msms_of_terms = [&](std::size_t member, const DeviceContext& context, const detail::Share& own,
                                       std::span<JacobianPoint<C>> sums) {
            return msms_on(member, context, {scalars.subspan(own.offset, (msm_count - 1) * terms + own.count), own.count, terms}, sums);
        };
        std::vector<State::MsmPart> parts;
        for (const auto& part : prepared.parts) {
            const std::size_t begin = std::min<std::size_t>(part.terms.offset, terms);
            const std::size_t end = std::min<std::size_t>(part.terms.offset + part.terms.count, terms);
            if (begin == end && !parts.empty()) break;
            const double work = detail::msm_work<C>(end - begin) * static_cast<double>(msm_count);
            parts.push_back({state_->lease_for_msm_at(part.member, work), part.member, {begin, end - begin}});
        }
        if (parts.size() > 1 && msm_count == 1) {  // of several MSMs each device does its terms together
            const MsmConfig own = prepared.checked(config, scalars.first(parts[0].share.count));
            const auto part_of_terms = [&](std::size_t, const State::MsmPart& part, const DeviceContext& context) {
                const DeviceSpan<const AffinePoint<C>> there = prepared.tables_at(part.member).on_device.span();
                return detail::TermsOfDevice<C>{part.member, context, scalars.subspan(part.share.offset, part.share.count),
                                                there.subspan(0, part.share.count)};
            };
            const auto width = state_->width_of_shared_windows<C>(parts, terms, {scalars.data()}, own, prepared.spread_of_one());
            if (width) return state_->msms_by_windows<C>(std::move(parts), own, *width, {0, 1}, terms, part_of_terms, results);
        }
        return state_->msms_of_parts<C>(std::move(parts), config.are_points_montgomery_form, msms_of_terms, results);
    }
    const auto some_msms = [&](std::size_t member, const DeviceContext& context, const detail::Share& msms,
                               std::span<JacobianPoint<C>> sums) {
        return msms_on(member, context, {scalars.subspan(msms.offset * terms, msms.count * terms), terms, terms}, sums);
    };
    const double work = detail::msm_work<C>(terms) * static_cast<double>(msm_count);
    const std::size_t devices = std::min(msm_count, detail::devices_for_msm(work, prepared.parts.size(), spread));
    const auto has_bases = [&](std::size_t member) { return prepared.part_of(member) != nullptr; };
    const std::vector<std::size_t> members = state_->choose_for_msms(devices, work / static_cast<double>(devices), has_bases);
    return state_->whole_msms<C>(state_->leased_parts(members, msm_count, detail::msm_work<C>(terms)), terms, some_msms, results);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template class PooledBases<C>;                                                                                                       \
    template PooledBases<C> DevicePool::prepare<C>(std::span<const AffinePoint<C>>, const PrepareConfig&, MsmSpread, SourceLocation)     \
        const;                                                                                                                           \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, const PooledBases<C>&, const MsmConfig&, JacobianPoint<C>&,           \
                                          SourceLocation) const;                                                                         \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, const PooledBases<C>&, const MsmConfig&, std::span<JacobianPoint<C>>, \
                                          MsmSpread, SourceLocation) const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
