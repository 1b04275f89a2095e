#include <algorithm>
#include <cupool/pool/pooled_bases.hpp>
#include <optional>
#include <utility>

#include "msm_shares.hpp"
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

    const Part* part_of(std::size_t member) const {
        const auto found = std::find_if(parts.begin(), parts.end(), [=](const Part& part) { return part.member == member; });
        return found == parts.end() ? nullptr : &*found;
    }

    std::weak_ptr<const void> pool;
    std::size_t size = 0;
    bool is_sharded = false;
    std::vector<Part> parts;  ///< in the pool's order
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
PooledBases<C> DevicePool::prepare(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread) const {
    const std::vector<std::size_t> healthy = state_->healthy();
    const auto bases = std::make_shared<typename PooledBases<C>::State>();
    bases->pool = state_;
    bases->size = points.size();
    const std::size_t served = detail::devices_for_msm(detail::msm_work<C>(points.size()), healthy.size(), spread);
    bases->is_sharded = healthy.size() > 1 && served == healthy.size();
    const std::vector<detail::Share> shares = detail::divide_evenly(points.size(), healthy.size());
    std::vector<std::size_t> holders;
    for (std::size_t i = 0; i < healthy.size(); ++i) {
        const detail::Share terms = bases->is_sharded ? shares[i] : detail::Share{0, points.size()};
        if (bases->is_sharded && terms.count == 0) continue;
        bases->parts.push_back({healthy[i], terms, std::nullopt});
        holders.push_back(healthy[i]);
    }
    state_->run_each(holders, [&](std::size_t index, const DeviceContext& context) {
        auto& part =
            *std::find_if(bases->parts.begin(), bases->parts.end(), [=](const auto& candidate) { return candidate.member == index; });
        PrepareConfig own = config;
        own.ctx = context;
        part.bases.emplace(Operand<AffinePoint<C>>(points.subspan(part.terms.offset, part.terms.count)), own);
    });
    return PooledBases<C>(bases);
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          JacobianPoint<C>& result) const {
    const typename PooledBases<C>::State& prepared = *bases.state_;
    if (prepared.pool.owner_before(state_) || state_.owner_before(prepared.pool)) {
        throw Error(ErrorCategory::wrong_context, "the bases were prepared by another pool");
    }
    if (scalars.size() > prepared.size) {
        throw Error(ErrorCategory::invalid_argument,
                    std::to_string(scalars.size()) + " scalars are more than there are bases: " + std::to_string(prepared.size));
    }
    state_->faults().check();
    const auto msm_of_terms = [&](std::size_t index, const DeviceContext& context, detail::Share terms, JacobianPoint<C>& sum) {
        MsmConfig own = config;
        own.ctx = context;
        own.points_size = 0;
        return cupool::msm<C>(Operand<Scalar>(scalars.subspan(terms.offset, terms.count)), *prepared.part_of(index)->bases, own, sum);
    };
    std::vector<State::MsmPart> parts;
    if (prepared.is_sharded) {
        for (const auto& part : prepared.parts) {
            const std::size_t end = std::min<std::size_t>(part.terms.offset + part.terms.count, scalars.size());
            if (part.terms.offset >= end && !parts.empty()) break;
            const detail::Share terms{part.terms.offset, end - std::min<std::size_t>(part.terms.offset, end)};
            parts.push_back({state_->lease_for_msm_at(part.member, detail::msm_work<C>(terms.count)), part.member, terms});
        }
    } else {
        const auto has_bases = [&](std::size_t member) { return prepared.part_of(member) != nullptr; };
        LoadBalancer::Lease lease = state_->lease_for_msm_among(has_bases, detail::msm_work<C>(scalars.size()));
        const std::size_t member = state_->index_of(lease.device());
        parts.push_back({std::move(lease), member, {0, scalars.size()}});
    }
    return state_->msm_of_parts<C>(std::move(parts), config.are_points_montgomery_form, msm_of_terms, result);
}

#define CUPOOL_INSTANTIATE(C)                                                                                               \
    template class PooledBases<C>;                                                                                          \
    template PooledBases<C> DevicePool::prepare<C>(std::span<const AffinePoint<C>>, const PrepareConfig&, MsmSpread) const; \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, const PooledBases<C>&, const MsmConfig&, JacobianPoint<C>&) const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
