#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/pooled_bases.hpp>
#include <optional>
#include <utility>

#include "curve/for_each_curve.hpp"
#include "msm/base_tables.hpp"
#include "msm/checks.hpp"
#include "msm/device/strided_msms.hpp"
#include "msm/given_msms.hpp"
#include "msm/operand_checks.hpp"
#include "msm/pieces.hpp"
#include "msm/shares_of_devices.hpp"

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

    /// One MSM's config, with what the bases have laid down. \param scalars  of the first part \throws what cupool::msm() refuses
    MsmConfig checked(MsmConfig config, std::span<const Scalar> scalars) const;

    /// How one MSM may be spread where they are divided: of several tables each device has some of the terms' multiples alone.
    MsmSpread spread_of_one() const { return tables_at(parts[0].member).table_count == 1 ? spread : MsmSpread::all_devices; }

    const detail::BaseTables<C>& tables_at(std::size_t member) const { return detail::tables_of(*part_of(member)->bases); }

    const Part* part_of(std::size_t member) const {
        const auto found = std::find_if(parts.begin(), parts.end(), [=](const Part& part) { return part.member == member; });
        return found == parts.end() ? nullptr : &*found;
    }

    detail::ProcessMark process;
    std::weak_ptr<const void> pool;
    std::size_t size = 0;
    bool is_sharded = false;
    MsmSpread spread = MsmSpread::automatic;  ///< as asked for
    std::vector<Part> parts;                  ///< in the pool's order
};

template <Curve C>
PooledBases<C>::PooledBases(std::shared_ptr<const State> state) : state_(std::move(state)) {}

