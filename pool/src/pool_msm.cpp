#include <algorithm>
#include <chrono>

#include "host_curve.hpp"
#include "msm_shares.hpp"
#include "oversized_scalar.hpp"
#include "pool_state.hpp"
#include "shares.hpp"

namespace cupool {

namespace {

/// What one device makes of its part of the terms.
template <Curve C>
struct PartialSum {
    RunReport report;
    JacobianPoint<C> sum;
};

void join(RunReport& whole, const RunReport& part) {
    whole.devices.insert(whole.devices.end(), part.devices.begin(), part.devices.end());
    whole.bytes += part.bytes;
    whole.device_bytes = std::max(whole.device_bytes, part.device_bytes);
}

}  // namespace

std::vector<LoadBalancer::Lease> DevicePool::State::lease_for_msm(double work, std::size_t terms, MsmSpread spread) {
    faults_.check();
    const std::size_t most = std::max<std::size_t>(1, std::min(healthy().size(), terms));
    const std::size_t count = detail::devices_for_msm(work, most, spread);
    return msm_balancer().select_devices(count, work / static_cast<double>(count));
}

LoadBalancer::Lease DevicePool::State::lease_for_msm_among(const std::function<bool(std::size_t)>& fits, double work) {
    for (LoadBalancer::Lease& lease : msm_balancer().select_devices(size(), work)) {
        if (fits(index_of(lease.device()))) return std::move(lease);
    }
    throw Error(ErrorCategory::no_device, "every device that can do the MSM is quarantined");
}

std::vector<DevicePool::State::MsmPart> DevicePool::State::even_parts(std::vector<LoadBalancer::Lease> leases, std::size_t terms) const {
    std::vector<MsmPart> parts;
    for (LoadBalancer::Lease& lease : leases) {
        const std::size_t index = index_of(lease.device());
        parts.push_back({std::move(lease), index, {}});
    }
    std::sort(parts.begin(), parts.end(), [](const MsmPart& left, const MsmPart& right) { return left.member < right.member; });
    const std::vector<detail::Share> shares = detail::divide_evenly(terms, parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].terms = shares[i];
    return parts;
}

template <Curve C>
RunReport DevicePool::State::msm_of_parts(std::vector<MsmPart> parts, bool is_montgomery_form, const MsmOfTerms<C>& msm_of_terms,
                                          JacobianPoint<C>& result) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<PartialSum<C>> sums(parts.size());
    std::vector<std::size_t> members;
    for (const MsmPart& part : parts) members.push_back(part.member);
    const Work work = [&](std::size_t index, const DeviceContext& context) {
        const auto place = static_cast<std::size_t>(std::find(members.begin(), members.end(), index) - members.begin());
        MsmPart& part = parts[place];
        part.lease.begin();
        try {
            sums[place].report = msm_of_terms(index, context, part.terms, sums[place].sum);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(part.terms.offset + error.index(), error.bits());
        }
        member(index).bytes += sums[place].report.bytes;
        part.lease.complete();
    };
    if (parts.size() == 1) {
        run(members[0], work);
        result = sums[0].sum;
        return sums[0].report;
    }
    run_each(members, work);

    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    auto sum = detail::HostXyzz<C>::infinity();
    for (const PartialSum<C>& partial : sums) {
        sum += detail::load<C>(partial.sum, is_montgomery_form);
        join(report, partial.report);
    }
    result = detail::store_jacobian<C>(sum, is_montgomery_form);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          JacobianPoint<C>& result, MsmSpread spread) const {
    const bool is_sound =
        scalars.size() == points.size() && (config.points_size == 0 || static_cast<std::uint64_t>(config.points_size) == points.size());
    if (!is_sound) spread = MsmSpread::one_device;  // which says what is wrong
    const auto msm_of_terms = [&](std::size_t, const DeviceContext& context, detail::Share terms, JacobianPoint<C>& sum) {
        MsmConfig own = config;
        own.ctx = context;
        if (!is_sound) return cupool::msm<C>(scalars, points, own, sum);
        own.points_size = 0;  // that of the part
        return cupool::msm<C>(scalars.subspan(terms.offset, terms.count), points.subspan(terms.offset, terms.count), own, sum);
    };
    std::vector<LoadBalancer::Lease> leases = state_->lease_for_msm(detail::msm_work<C>(scalars.size()), scalars.size(), spread);
    return state_->msm_of_parts<C>(state_->even_parts(std::move(leases), scalars.size()), config.are_points_montgomery_form, msm_of_terms,
                                   result);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template RunReport DevicePool::State::msm_of_parts<C>(std::vector<MsmPart>, bool, const MsmOfTerms<C>&, JacobianPoint<C>&);          \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, JacobianPoint<C>&, \
                                          MsmSpread) const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
