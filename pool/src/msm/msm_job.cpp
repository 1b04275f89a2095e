#include "msm/msm_job.hpp"

#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <utility>

namespace cupool::detail {

/// One task in the queue of its member. It keeps the job alive.
class MsmJob::QueuedTask final : public PoolTask {
public:
    QueuedTask(std::shared_ptr<MsmJob> job, std::size_t number) : job_(std::move(job)), number_(number) {}

    void run(const DeviceContext& context) override { job_->run_task(number_, context); }
    void succeed() override { job_->end_task(number_, nullptr); }
    void fail(std::exception_ptr why) noexcept override { job_->end_task(number_, std::move(why)); }

private:
    std::shared_ptr<MsmJob> job_;
    std::size_t number_;
};

MsmJob::MsmJob(PoolState& pool, std::vector<MemberTask> tasks, std::optional<MemberTask> last, Finish finish, const SourceLocation& where)
    : pool_(pool),
      tasks_(std::move(tasks)),
      last_(std::move(last)),
      finish_(std::move(finish)),
      where_(where),
      reports_(tasks_.size()),
      failures_(tasks_.size()),
      left_(tasks_.size()) {}

std::future<RunReport> MsmJob::start() {
    std::vector<std::pair<std::size_t, std::shared_ptr<QueuedTask>>> queued;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        queued.emplace_back(tasks_[i].member, std::make_shared<QueuedTask>(shared_from_this(), i));
    }
    std::future<RunReport> future = promise_.get_future();
    for (const auto& [member, task] : queued) pool_.give(member, task, where_);
    return future;
}

RunReport MsmJob::run() {
    if (tasks_.size() > 1) return start().get();
    std::future<RunReport> future = promise_.get_future();
    QueuedTask task(shared_from_this(), 0);
    pool_.perform_here(tasks_[0].member, task, where_);
    return future.get();
}

void MsmJob::run_task(std::size_t number, const DeviceContext& context) { reports_[number] = tasks_[number].run(context); }

void MsmJob::end_task(std::size_t number, std::exception_ptr failure) noexcept {
    failures_[number] = std::move(failure);
    tasks_[number].run = nullptr;  // releases its leases before the end becomes visible
    if (--left_ == 0) end();
}

/// Fulfils the promise once all tasks have ended.
void MsmJob::end() noexcept {
    std::optional<RunReport> report;
    std::exception_ptr failure;
    try {
        report = report_at(where_, [&] { return result(); });
    } catch (...) {
        failure = std::current_exception();
    }
    last_.reset();
    finish_ = nullptr;
    if (failure) {
        promise_.set_exception(std::move(failure));
    } else {
        promise_.set_value(std::move(*report));
    }
}

/// \throws the failure of the first task that failed; then no result is written
RunReport MsmJob::result() {
    const auto failed =
        std::find_if(failures_.begin(), failures_.end(), [](const std::exception_ptr& failure) { return failure != nullptr; });
    if (failed != failures_.end()) std::rethrow_exception(*failed);
    if (last_) {
        pool_.run(
            last_->member, [&](std::size_t, const DeviceContext& context) { reports_.push_back(last_->run(context)); }, where_);
    }
    RunReport report;
    report.engine = reports_[0].engine;
    for (const RunReport& part : reports_) pool_.join(report, part);
    finish_(report);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin_;
    report.milliseconds = elapsed.count();
    return report;
}

}  // namespace cupool::detail