template <Curve C>
const typename PooledBases<C>::State& PooledBases<C>::state(const SourceLocation& where) const {
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
    State& pool = state(where);
    detail::require_enumerator(spread, MsmSpread::shared_windows, "MsmSpread");
    const std::vector<std::size_t> healthy = pool.healthy();
    const auto bases = std::make_shared<typename PooledBases<C>::State>();
    bases->pool = state_;
    bases->size = points.size();
    const std::size_t served = detail::devices_for_msm(detail::msm_work<C>(points.size()), healthy.size(), spread);
    bases->spread = spread;
    bases->is_sharded = healthy.size() > 1 && served == healthy.size();
    const std::vector<detail::Share> shares = pool.divided(points.size(), Shares::by_speed, healthy);
    std::vector<std::size_t> holders;
    for (std::size_t i = 0; i < healthy.size(); ++i) {
        const detail::Share terms = bases->is_sharded ? shares[healthy[i]] : detail::Share{0, points.size()};
        if (bases->is_sharded && terms.count == 0 && i > 0) continue;  // the first checks the config where there are no points
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
MsmConfig PooledBases<C>::State::checked(MsmConfig config, std::span<const Scalar> scalars) const {
    const detail::BaseTables<C>& tables = tables_at(parts[0].member);
    config.ctx = tables.context;
    detail::check_msm<C>(scalars, *parts[0].bases, config, {1, scalars.size(), scalars.size()});
    config.bitsize = detail::bitsize_of(tables, config);
    if (tables.width != 0) config.c = static_cast<int>(tables.width);
    return config;
}

/// MSMs over bases that were prepared on the pool's devices, which it keeps.
template <Curve C>
class DevicePool::State::MsmsOfBases : public std::enable_shared_from_this<MsmsOfBases<C>> {
public:
    /// \throws Error where the bases are another pool's, or fewer than the scalars
    MsmsOfBases(State& state, GivenMsms<C> given, std::shared_ptr<const typename PooledBases<C>::State> bases)
        : state_(state), given_(std::move(given)), bases_(std::move(bases)) {}

    std::shared_ptr<MsmJob> job(MsmSpread spread, const SourceLocation& where);

private:
    std::optional<Division> division_of_slices() const;
    std::vector<MsmPart> parts(MsmSpread spread) const;
    std::vector<MsmPart> parts_where_bases_are() const;
    void require_division_of_bases(const Division& division, const std::vector<MsmPart>& parts) const;
    void require_bases(const Division& division) const;
    std::vector<std::size_t> choose(std::size_t devices, double work) const;
    std::optional<unsigned> width_of_shared_windows(const std::vector<MsmPart>& parts) const;
    RunReport run_by_windows(const std::vector<MsmPart>& parts, unsigned width, std::span<JacobianPoint<C>> sums) const;
    RunReport run_part(const MsmPart& part, const DeviceContext& context, const detail::MsmResults<C>& sums) const;

    State& state_;
    GivenMsms<C> given_;
    std::shared_ptr<const typename PooledBases<C>::State> bases_;
};

template <Curve C>
std::optional<Division> DevicePool::State::MsmsOfBases<C>::division_of_slices() const {
    if (!given_.scalars.is_sliced() || given_.terms() == 0) return std::nullopt;
    return detail::division_of_slices(given_.scalars, given_.count(), "scalars");
}

template <Curve C>
std::shared_ptr<DevicePool::State::MsmJob> DevicePool::State::MsmsOfBases<C>::job(MsmSpread spread, const SourceLocation& where) {
    detail::require_enumerator(spread, MsmSpread::shared_windows, "MsmSpread");
    MsmPieces<C> pieces(state_, given_.results, given_.config.are_points_montgomery_form);
    std::vector<MsmPart> parts = this->parts(spread);
    const std::optional<unsigned> width = width_of_shared_windows(parts);
    state_.lease_parts(parts, detail::msm_work<C>(1));
    const auto self = this->shared_from_this();
    if (width) {
        const std::size_t first_member = parts[0].member;
        pieces.add_together(first_member, {0, 1},
                            [self, parts = std::move(parts), width](const DeviceContext&, const detail::MsmResults<C>& sums) {
                                return self->run_by_windows(parts, *width, sums.host());
                            });
        return std::move(pieces).job(where);
    }
    for (const MsmPart& part : parts) {
        pieces.add(part.member, part.msms, [self, part](const DeviceContext& context, const detail::MsmResults<C>& sums) {
            return self->state_.run_part(part, [&] { return self->run_part(part, context, sums); });
        });
    }
    return std::move(pieces).job(where);
}

template <Curve C>
std::vector<DevicePool::State::MsmPart> DevicePool::State::MsmsOfBases<C>::parts(MsmSpread spread) const {
    const std::optional<Division> division = division_of_slices();
    if (bases_->is_sharded) {
        std::vector<MsmPart> parts = parts_where_bases_are();
        if (division) require_division_of_bases(*division, parts);
        return parts;
    }
    if (division) {
        require_bases(*division);
        return state_.parts_of_slices(*division, given_.count());
    }
    const double work = detail::msm_work<C>(given_.terms()) * static_cast<double>(given_.count());
    const std::size_t devices = std::min(given_.count(), detail::devices_for_msm(work, bases_->parts.size(), spread));
    return state_.parts_of_msms(choose(devices, work), given_.count(), given_.terms());
}

/// Of divided bases: each device does its part of all MSMs.
template <Curve C>
std::vector<DevicePool::State::MsmPart> DevicePool::State::MsmsOfBases<C>::parts_where_bases_are() const {
    std::vector<MsmPart> parts;
    for (const auto& part : bases_->parts) {
        const std::size_t begin = std::min<std::size_t>(part.terms.offset, given_.terms());
        const std::size_t end = std::min<std::size_t>(part.terms.offset + part.terms.count, given_.terms());
        if (begin == end && !parts.empty()) break;
        parts.push_back({part.member, {0, given_.count()}, {begin, end - begin}});
    }
    return parts;
}

template <Curve C>
void DevicePool::State::MsmsOfBases<C>::require_division_of_bases(const Division& division, const std::vector<MsmPart>& parts) const {
    std::vector<int> devices;
    std::vector<Slice> slices;
    for (const MsmPart& part : parts) {
        devices.push_back(state_.member(part.member).ordinal());
        slices.push_back(part.terms);
    }
    detail::require_same_division(division, "scalars", {devices, slices}, "bases");
}

/// \throws Error invalid_argument where a device has a slice of the scalars, but none of the bases, of which others have all
template <Curve C>
void DevicePool::State::MsmsOfBases<C>::require_bases(const Division& division) const {
    for (const int device : division.devices()) {
        if (bases_->part_of(state_.index_of(device)) != nullptr) continue;
        detail::refuse(
            "msm",
            "a slice of the scalars is on device " + std::to_string(device) +
                ", where no bases were prepared; prepare the bases again with that device in the pool, or pass the scalars in one piece");
    }
}

template <Curve C>
std::vector<std::size_t> DevicePool::State::MsmsOfBases<C>::choose(std::size_t devices, double work) const {
    const auto has_bases = [&](std::size_t member) { return bases_->part_of(member) != nullptr; };
    const auto home = state_.home_of(given_.scalars);
    if (devices == 1 && home && has_bases(*home)) return {*home};
    return state_.choose_for_msms(devices, work / static_cast<double>(devices), has_bases);
}

template <Curve C>
std::optional<unsigned> DevicePool::State::MsmsOfBases<C>::width_of_shared_windows(const std::vector<MsmPart>& parts) const {
    // Of several MSMs each device does its terms together.
    if (!bases_->is_sharded || parts.size() == 1 || given_.count() != 1 || !given_.scalars.is_on_host()) return std::nullopt;
    const std::span<const Scalar> scalars = given_.scalars.host();
    const MsmConfig own = bases_->checked(given_.config_of_one(), scalars.first(parts[0].terms.count));
    return state_.width_of_shared_windows<C>(parts, given_.terms(), {scalars.data()}, own, bases_->spread_of_one());
}

template <Curve C>
RunReport DevicePool::State::MsmsOfBases<C>::run_by_windows(const std::vector<MsmPart>& parts, unsigned width,
                                                            std::span<JacobianPoint<C>> sums) const {
    const std::span<const Scalar> scalars = given_.scalars.host();
    const MsmConfig own = bases_->checked(given_.config_of_one(), scalars.first(parts[0].terms.count));
    const auto part_of_terms = [&](std::size_t, const MsmPart& part, const DeviceContext& context) {
        const DeviceSpan<const AffinePoint<C>> there = bases_->tables_at(part.member).on_device.span();
        return detail::TermsOfDevice<C>{part.member, context, scalars.subspan(part.terms.offset, part.terms.count),
                                        there.subspan(0, part.terms.count)};
    };
    return state_.msms_by_windows<C>(parts, own, width, given_.terms(), part_of_terms, sums);
}

template <Curve C>
RunReport DevicePool::State::MsmsOfBases<C>::run_part(const MsmPart& part, const DeviceContext& context,
                                                      const detail::MsmResults<C>& sums) const {
    const auto& with_bases = *bases_->part_of(part.member);
    const detail::ArrayRuns runs = given_.runs_of(given_.scalars, part);
    BroughtOperands brought(state_, part.member, context);
    try {
        const auto scalars = brought.local_runs(given_.scalars, runs);
        const MsmConfig own = given_.config_of_part(context, scalars.elements, sums);
        const std::size_t first_base = part.terms.offset - with_bases.terms.offset;
        try {
            RunReport report = detail::msm_of_strided_scalars<C>({scalars.elements, part.terms.count, scalars.runs.stride, first_base},
                                                                 *with_bases.bases, own, sums);
            report.bytes += brought.bytes();
            report.device_bytes += brought.bytes();
            return report;
        } catch (const detail::OversizedScalar& error) {
            given_.throw_oversized_scalar(runs, scalars.runs, error);
        }
    } catch (...) {
        brought.wait();
        throw;
    }
}

template <Curve C>
std::shared_ptr<DevicePool::State::MsmJob> DevicePool::State::plan_msms(GivenMsms<C> given, const PooledBases<C>& bases, MsmSpread spread,
                                                                        const std::shared_ptr<const void>& user,
                                                                        const SourceLocation& where) {
    bases.state(where).check(user, given.terms());
    return std::make_shared<MsmsOfBases<C>>(*this, std::move(given), bases.state_)->job(spread, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          JacobianPoint<C>& result, SourceLocation where) const {
    return msm<C>(scalars, bases, config, std::span(&result, 1), MsmSpread::one_device, where);
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), bases, spread, state_, where)->run();
    });
}

