#include <algorithm>
#include <chrono>

#include "host_curve.hpp"
#include "msm_shares.hpp"
#include "msm_sizes.hpp"
#include "oversized_scalar.hpp"
#include "pool_state.hpp"
#include "shares.hpp"

namespace cupool {

std::vector<LoadBalancer::Lease> DevicePool::State::lease_for_msm(double work, std::size_t terms, MsmSpread spread) {
    faults_.check();
    const std::size_t most = std::max<std::size_t>(1, std::min(healthy().size(), terms));
    const std::size_t count = detail::devices_for_msm(work, most, spread);
    return msm_balancer().select_devices(count, work / static_cast<double>(count));
}

std::vector<LoadBalancer::Lease> DevicePool::State::lease_for_msm_among(const std::function<bool(std::size_t)>& fits, std::size_t count,
                                                                        double work) {
    std::vector<LoadBalancer::Lease> leases;
    for (LoadBalancer::Lease& lease : msm_balancer().select_devices(size(), work)) {
        if (leases.size() < count && fits(index_of(lease.device()))) leases.push_back(std::move(lease));
    }
    if (leases.empty()) throw Error(ErrorCategory::no_device, "every device that can do the MSM is quarantined");
    return leases;
}

std::vector<DevicePool::State::MsmPart> DevicePool::State::even_parts(std::vector<LoadBalancer::Lease> leases, std::size_t items) const {
    std::vector<MsmPart> parts;
    for (LoadBalancer::Lease& lease : leases) {
        const std::size_t index = index_of(lease.device());
        parts.push_back({std::move(lease), index, {}});
    }
    std::sort(parts.begin(), parts.end(), [](const MsmPart& left, const MsmPart& right) { return left.member < right.member; });
    const std::vector<detail::Share> shares = detail::divide_evenly(items, parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].share = shares[i];
    return parts;
}

void DevicePool::State::join(RunReport& whole, const RunReport& part) const {
    for (const int device : part.devices) {
        if (std::find(whole.devices.begin(), whole.devices.end(), device) == whole.devices.end()) whole.devices.push_back(device);
    }
    std::sort(whole.devices.begin(), whole.devices.end(), [this](int left, int right) { return index_of(left) < index_of(right); });
    whole.bytes += part.bytes;
    whole.device_bytes = std::max(whole.device_bytes, part.device_bytes);
}

RunReport DevicePool::State::do_parts(std::vector<MsmPart>& parts, std::size_t scalars, const DoMsmPart& do_part) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<RunReport> reports(parts.size());
    std::vector<std::size_t> members;
    for (const MsmPart& part : parts) members.push_back(part.member);
    const Work work = [&](std::size_t index, const DeviceContext& context) {
        const auto place = static_cast<std::size_t>(std::find(members.begin(), members.end(), index) - members.begin());
        MsmPart& part = parts[place];
        part.lease.begin();
        try {
            reports[place] = do_part(place, context);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(part.share.offset * scalars + error.index(), error.bits());
        }
        member(index).bytes += reports[place].bytes;
        part.lease.complete();
    };
    if (parts.size() == 1) {
        run(members[0], work);
        return reports[0];
    }
    run_each(members, work);
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const RunReport& part : reports) join(report, part);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

template <Curve C>
RunReport DevicePool::State::msms_of_parts(std::vector<MsmPart> parts, std::size_t terms, bool is_montgomery_form,
                                           const MsmOfTerms<C>& msm_of_terms, std::span<JacobianPoint<C>> results) {
    std::vector<std::vector<JacobianPoint<C>>> sums(parts.size(), std::vector<JacobianPoint<C>>(results.size()));
    RunReport report = do_parts(parts, 1, [&](std::size_t place, const DeviceContext& context) {
        const MsmPart& part = parts[place];
        RunReport of_part;
        for (std::size_t k = 0; k < results.size(); ++k) {
            try {
                const detail::Share scalars{k * terms + part.share.offset, part.share.count};
                const RunReport one = msm_of_terms(part.member, context, scalars, sums[place][k]);
                of_part.engine = one.engine;
                of_part.milliseconds += one.milliseconds;
                join(of_part, one);
            } catch (const detail::OversizedScalar& error) {
                detail::throw_oversized_scalar(k * terms + error.index(), error.bits());
            }
        }
        return of_part;
    });
    if (parts.size() == 1) {
        std::copy(sums[0].begin(), sums[0].end(), results.begin());
        return report;
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
        auto sum = detail::HostXyzz<C>::infinity();
        for (const auto& of_part : sums) sum += detail::load<C>(of_part[k], is_montgomery_form);
        results[k] = detail::store_jacobian<C>(sum, is_montgomery_form);
    }
    return report;
}

