#include <algorithm>
#include <chrono>

#include "host_curve.hpp"
#include "oversized_scalar.hpp"
#include "pool_state.hpp"
#include "shares.hpp"

namespace cupool {

namespace {

/// What one device makes of its share of the terms.
template <Curve C>
struct Shard {
    std::size_t member = 0;  ///< of the pool
    detail::Share terms;
    RunReport report;
    JacobianPoint<C> sum;
};

/// Every device's share of the terms; those that would get none are left out.
template <Curve C>
std::vector<Shard<C>> even_shards(std::size_t terms, const std::vector<std::size_t>& members) {
    std::vector<Shard<C>> shards;
    const std::vector<detail::Share> shares = detail::divide_evenly(terms, members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (shares[i].count > 0) shards.push_back({.member = members[i], .terms = shares[i], .report = {}, .sum = {}});
    }
    return shards;
}

void join(RunReport& whole, const RunReport& part) {
    whole.devices.insert(whole.devices.end(), part.devices.begin(), part.devices.end());
    whole.bytes += part.bytes;
}

}  // namespace

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          JacobianPoint<C>& result) const {
    const std::vector<std::size_t> healthy = state_->healthy();
    if (healthy.size() == 1 || scalars.size() != points.size() || scalars.size() < 2) {
        RunReport report;
        state_->run(healthy[0], [&](std::size_t index, const DeviceContext& context) {
            MsmConfig own = config;
            own.ctx = context;
            report = cupool::msm<C>(scalars, points, own, result);
            state_->member(index).bytes += report.bytes;
        });
        return report;
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<Shard<C>> shards = even_shards<C>(scalars.size(), healthy);
    std::vector<std::size_t> busy;
    for (const Shard<C>& shard : shards) busy.push_back(shard.member);
    state_->run_each(busy, [&](std::size_t index, const DeviceContext& context) {
        Shard<C>& shard = *std::find_if(shards.begin(), shards.end(), [index](const Shard<C>& own) { return own.member == index; });
        MsmConfig own = config;
        own.ctx = context;
        const auto [offset, count] = shard.terms;
        try {
            shard.report = cupool::msm<C>(scalars.subspan(offset, count), points.subspan(offset, count), own, shard.sum);
            state_->member(index).bytes += shard.report.bytes;
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(shard.terms.offset + error.index(), error.bits());
        }
    });

    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    auto sum = detail::HostXyzz<C>::infinity();
    for (const Shard<C>& shard : shards) {
        sum += detail::load<C>(shard.sum, config.are_points_montgomery_form);
        join(report, shard.report);
    }
    result = detail::store_jacobian<C>(sum, config.are_points_montgomery_form);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, JacobianPoint<C>&) \
        const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
