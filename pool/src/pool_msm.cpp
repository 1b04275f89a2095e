#include <algorithm>
#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/pointer_info.hpp>

#include "host_curve.hpp"
#include "msm_checks.hpp"
#include "msm_shares.hpp"
#include "msm_sizes.hpp"
#include "oversized_scalar.hpp"
#include "pool_state.hpp"
#include "shares.hpp"

namespace cupool {

std::vector<std::size_t> DevicePool::State::choose_for_msms(std::size_t count, double work, const std::function<bool(std::size_t)>& fits) {
    std::vector<std::size_t> members;
    for (const LoadBalancer::Lease& lease : msm_balancer().select_devices(fits ? size() : count, work)) {
        const std::size_t index = index_of(lease.device());
        if (members.size() < count && (!fits || fits(index))) members.push_back(index);
    }
    if (members.empty()) throw Error(ErrorCategory::no_device, "every device that can do the MSM is quarantined");
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<DevicePool::State::MsmPart> DevicePool::State::leased_parts(std::span<const std::size_t> members, std::size_t items,
                                                                        double work_of_item) {
    const std::vector<detail::Share> shares = detail::divide(items, weights_of(members));
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (shares[i].count == 0 && (items != 0 || i != 0)) continue;
        parts.push_back({lease_for_msm_at(members[i], work_of_item * static_cast<double>(shares[i].count)), members[i], shares[i]});
    }
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
    std::vector<detail::RelativeSpeeds::Part> rates(parts.size());
    std::vector<std::size_t> members;
    for (const MsmPart& part : parts) members.push_back(part.member);
    const Work work = [&](std::size_t index, const DeviceContext& context) {
        const auto place = static_cast<std::size_t>(std::find(members.begin(), members.end(), index) - members.begin());
        MsmPart& part = parts[place];
        const auto begin = std::chrono::steady_clock::now();
        part.lease.begin();
        try {
            reports[place] = do_part(place, context);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(part.share.offset * scalars + error.index(), error.bits());
        }
        member(index).bytes += reports[place].bytes;
        part.lease.complete();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        rates[place] = {index, static_cast<double>(part.share.count), took.count()};
    };
    if (parts.size() == 1) {
        run(members[0], work);
        return reports[0];
    }
    run_each(members, work);
    speeds().learn(rates);
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const RunReport& part : reports) join(report, part);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

template <Curve C>
RunReport DevicePool::State::msms_of_parts(std::vector<MsmPart> parts, bool is_montgomery_form, const MsmsOfTerms<C>& msms_of_terms,
                                           std::span<JacobianPoint<C>> results) {
    std::vector<std::vector<JacobianPoint<C>>> sums(parts.size(), std::vector<JacobianPoint<C>>(results.size()));
    RunReport report = do_parts(parts, 1, [&](std::size_t place, const DeviceContext& context) {
        return msms_of_terms(parts[place].member, context, parts[place].share, sums[place]);
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
RunReport DevicePool::State::whole_msms(std::vector<MsmPart> parts, std::size_t terms, const SomeMsms<C>& some_msms,
                                        std::span<JacobianPoint<C>> results) {
    std::vector<JacobianPoint<C>> sums(results.size());  // where one fails no result is written
    const RunReport report = do_parts(parts, terms, [&](std::size_t place, const DeviceContext& context) {
        const detail::Share& msms = parts[place].share;
        return some_msms(parts[place].member, context, msms, std::span(sums).subspan(msms.offset, msms.count));
    });
    std::copy(sums.begin(), sums.end(), results.begin());
    return report;
}

template <Curve C>
std::optional<unsigned> DevicePool::State::width_of_shared_windows(const std::vector<MsmPart>& parts, std::size_t terms,
                                                                   const std::vector<const void*>& operands, const MsmConfig& config,
                                                                   MsmSpread spread) {
    const std::optional<unsigned> width = detail::width_of_shared_windows<C>(terms, parts.size(), config, spread);
    if (!width || !have_links(parts, spread)) return std::nullopt;
    // All devices take part in every digit's sums: the slowest would hold the others up.
    if (spread != MsmSpread::shared_windows && !are_alike(parts)) return std::nullopt;
    // What threads read for each device is faster read by workers near it, and then bounds the whole (measured on two H200s).
    return spread == MsmSpread::shared_windows || are_page_locked(parts[0], operands) ? width : std::nullopt;
}

bool DevicePool::State::are_alike(const std::vector<MsmPart>& parts) {
    const std::vector<double> all = weights();
    return std::all_of(parts.begin(), parts.end(), [&](const MsmPart& part) { return all[part.member] == all[parts[0].member]; });
}

bool DevicePool::State::are_page_locked(const MsmPart& part, const std::vector<const void*>& operands) {
    bool are_locked = true;
    guard([&] {
        const ContextView context = member(part.member).context().context();
        for (const void* const operand : operands) are_locked &= pointer_info(context, operand).kind != MemoryKind::unregistered;
    });
    return are_locked;
}

bool DevicePool::State::have_links(const std::vector<MsmPart>& parts, MsmSpread spread) {
    bool are_good = true;
    guard([&] {
        try {
            for (const MsmPart& one : parts) {
                for (const MsmPart& other : parts) are_good &= detail::can_hand_on(peers_.path(one.member, other.member), spread);
            }
        } catch (const Error& error) {
            if (detail::poisons_process(error)) throw;
            detail::log(LogLevel::warning, std::string("pool: an MSM's terms are shared, as ways between devices failed: ") + error.what());
            are_good = false;
        }
    });
    return are_good;
}

template <Curve C>
RunReport DevicePool::State::msms_by_windows(std::vector<MsmPart> parts, const MsmConfig& config, unsigned width, const detail::Share& msms,
                                             std::size_t terms, const PartOfTerms<C>& part_of_terms, std::span<JacobianPoint<C>> results) {
    const auto start = std::chrono::steady_clock::now();
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    std::vector<std::size_t> members;
    for (const MsmPart& part : parts) {
        members.push_back(part.member);
        report.devices.push_back(member(part.member).ordinal());
    }
    const auto copy_between = [&](std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                                  std::size_t bytes, StreamView stream) {
        peers_.copy_async(to, to_pointer, from, from_pointer, bytes, stream, SourceLocation::current());
        count_copy(from, to, bytes);
        report.bytes += bytes;
    };
    const std::lock_guard one_at_a_time(windows_mutex_);
    run_together(members, [&] {
        for (MsmPart& part : parts) part.lease.begin();
        for (std::size_t k = msms.offset; k < msms.offset + msms.count; ++k) {
            std::vector<detail::TermsOfDevice<C>> of_devices;
            for (const MsmPart& part : parts) of_devices.push_back(part_of_terms(k, part, member(part.member).context()));
            detail::MsmByWindows<C> msm(of_devices, copy_between, config, width);
            try {
                results[k] = msm.run();
            } catch (const detail::OversizedScalar& error) {
                detail::throw_oversized_scalar(k * terms + error.index(), error.bits());
            }
            for (std::size_t place = 0; place < parts.size(); ++place) {
                member(members[place]).bytes += msm.bytes(place);
                report.bytes += msm.bytes(place);
                report.device_bytes = std::max(report.device_bytes, msm.device_bytes(place));
            }
        }
        for (MsmPart& part : parts) part.lease.complete();
    });
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    report.milliseconds = elapsed.count();
    return report;
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          JacobianPoint<C>& result, MsmSpread spread, SourceLocation where) const {
    return msm<C>(scalars, points, config, std::span(&result, 1), spread, where);
}

template <Curve C>
RunReport DevicePool::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] { return state_->msm<C>(scalars, points, config, results, spread); });
}

template <Curve C>
RunReport DevicePool::State::msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                                 std::span<JacobianPoint<C>> results, MsmSpread spread) {
    const detail::MsmSizes sizes = detail::msm_sizes(scalars.size(), results.size(), config);
    detail::require_points(sizes, points.size(), config);
    const std::size_t count = sizes.msm_count;
    const std::size_t terms = sizes.term_count;
    const bool are_points_shared = points.size() == terms;
    const auto msms_on = [&](const DeviceContext& context, const detail::Share& own_scalars, const detail::Share& own_points,
                             std::span<JacobianPoint<C>> sums) {
        MsmConfig own = config;
        own.ctx = context;
        own.batch_size = 0;
        own.points_size = 0;
        return cupool::msm<C>(scalars.subspan(own_scalars.offset, own_scalars.count), points.subspan(own_points.offset, own_points.count),
                              own, sums);
    };
    const auto some_msms = [&](std::size_t, const DeviceContext& context, const detail::Share& msms, std::span<JacobianPoint<C>> sums) {
        const detail::Share own_scalars{msms.offset * terms, msms.count * terms};
        return msms_on(context, own_scalars, are_points_shared ? detail::Share{0, terms} : own_scalars, sums);
    };

    faults_.check();
    const double work = detail::msm_work<C>(terms);
    const std::size_t most = healthy().size();
    const std::size_t devices = detail::devices_for_msm(work * static_cast<double>(count), most, spread);
    const std::vector<std::size_t> members = choose_for_msms(devices, work * static_cast<double>(count) / static_cast<double>(devices));
    const std::size_t whole = detail::whole_msms(count, weights_of(members), detail::devices_for_msm(work, most, spread));
    std::vector<JacobianPoint<C>> sums(count);  // where one fails no result is written
    RunReport report;
    if (whole != 0) {
        report = whole_msms<C>(leased_parts(members, whole, work), terms, some_msms, std::span(sums).first(whole));
    }
    if (whole != count) {
        const std::size_t served = detail::devices_for_msm(work, std::max<std::size_t>(1, std::min(most, terms)), spread);
        const double work_left = work * static_cast<double>(count - whole);
        auto parts =
            leased_parts(choose_for_msms(served, work_left / static_cast<double>(served)), terms, detail::msm_work<C>(count - whole));
        // So few that each is worth all devices: one after another.
        const auto msms_of_terms = [&](std::size_t, const DeviceContext& context, const detail::Share& own,
                                       std::span<JacobianPoint<C>> own_sums) {
            RunReport all;
            for (std::size_t k = 0; k < own_sums.size(); ++k) {
                const std::size_t first = (whole + k) * terms;
                try {
                    const detail::Share own_scalars{first + own.offset, own.count};
                    const RunReport one = msms_on(context, own_scalars, are_points_shared ? own : own_scalars, own_sums.subspan(k, 1));
                    all.engine = one.engine;
                    all.milliseconds += one.milliseconds;
                    join(all, one);
                } catch (const detail::OversizedScalar& error) {
                    detail::throw_oversized_scalar(first + error.index(), error.bits());
                }
            }
            return all;
        };
        const auto part_of_terms = [&](std::size_t k, const State::MsmPart& part, const DeviceContext& context) {
            const std::size_t first = k * terms;
            return detail::TermsOfDevice<C>{part.member, context, scalars.subspan(first + part.share.offset, part.share.count),
                                            points.subspan((are_points_shared ? 0 : first) + part.share.offset, part.share.count)};
        };
        const auto width = [&] {
            if (parts.size() == 1) return std::optional<unsigned>();
            MsmConfig one = config;
            one.batch_size = 0;
            one.points_size = 0;
            detail::check_msm<C>(scalars.first(terms), Operand<AffinePoint<C>>(points.first(terms)), one, {1, terms, terms});
            return width_of_shared_windows<C>(parts, terms, {scalars.data(), points.data()}, config, spread);
        }();
        const RunReport rest =
            width ? msms_by_windows<C>(std::move(parts), config, *width, {whole, count - whole}, terms, part_of_terms, sums)
                  : msms_of_parts<C>(std::move(parts), config.are_points_montgomery_form, msms_of_terms, std::span(sums).subspan(whole));
        report.engine = rest.engine;
        report.milliseconds += rest.milliseconds;
        join(report, rest);
    }
    std::copy(sums.begin(), sums.end(), results.begin());
    return report;
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template std::optional<unsigned> DevicePool::State::width_of_shared_windows<C>(                                                      \
        const std::vector<MsmPart>&, std::size_t, const std::vector<const void*>&, const MsmConfig&, MsmSpread);                         \
    template RunReport DevicePool::State::msms_by_windows<C>(std::vector<MsmPart>, const MsmConfig&, unsigned, const detail::Share&,     \
                                                             std::size_t, const PartOfTerms<C>&, std::span<JacobianPoint<C>>);           \
    template RunReport DevicePool::State::msms_of_parts<C>(std::vector<MsmPart>, bool, const MsmsOfTerms<C>&,                            \
                                                           std::span<JacobianPoint<C>>);                                                 \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, JacobianPoint<C>&, \
                                          MsmSpread, SourceLocation) const;                                                              \
    template RunReport DevicePool::State::whole_msms<C>(std::vector<MsmPart>, std::size_t, const SomeMsms<C>&,                           \
                                                        std::span<JacobianPoint<C>>);                                                    \
    template RunReport DevicePool::msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&,                    \
                                          std::span<JacobianPoint<C>>, MsmSpread, SourceLocation) const;
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