template <Curve C>
RunReport DevicePool::State::several_msms(std::size_t terms, std::vector<LoadBalancer::Lease> leases, std::size_t whole,
                                          const SomeMsms<C>& some_msms, const OneMsm<C>& one_msm, std::span<JacobianPoint<C>> results) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<JacobianPoint<C>> sums(results.size());  // where one fails no result is written
    RunReport report;
    if (whole != 0) {
        std::vector<MsmPart> parts = even_parts(std::move(leases), whole);
        report = do_parts(parts, terms, [&](std::size_t place, const DeviceContext& context) {
            const detail::Share& msms = parts[place].share;
            return some_msms(parts[place].member, context, msms, std::span(sums).subspan(msms.offset, msms.count));
        });
    }
    for (std::size_t k = whole; k < sums.size(); ++k) {
        try {
            const RunReport one = one_msm(k, sums[k]);
            report.engine = one.engine;
            join(report, one);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(k * terms + error.index(), error.bits());
        }
    }
    std::copy(sums.begin(), sums.end(), results.begin());
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          JacobianPoint<C>& result, MsmSpread spread) const {
    detail::require_points(detail::msm_sizes(scalars.size(), 1, config), points.size(), config);
    const auto msm_of_terms = [&](std::size_t, const DeviceContext& context, detail::Share terms, JacobianPoint<C>& sum) {
        MsmConfig own = config;
        own.ctx = context;
        own.points_size = 0;  // that of the part
        return cupool::msm<C>(scalars.subspan(terms.offset, terms.count), points.subspan(terms.offset, terms.count), own, sum);
    };
    std::vector<LoadBalancer::Lease> leases = state_->lease_for_msm(detail::msm_work<C>(scalars.size()), scalars.size(), spread);
    return state_->msms_of_parts<C>(state_->even_parts(std::move(leases), scalars.size()), scalars.size(),
                                    config.are_points_montgomery_form, msm_of_terms, std::span(&result, 1));
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread) const {
    const detail::MsmSizes sizes = detail::msm_sizes(scalars.size(), results.size(), config);
    detail::require_points(sizes, points.size(), config);
    const std::size_t count = sizes.msm_count;
    const std::size_t terms = sizes.term_count;
    MsmConfig own = config;
    own.batch_size = 0;
    own.points_size = 0;  // those of the parts
    const double work = detail::msm_work<C>(terms);
    const double all_work = work * static_cast<double>(count);
    const std::size_t most = state_->healthy().size();
    const std::size_t devices = detail::devices_for_msm(all_work, most, spread);
    const std::size_t whole = detail::whole_msms(count, devices, detail::devices_for_msm(work, most, spread));
    const auto points_of = [&](const detail::Share& msms) {
        return points.size() == terms ? points : points.subspan(msms.offset * terms, msms.count * terms);
    };
    const auto some_msms = [&](std::size_t, const DeviceContext& context, const detail::Share& msms, std::span<JacobianPoint<C>> sums) {
        MsmConfig there = own;
        there.ctx = context;
        return cupool::msm<C>(scalars.subspan(msms.offset * terms, msms.count * terms), points_of(msms), there, sums);
    };
    const auto one_msm = [&](std::size_t k, JacobianPoint<C>& sum) {
        return msm<C>(scalars.subspan(k * terms, terms), points_of({k, 1}), own, sum, spread);
    };
    state_->faults().check();
    std::vector<LoadBalancer::Lease> leases;
    if (whole != 0) {
        const std::size_t served = std::min(whole, devices);
        leases = state_->msm_balancer().select_devices(served, work * static_cast<double>(whole) / static_cast<double>(served));
    }
    return state_->several_msms<C>(terms, std::move(leases), whole, some_msms, one_msm, results);
}

#define CUPOOL_INSTANTIATE(C)                                                                                                             \
    template RunReport DevicePool::State::msms_of_parts<C>(std::vector<MsmPart>, std::size_t, bool, const MsmOfTerms<C>&,                 \
                                                           std::span<JacobianPoint<C>>);                                                  \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, JacobianPoint<C>&,  \
                                          MsmSpread) const;                                                                               \
    template RunReport DevicePool::State::several_msms<C>(std::size_t, std::vector<LoadBalancer::Lease>, std::size_t, const SomeMsms<C>&, \
                                                          const OneMsm<C>&, std::span<JacobianPoint<C>>);                                 \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&,                     \
                                          std::span<JacobianPoint<C>>, MsmSpread) const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
