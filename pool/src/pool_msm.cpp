#include <algorithm>
#include <chrono>

#include "host_curve.hpp"
#include "msm_shares.hpp"
#include "oversized_scalar.hpp"
#include "pool_state.hpp"
#include "shares.hpp"

namespace cupool {

namespace {

/// What one device makes of its share of the terms.
template <Curve C>
struct Shard {
    std::size_t member;  ///< of the pool
    LoadBalancer::Lease lease;
    detail::Share terms;
    RunReport report;
    JacobianPoint<C> sum;
};

void join(RunReport& whole, const RunReport& part) {
    whole.devices.insert(whole.devices.end(), part.devices.begin(), part.devices.end());
    whole.bytes += part.bytes;
}

}  // namespace

std::vector<LoadBalancer::Lease> DevicePool::State::lease_for_msm(double work, std::size_t terms, MsmSpread spread) {
    faults_.check();
    const std::size_t most = std::max<std::size_t>(1, std::min(healthy().size(), terms));
    const std::size_t count = detail::devices_for_msm(work, most, spread);
    return msm_balancer().select_devices(count, work / static_cast<double>(count));
}

template <Curve C>
RunReport DevicePool::State::msm_of_shards(std::vector<LoadBalancer::Lease> leases, std::size_t terms, bool is_montgomery_form,
                                           const MsmOfTerms<C>& msm_of_terms, JacobianPoint<C>& result) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<Shard<C>> shards;
    for (LoadBalancer::Lease& lease : leases) {
        const std::size_t index = index_of(lease.device());
        shards.push_back({.member = index, .lease = std::move(lease), .terms = {}, .report = {}, .sum = {}});
    }
    std::sort(shards.begin(), shards.end(), [](const Shard<C>& left, const Shard<C>& right) { return left.member < right.member; });
    const std::vector<detail::Share> shares = detail::divide_evenly(terms, shards.size());
    std::vector<std::size_t> busy;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        shards[i].terms = shares[i];
        busy.push_back(shards[i].member);
    }
    const Work work = [&](std::size_t index, const DeviceContext& context) {
        Shard<C>& shard = *std::find_if(shards.begin(), shards.end(), [index](const Shard<C>& own) { return own.member == index; });
        try {
            shard.report = msm_of_terms(index, context, shard.terms, shard.sum);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(shard.terms.offset + error.index(), error.bits());
        }
        member(index).bytes += shard.report.bytes;
        shard.lease.complete();
    };
    if (shards.size() == 1) {
        run(busy[0], work);
        result = shards[0].sum;
        return shards[0].report;
    }
    run_each(busy, work);

    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    auto sum = detail::HostXyzz<C>::infinity();
    for (const Shard<C>& shard : shards) {
        sum += detail::load<C>(shard.sum, is_montgomery_form);
        join(report, shard.report);
    }
    result = detail::store_jacobian<C>(sum, is_montgomery_form);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          JacobianPoint<C>& result, MsmSpread spread) const {
    if (scalars.size() != points.size()) spread = MsmSpread::one_device;  // which says what is wrong
    const auto msm_of_terms = [&](std::size_t, const DeviceContext& context, detail::Share terms, JacobianPoint<C>& sum) {
        MsmConfig own = config;
        own.ctx = context;
        const bool is_whole = terms.count == scalars.size();
        return cupool::msm<C>(scalars.subspan(terms.offset, terms.count), is_whole ? points : points.subspan(terms.offset, terms.count),
                              own, sum);
    };
    return state_->msm_of_shards<C>(state_->lease_for_msm(detail::msm_work<C>(scalars.size()), scalars.size(), spread), scalars.size(),
                                    config.are_points_montgomery_form, msm_of_terms, result);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template RunReport DevicePool::State::msm_of_shards<C>(std::vector<LoadBalancer::Lease>, std::size_t, bool, const MsmOfTerms<C>&,    \
                                                           JacobianPoint<C>&);                                                           \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, JacobianPoint<C>&, \
                                          MsmSpread) const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
