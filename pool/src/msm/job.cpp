#include "msm/job.hpp"

#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <utility>

namespace cupool {

/// One piece, as the workers know it. It keeps the job.
class DevicePool::State::MsmJob::Task final : public detail::PoolTask {
public:
    Task(std::shared_ptr<MsmJob> job, std::size_t place) : job_(std::move(job)), place_(place) {}

    void run(const DeviceContext& context) override { job_->run_piece(place_, context); }
    void succeed() override { job_->end_piece(place_, nullptr); }
    void fail(std::exception_ptr why) noexcept override { job_->end_piece(place_, std::move(why)); }

private:
    std::shared_ptr<MsmJob> job_;
    std::size_t place_;
};

DevicePool::State::MsmJob::MsmJob(State& state, std::vector<Piece> pieces, std::optional<Piece> last, Finish finish,
                                  const SourceLocation& where)
    : state_(state),
      pieces_(std::move(pieces)),
      last_(std::move(last)),
      finish_(std::move(finish)),
      where_(where),
      reports_(pieces_.size()),
      failures_(pieces_.size()),
      left_(pieces_.size()) {}

std::future<RunReport> DevicePool::State::MsmJob::start() {
    std::vector<std::pair<std::size_t, std::shared_ptr<Task>>> tasks;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        tasks.emplace_back(pieces_[i].member, std::make_shared<Task>(shared_from_this(), i));
    }
    std::future<RunReport> future = promise_.get_future();
    for (const auto& [member, task] : tasks) state_.give(member, task, where_);
    return future;
}

RunReport DevicePool::State::MsmJob::run() {
    if (pieces_.size() > 1) return start().get();
    std::future<RunReport> future = promise_.get_future();
    Task task(shared_from_this(), 0);
    state_.perform_here(pieces_[0].member, task, where_);
    return future.get();
}

void DevicePool::State::MsmJob::run_piece(std::size_t place, const DeviceContext& context) {
    reports_[place] = pieces_[place].run(context);
}

void DevicePool::State::MsmJob::end_piece(std::size_t place, std::exception_ptr failure) noexcept {
    failures_[place] = std::move(failure);
    pieces_[place].run = nullptr;  // what it has leased is given back before anybody hears of its end
    if (--left_ == 0) end();
}

/// Joins the pieces, all of which have ended, and tells.
void DevicePool::State::MsmJob::end() noexcept {
    std::optional<RunReport> report;
    std::exception_ptr failure;
    try {
        report = detail::report_at(where_, [&] { return result(); });
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

/// \throws the failure of the first piece that failed; then nothing is joined
RunReport DevicePool::State::MsmJob::result() {
    const auto failed =
        std::find_if(failures_.begin(), failures_.end(), [](const std::exception_ptr& failure) { return failure != nullptr; });
    if (failed != failures_.end()) std::rethrow_exception(*failed);
    if (last_) {
        state_.run(
            last_->member, [&](std::size_t, const DeviceContext& context) { reports_.push_back(last_->run(context)); }, where_);
    }
    RunReport report;
    report.engine = reports_[0].engine;
    for (const RunReport& part : reports_) state_.join(report, part);
    finish_(report);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin_;
    report.milliseconds = elapsed.count();
    return report;
}

}  // namespace cupool