template <Curve C>
RunReport DevicePool::msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                          DeviceSpan<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        require_no_async(config);
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), bases, spread, state_, where)->run();
    });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              JacobianPoint<C>& result, SourceLocation where) const {
    return submit_msm<C>(scalars, bases, config, std::span(&result, 1), MsmSpread::one_device, where);
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              std::span<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), bases, spread, state_, where)->start();
    });
}

template <Curve C>
std::future<RunReport> DevicePool::submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              DeviceSpan<JacobianPoint<C>> results, MsmSpread spread, SourceLocation where) const {
    return detail::report_at(where, [&] {
        return state(where).plan_msms<C>(state(where).given_msms<C>(scalars, config, results), bases, spread, state_, where)->start();
    });
}

#define CUPOOL_INSTANTIATE_RESULTS(C, ...)                                                                                         \
    template RunReport DevicePool::msm<C>(const PoolOperand<Scalar>&, const PooledBases<C>&, const MsmConfig&, __VA_ARGS__,        \
                                          SourceLocation) const;                                                                   \
    template std::future<RunReport> DevicePool::submit_msm<C>(const PoolOperand<Scalar>&, const PooledBases<C>&, const MsmConfig&, \
                                                              __VA_ARGS__, SourceLocation) const;
#define CUPOOL_INSTANTIATE(C)                                                                                                        \
    template class PooledBases<C>;                                                                                                   \
    template PooledBases<C> DevicePool::prepare<C>(std::span<const AffinePoint<C>>, const PrepareConfig&, MsmSpread, SourceLocation) \
        const;                                                                                                                       \
    CUPOOL_INSTANTIATE_RESULTS(C, JacobianPoint<C>&)                                                                                 \
    CUPOOL_INSTANTIATE_RESULTS(C, std::span<JacobianPoint<C>>, MsmSpread)                                                            \
    CUPOOL_INSTANTIATE_RESULTS(C, DeviceSpan<JacobianPoint<C>>, MsmSpread)
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE
#undef CUPOOL_INSTANTIATE_RESULTS

}  // namespace cupool
