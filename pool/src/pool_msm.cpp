#include <chrono>
#include <cupool/pool/device_pool.hpp>

#include "host_curve.hpp"
#include "oversized_scalar.hpp"
#include "parallel_for.hpp"

namespace cupool {

namespace {

/// What one device makes of its share of the terms.
template <Curve C>
struct Shard {
    std::size_t begin = 0;
    std::size_t end = 0;
    RunReport report;
    JacobianPoint<C> sum;
};

template <Curve C>
std::vector<Shard<C>> even_shards(std::size_t terms, std::size_t devices) {
    std::vector<Shard<C>> shards(devices);
    for (std::size_t i = 0; i < devices; ++i) {
        // No product, which could overflow: the first terms % devices shards take one more.
        shards[i].begin = i == 0 ? 0 : shards[i - 1].end;
        shards[i].end = shards[i].begin + terms / devices + (i < terms % devices ? 1 : 0);
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
    MsmConfig own = config;
    if (device_count() == 1 || scalars.size() != points.size() || scalars.size() < 2) {
        own.ctx = context_at(0);
        return cupool::msm<C>(scalars, points, own, result);
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<Shard<C>> shards = even_shards<C>(scalars.size(), device_count());
    detail::parallel_for(shards.size(), static_cast<unsigned>(shards.size()), [&](std::size_t i) {
        Shard<C>& shard = shards[i];
        const std::size_t count = shard.end - shard.begin;
        if (count == 0) return;
        MsmConfig shard_config = config;
        shard_config.ctx = context_at(i);
        try {
            shard.report = cupool::msm<C>(scalars.subspan(shard.begin, count), points.subspan(shard.begin, count), shard_config, shard.sum);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(shard.begin + error.index(), error.bits());
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
