#include <algorithm>
#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/pointer_info.hpp>

#include "curve/for_each_curve.hpp"
#include "msm/checks.hpp"
#include "msm/given_msms.hpp"
#include "msm/operand_checks.hpp"
#include "msm/pieces.hpp"
#include "msm/shares_of_devices.hpp"

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

std::vector<DevicePool::State::MsmPart> DevicePool::State::parts_of_msms(std::span<const std::size_t> members, std::size_t msms,
                                                                         std::size_t terms) {
    const std::vector<detail::Share> shares = detail::divide(msms, weights_of(members));
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (shares[i].count != 0) parts.push_back({members[i], shares[i], {0, terms}});
    }
    return parts;
}

std::vector<DevicePool::State::MsmPart> DevicePool::State::parts_of_terms(std::span<const std::size_t> members, const detail::Share& msms,
                                                                          std::size_t terms) {
    const std::vector<detail::Share> shares = detail::divide(terms, weights_of(members));
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (shares[i].count != 0 || (terms == 0 && i == 0)) parts.push_back({members[i], msms, shares[i]});
    }
    return parts;
}

void DevicePool::State::lease_parts(std::vector<MsmPart>& parts, double work_of_term) {
    const auto times = parts.size() > 1 ? std::make_shared<detail::PartTimes>(parts.size(), speeds()) : nullptr;
    for (MsmPart& part : parts) {
        const double work = work_of_term * static_cast<double>(part.msms.count) * static_cast<double>(part.terms.count);
        part.lease = std::make_shared<LoadBalancer::Lease>(lease_for_msm_at(part.member, work));
        part.times = times;
    }
}

RunReport DevicePool::State::run_part(const MsmPart& part, const std::function<RunReport()>& function) {
    const DeviceContext& context = member(part.member).context();
    if (part.times && !context.is_host()) context.stream().synchronize();  // what the program gave to it before is not the part's time
    const auto begin = std::chrono::steady_clock::now();
    part.lease->begin();
    RunReport report = function();
    member(part.member).bytes += report.bytes;
    part.lease->complete();
    if (part.times) part.times->end_part(part.member, part.msms.count * part.terms.count, std::chrono::steady_clock::now() - begin);
    return report;
}

void DevicePool::State::require_msm_memory(const DeviceSpan<const std::byte>& memory, const std::string& name) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "msm: the " + name + " are on a device; the pool is the host");
    if (memory.empty()) return;
    if (index_of(memory.device()) == size()) {
        std::string devices;
        for (const int ordinal : ordinals_) devices += (devices.empty() ? "" : ", ") + std::to_string(ordinal);
        throw Error(ErrorCategory::wrong_context, "msm: the " + name + " are on device " + std::to_string(memory.device()) +
                                                      ", which is not of the pool; it has devices " + devices);
    }
    detail::require_alignment("msm", memory.pointer(), name);
}

std::vector<DevicePool::State::MsmPart> DevicePool::State::parts_of_slices(const Division& division, std::size_t msms) const {
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < division.size(); ++i) {
        const std::size_t index = index_of(division.devices()[i]);
        if (const auto why = member(index).quarantine()) {
            detail::refuse("msm", "a slice is on device " + std::to_string(division.devices()[i]) + ", which is quarantined (" + *why +
                                      "): " + to_string(division) + "; copy it to another device, or give the array as a whole");
        }
        parts.push_back({index, {0, msms}, division.slices()[i]});
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
                for (const MsmPart& other : parts) are_good &= detail::can_forward(peers_.path(one.member, other.member), spread);
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
RunReport DevicePool::State::msms_by_windows(const std::vector<MsmPart>& parts, const MsmConfig& config, unsigned width, std::size_t terms,
                                             const PartOfTerms<C>& part_of_terms, std::span<JacobianPoint<C>> sums) {
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
    run_together(std::span(members).subspan(1), [&] {
        for (const MsmPart& part : parts) part.lease->begin();
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t k = parts[0].msms.offset + i;
            std::vector<detail::TermsOfDevice<C>> of_devices;
            for (const MsmPart& part : parts) of_devices.push_back(part_of_terms(k, part, member(part.member).context()));
            detail::MsmByWindows<C> msm(of_devices, copy_between, config, width);
            try {
                sums[i] = msm.run();
            } catch (const detail::OversizedScalar& error) {
                detail::throw_oversized_scalar(k * terms + error.index(), error.bits());
            }
            for (std::size_t place = 0; place < parts.size(); ++place) {
                member(members[place]).bytes += msm.bytes(place);
                report.bytes += msm.bytes(place);
                report.device_bytes = std::max(report.device_bytes, msm.device_bytes(place));
            }
        }
        for (const MsmPart& part : parts) part.lease->complete();
    });
    return report;
}

