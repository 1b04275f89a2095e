#pragma once

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "curve/host_curve.hpp"
#include "msm/msm_job.hpp"
#include "msm/results.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

/// Collects the tasks that compute several MSMs, and makes a job of them. Each task yields a sum for some of the MSMs, over all or some of
/// their terms; the result of an MSM is the total of these sums.
template <Curve C>
class MsmTasks {
public:
    /// Writes the sums, one for each MSM of the task.
    using Run = std::function<RunReport(const DeviceContext& context, const MsmResults<C>& sums)>;

    /// \param results  one for each MSM
    MsmTasks(PoolState& pool, const MsmResults<C>& results, bool is_montgomery_form)
        : pool_(pool), results_(results), is_montgomery_form_(is_montgomery_form) {}

    void add(std::size_t member, const Slice& msms, Run run) { tasks_.push_back({member, msms, std::move(run)}); }
    /// Adds a task that uses several devices. It must be the last one that is added, and starts when the others have ended. Its sums are
    /// always in host memory.
    void add_joint(std::size_t member, const Slice& msms, Run run) {
        add(member, msms, std::move(run));
        is_last_joint_ = true;
    }

    std::shared_ptr<MsmJob> job(const SourceLocation& where) &&;

private:
    struct Task {
        std::size_t member;
        Slice msms;
        Run run;
    };
    using Sums = std::vector<JacobianPoint<C>>;

    /// Whether there is one task and it may write the results itself.
    bool is_done_in_place() const {
        return tasks_.size() == 1 && !is_last_joint_ && results_.is_on_device() &&
               pool_.member(tasks_[0].member).ordinal() == results_.device().device();
    }

    /// The sums of all tasks, from which the results are made.
    struct Joining {
        PoolState& pool;
        MsmResults<C> results;
        bool is_montgomery_form;
        std::vector<Slice> msms;  ///< of each task
        std::vector<Sums> sums;   ///< of each task

        JacobianPoint<C> joined(std::size_t msm) const;
        void finish(RunReport& report) const;
    };

    PoolState& pool_;
    MsmResults<C> results_;
    bool is_montgomery_form_;
    std::vector<Task> tasks_;
    bool is_last_joint_ = false;
};

template <Curve C>
std::shared_ptr<MsmJob> MsmTasks<C>::job(const SourceLocation& where) && {
    const bool in_place = is_done_in_place();
    const auto joining = std::make_shared<Joining>(Joining{pool_, results_, is_montgomery_form_, {}, {}});
    std::vector<MsmJob::MemberTask> tasks;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        joining->msms.push_back(tasks_[i].msms);
        joining->sums.emplace_back(in_place ? 0 : tasks_[i].msms.count);
        tasks.push_back({tasks_[i].member, [run = std::move(tasks_[i].run), joining, in_place, i](const DeviceContext& context) {
                             return run(context, in_place ? joining->results : MsmResults<C>(std::span(joining->sums[i])));
                         }});
    }
    std::optional<MsmJob::MemberTask> last;
    if (is_last_joint_ && tasks.size() > 1) {
        last = std::move(tasks.back());
        tasks.pop_back();
    }
    const auto finish = [joining, in_place](RunReport& report) {
        if (!in_place) joining->finish(report);
    };
    return std::make_shared<MsmJob>(pool_, std::move(tasks), std::move(last), finish, where);
}

template <Curve C>
JacobianPoint<C> MsmTasks<C>::Joining::joined(std::size_t msm) const {
    std::vector<const JacobianPoint<C>*> of_tasks;
    for (std::size_t i = 0; i < msms.size(); ++i) {
        const bool takes_part = msm >= msms[i].offset && msm - msms[i].offset < msms[i].count;
        if (takes_part) of_tasks.push_back(&sums[i][msm - msms[i].offset]);
    }
    if (of_tasks.size() == 1) return *of_tasks[0];
    auto sum = HostXyzz<C>::infinity();
    for (const JacobianPoint<C>* const of_task : of_tasks) sum += load<C>(*of_task, is_montgomery_form);
    return store_jacobian<C>(sum, is_montgomery_form);
}

template <Curve C>
void MsmTasks<C>::Joining::finish(RunReport& report) const {
    Sums all;  // the caller's results are written last, when nothing can fail any more
    for (std::size_t msm = 0; msm < results.size(); ++msm) all.push_back(joined(msm));
    if (!results.is_on_device()) {
        std::copy(all.begin(), all.end(), results.host().begin());
        return;
    }
    const DeviceSpan<JacobianPoint<C>> there = results.device();
    PoolMember& member = pool.member(pool.index_of(there.device()));
    pool.guard([&] {
        const StreamView stream = member.context().stream();
        const SynchronizeOnExit wait_for_copy(stream);
        copy(there, std::span<const JacobianPoint<C>>(all), stream);
    });
    member.bytes += there.size_bytes();
    report.bytes += there.size_bytes();
}

}  // namespace cupool::detail
