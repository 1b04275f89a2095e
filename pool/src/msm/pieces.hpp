#pragma once

#include <cupool/driver/copy.hpp>

#include "curve/host_curve.hpp"
#include "msm/job.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

/// The pieces that several MSMs are done in. Each comes to a sum for some of the MSMs, of all of their terms or of some; an MSM's result is
/// the sum of what the pieces came to.
template <Curve C>
class DevicePool::State::MsmPieces {
public:
    /// Writes the sums, one for each MSM of the piece.
    using Run = std::function<RunReport(const DeviceContext& context, const detail::MsmResults<C>& sums)>;

    /// \param results  one for each MSM
    MsmPieces(State& state, const detail::MsmResults<C>& results, bool is_montgomery_form)
        : state_(state), results_(results), is_montgomery_form_(is_montgomery_form) {}

    void add(std::size_t member, const detail::Share& msms, Run run) { pieces_.push_back({member, msms, std::move(run)}); }
    /// Adds a piece, behind all others, that several devices do together: it begins when the others have ended. Its sums are always host
    /// memory.
    void add_together(std::size_t member, const detail::Share& msms, Run run) {
        add(member, msms, std::move(run));
        is_last_together_ = true;
    }

    std::shared_ptr<MsmJob> job(const SourceLocation& where) &&;

private:
    struct Piece {
        std::size_t member;
        detail::Share msms;
        Run run;
    };
    using Sums = std::vector<JacobianPoint<C>>;

    /// Whether the one piece may write the results itself.
    bool is_done_in_place() const {
        return pieces_.size() == 1 && !is_last_together_ && results_.is_on_device() &&
               state_.member(pieces_[0].member).ordinal() == results_.device().device();
    }

    /// What the pieces came to, and where it goes.
    struct Joining {
        State& state;
        detail::MsmResults<C> results;
        bool is_montgomery_form;
        std::vector<detail::Share> msms;  ///< of each piece
        std::vector<Sums> sums;           ///< of each piece

        JacobianPoint<C> joined(std::size_t msm) const;
        void finish(RunReport& report) const;
    };

    State& state_;
    detail::MsmResults<C> results_;
    bool is_montgomery_form_;
    std::vector<Piece> pieces_;
    bool is_last_together_ = false;
};

template <Curve C>
std::shared_ptr<DevicePool::State::MsmJob> DevicePool::State::MsmPieces<C>::job(const SourceLocation& where) && {
    const bool in_place = is_done_in_place();
    const auto joining = std::make_shared<Joining>(Joining{state_, results_, is_montgomery_form_, {}, {}});
    std::vector<MsmJob::Piece> pieces;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        joining->msms.push_back(pieces_[i].msms);
        joining->sums.emplace_back(in_place ? 0 : pieces_[i].msms.count);
        pieces.push_back({pieces_[i].member, [run = std::move(pieces_[i].run), joining, in_place, i](const DeviceContext& context) {
                              return run(context, in_place ? joining->results : detail::MsmResults<C>(std::span(joining->sums[i])));
                          }});
    }
    std::optional<MsmJob::Piece> last;
    if (is_last_together_ && pieces.size() > 1) {
        last = std::move(pieces.back());
        pieces.pop_back();
    }
    const auto finish = [joining, in_place](RunReport& report) {
        if (!in_place) joining->finish(report);
    };
    return std::make_shared<MsmJob>(state_, std::move(pieces), std::move(last), finish, where);
}

template <Curve C>
JacobianPoint<C> DevicePool::State::MsmPieces<C>::Joining::joined(std::size_t msm) const {
    std::vector<const JacobianPoint<C>*> of_pieces;
    for (std::size_t i = 0; i < msms.size(); ++i) {
        const bool is_part = msm >= msms[i].offset && msm - msms[i].offset < msms[i].count;
        if (is_part) of_pieces.push_back(&sums[i][msm - msms[i].offset]);
    }
    if (of_pieces.size() == 1) return *of_pieces[0];
    auto sum = detail::HostXyzz<C>::infinity();
    for (const JacobianPoint<C>* const of_piece : of_pieces) sum += detail::load<C>(*of_piece, is_montgomery_form);
    return detail::store_jacobian<C>(sum, is_montgomery_form);
}

template <Curve C>
void DevicePool::State::MsmPieces<C>::Joining::finish(RunReport& report) const {
    Sums all;  // written where nothing can fail any more
    for (std::size_t msm = 0; msm < results.size(); ++msm) all.push_back(joined(msm));
    if (!results.is_on_device()) {
        std::copy(all.begin(), all.end(), results.host().begin());
        return;
    }
    const DeviceSpan<JacobianPoint<C>> there = results.device();
    detail::PoolMember& member = state.member(state.index_of(there.device()));
    state.guard([&] {
        const StreamView stream = member.context().stream();
        const detail::SynchronizeOnExit wait_for_copy(stream);
        copy(there, std::span<const JacobianPoint<C>>(all), stream);
    });
    member.bytes += there.size_bytes();
    report.bytes += there.size_bytes();
}

}  // namespace cupool