/// MSMs over points that are given with them.
template <Curve C>
class DevicePool::State::MsmsOfPoints : public std::enable_shared_from_this<MsmsOfPoints<C>> {
public:
    /// \throws Error where the operands do not go together, or lie where they must not
    MsmsOfPoints(State& state, GivenMsms<C> given, PoolOperand<AffinePoint<C>> points);

    std::shared_ptr<MsmJob> job(MsmSpread spread, const SourceLocation& where);

private:
    bool are_points_shared() const { return points_.size() == given_.terms(); }
    bool are_on_host() const { return given_.scalars.is_on_host() && points_.is_on_host(); }
    std::optional<Division> division_of_slices() const;
    std::vector<std::size_t> choose(std::size_t devices, double work) const;
    void add_parts(MsmPieces<C>& pieces, std::vector<MsmPart> parts);
    void add_by_windows(MsmPieces<C>& pieces, std::vector<MsmPart> parts, unsigned width);
    std::optional<unsigned> width_of_shared_windows(const std::vector<MsmPart>& parts, MsmSpread spread) const;
    RunReport run_part(const MsmPart& part, const DeviceContext& context, const detail::MsmResults<C>& sums) const;
    RunReport run_msms(const detail::LocalRuns<Scalar>& scalars, const detail::LocalRuns<AffinePoint<C>>& points,
                       const DeviceContext& context, const detail::MsmResults<C>& sums) const;

    State& state_;
    GivenMsms<C> given_;
    PoolOperand<AffinePoint<C>> points_;
};

template <Curve C>
DevicePool::State::MsmsOfPoints<C>::MsmsOfPoints(State& state, GivenMsms<C> given, PoolOperand<AffinePoint<C>> points)
    : state_(state), given_(std::move(given)), points_(std::move(points)) {
    const MsmConfig& config = given_.config;
    detail::require_points(given_.sizes, points_.size(), config);
    detail::require_digits("msm", config.c, config.bitsize);
    state.require_msm_operand(points_, config.are_points_on_device, "points");
}

/// How slices divide the terms; nothing where no operand is in slices.
template <Curve C>
std::optional<Division> DevicePool::State::MsmsOfPoints<C>::division_of_slices() const {
    std::optional<Division> of_scalars;
    std::optional<Division> of_points;
    if (given_.terms() == 0) return std::nullopt;
    if (given_.scalars.is_sliced()) of_scalars = detail::division_of_slices(given_.scalars, given_.count(), "scalars");
    if (points_.is_sliced()) of_points = detail::division_of_slices(points_, are_points_shared() ? 1 : given_.count(), "points");
    if (of_scalars && of_points) detail::require_same_division(*of_scalars, "scalars", *of_points, "points");
    return of_scalars ? of_scalars : of_points;
}

/// One device is the one where operands lie.
template <Curve C>
std::vector<std::size_t> DevicePool::State::MsmsOfPoints<C>::choose(std::size_t devices, double work) const {
    if (devices == 1) {
        if (const auto home = state_.home_of(points_)) return {*home};
        if (const auto home = state_.home_of(given_.scalars)) return {*home};
    }
    return state_.choose_for_msms(devices, work / static_cast<double>(devices));
}

template <Curve C>
std::shared_ptr<DevicePool::State::MsmJob> DevicePool::State::MsmsOfPoints<C>::job(MsmSpread spread, const SourceLocation& where) {
    detail::require_enumerator(spread, MsmSpread::shared_windows, "MsmSpread");
    MsmPieces<C> pieces(state_, given_.results, given_.config.are_points_montgomery_form);
    if (const auto division = division_of_slices()) {
        add_parts(pieces, state_.parts_of_slices(*division, given_.count()));
        return std::move(pieces).job(where);
    }
    const std::size_t count = given_.count();
    const std::size_t terms = given_.terms();
    const double work = detail::msm_work<C>(terms);
    const std::size_t most = state_.healthy().size();
    const std::size_t devices = detail::devices_for_msm(work * static_cast<double>(count), most, spread);
    const std::vector<std::size_t> members = choose(devices, work * static_cast<double>(count));
    const std::size_t whole = detail::whole_msms(count, state_.weights_of(members), detail::devices_for_msm(work, most, spread));
    if (whole != 0) add_parts(pieces, state_.parts_of_msms(members, whole, terms));
    if (whole == count) return std::move(pieces).job(where);

    const std::size_t served = detail::devices_for_msm(work, std::max<std::size_t>(1, std::min(most, terms)), spread);
    const detail::Share rest{whole, count - whole};
    std::vector<MsmPart> parts = state_.parts_of_terms(choose(served, work * static_cast<double>(rest.count)), rest, terms);
    const std::optional<unsigned> width = width_of_shared_windows(parts, spread);
    if (width) {
        add_by_windows(pieces, std::move(parts), *width);
    } else {
        add_parts(pieces, std::move(parts));
    }
    return std::move(pieces).job(where);
}

template <Curve C>
void DevicePool::State::MsmsOfPoints<C>::add_parts(MsmPieces<C>& pieces, std::vector<MsmPart> parts) {
    state_.lease_parts(parts, detail::msm_work<C>(1));
    for (const MsmPart& part : parts) {
        pieces.add(part.member, part.msms,
                   [self = this->shared_from_this(), part](const DeviceContext& context, const detail::MsmResults<C>& sums) {
                       return self->state_.run_part(part, [&] { return self->run_part(part, context, sums); });
                   });
    }
}

template <Curve C>
std::optional<unsigned> DevicePool::State::MsmsOfPoints<C>::width_of_shared_windows(const std::vector<MsmPart>& parts,
                                                                                    MsmSpread spread) const {
    if (parts.size() == 1 || !are_on_host()) return std::nullopt;
    const std::size_t terms = given_.terms();
    const std::span<const Scalar> scalars = given_.scalars.host();
    const MsmConfig one = given_.config_of_one();
    detail::check_msm<C>(scalars.first(terms), Operand<AffinePoint<C>>(points_.host().first(terms)), one, {1, terms, terms});
    return state_.width_of_shared_windows<C>(parts, terms, {scalars.data(), points_.host().data()}, one, spread);
}

template <Curve C>
void DevicePool::State::MsmsOfPoints<C>::add_by_windows(MsmPieces<C>& pieces, std::vector<MsmPart> parts, unsigned width) {
    state_.lease_parts(parts, detail::msm_work<C>(1));
    const std::size_t first_member = parts[0].member;
    const detail::Share msms = parts[0].msms;
    pieces.add_together(
        first_member, msms,
        [self = this->shared_from_this(), parts = std::move(parts), width](const DeviceContext&, const detail::MsmResults<C>& sums) {
            const std::size_t terms = self->given_.terms();
            const auto part_of_terms = [&](std::size_t k, const MsmPart& part, const DeviceContext& context) {
                const std::size_t first = k * terms + part.terms.offset;
                const std::size_t first_point = self->are_points_shared() ? part.terms.offset : first;
                return detail::TermsOfDevice<C>{part.member, context, self->given_.scalars.host().subspan(first, part.terms.count),
                                                self->points_.host().subspan(first_point, part.terms.count)};
            };
            return self->state_.template msms_by_windows<C>(parts, self->given_.config_of_one(), width, terms, part_of_terms, sums.host());
        });
}

template <Curve C>
RunReport DevicePool::State::MsmsOfPoints<C>::run_part(const MsmPart& part, const DeviceContext& context,
                                                       const detail::MsmResults<C>& sums) const {
    MsmPart of_points = part;
    if (are_points_shared()) of_points.msms = {0, 1};
    const detail::ArrayRuns scalar_runs = given_.runs_of(given_.scalars, part);
    BroughtOperands brought(state_, part.member, context);
    try {
        const auto scalars = brought.local_runs(given_.scalars, scalar_runs);
        const auto points = brought.local_runs(points_, given_.runs_of(points_, of_points));
        try {
            RunReport report = run_msms(scalars, points, context, sums);
            report.bytes += brought.bytes();
            report.device_bytes += brought.bytes();
            return report;
        } catch (const detail::OversizedScalar& error) {
            given_.throw_oversized_scalar(scalar_runs, scalars.runs, error);
        }
    } catch (...) {
        brought.wait();
        throw;
    }
}

/// All at once where the runs follow each other. Else they are MSMs so large that each is worth several devices: one after another.
template <Curve C>
RunReport DevicePool::State::MsmsOfPoints<C>::run_msms(const detail::LocalRuns<Scalar>& scalars,
                                                       const detail::LocalRuns<AffinePoint<C>>& points, const DeviceContext& context,
                                                       const detail::MsmResults<C>& sums) const {
    MsmConfig own = given_.config_of_part(context, scalars.elements, sums);
    own.are_points_on_device = points.elements.is_on_device();
    const auto run = [&](const Operand<Scalar>& own_scalars, const Operand<AffinePoint<C>>& own_points,
                         const detail::MsmResults<C>& own_sums) {
        if (own_sums.is_on_device()) return cupool::msm<C>(own_scalars, own_points, own, own_sums.device());
        return cupool::msm<C>(own_scalars, own_points, own, own_sums.host());
    };
    if (scalars.runs.are_contiguous() && points.runs.are_contiguous()) return run(scalars.elements, points.elements, sums);
    RunReport all;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        try {
            const RunReport one = run(scalars.run(k), points.run(points.runs.count == 1 ? 0 : k), sums.subspan(k, 1));
            all.engine = one.engine;
            state_.join(all, one);
        } catch (const detail::OversizedScalar& error) {
            detail::throw_oversized_scalar(k * scalars.runs.stride + error.index(), error.bits());
        }
    }
    return all;
}

template <Curve C>
std::shared_ptr<DevicePool::State::MsmJob> DevicePool::State::plan_msms(GivenMsms<C> given, PoolOperand<AffinePoint<C>> points,
                                                                        MsmSpread spread, const SourceLocation& where) {
    return std::make_shared<MsmsOfPoints<C>>(*this, std::move(given), std::move(points))->job(spread, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                          JacobianPoint<C>& result, MsmSpread spread, SourceLocation where) const {
    return msm<C>(scalars, points, config, std::span(&result, 1), spread, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), points, spread, where)->run();
    });
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                          DeviceSpan<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        require_no_async(config);
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), points, spread, where)->run();
    });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, JacobianPoint<C>& result, MsmSpread spread,
                                              SourceLocation where) const {
    return submit_msm<C>(scalars, points, config, std::span(&result, 1), spread, where);
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, std::span<JacobianPoint<C>> results, MsmSpread spread,
                                              SourceLocation where) const {
    return detail::report_at(where, [&] {
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), points, spread, where)->start();
    });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, DeviceSpan<JacobianPoint<C>> results, MsmSpread spread,
                                              SourceLocation where) const {
    return detail::report_at(where, [&] {
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), points, spread, where)->start();
    });
}

#define CUPOOL_INSTANTIATE_RESULTS(C, Results)                                                                                       \
    template RunReport DevicePool::msm<C>(const PoolOperand<Scalar>&, const PoolOperand<AffinePoint<C>>&, const MsmConfig&, Results, \
                                          MsmSpread, SourceLocation) const;                                                          \
    template std::future<RunReport> DevicePool::submit_msm<C>(const PoolOperand<Scalar>&, const PoolOperand<AffinePoint<C>>&,        \
                                                              const MsmConfig&, Results, MsmSpread, SourceLocation) const;
#define CUPOOL_INSTANTIATE(C)                                                                                                      \
    template std::optional<unsigned> DevicePool::State::width_of_shared_windows<C>(                                                \
        const std::vector<MsmPart>&, std::size_t, const std::vector<const void*>&, const MsmConfig&, MsmSpread);                   \
    template RunReport DevicePool::State::msms_by_windows<C>(const std::vector<MsmPart>&, const MsmConfig&, unsigned, std::size_t, \
                                                             const PartOfTerms<C>&, std::span<JacobianPoint<C>>);                  \
    CUPOOL_INSTANTIATE_RESULTS(C, JacobianPoint<C>&)                                                                               \
    CUPOOL_INSTANTIATE_RESULTS(C, std::span<JacobianPoint<C>>)                                                                     \
    CUPOOL_INSTANTIATE_RESULTS(C, DeviceSpan<JacobianPoint<C>>)
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE
#undef CUPOOL_INSTANTIATE_RESULTS

}  // namespace cupool
