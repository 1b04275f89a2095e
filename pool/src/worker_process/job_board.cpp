#include "job_board.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

namespace cupool::detail {

JobBoard::JobBoard(const std::vector<int>& devices) : workers_(devices.size()) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        workers_[i].status.device = devices[i];
        FileDescriptor wake_descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        if (!wake_descriptor) throw Error(ErrorCategory::io, "eventfd failed for a worker: " + std::generic_category().message(errno));
        wakes_.push_back(std::move(wake_descriptor).above_standard());
    }
}

void JobBoard::wake(std::size_t worker) const noexcept {
    const std::uint64_t one = 1;
    (void)!::write(wakes_[worker].number(), &one, sizeof(one));  // fails only where it is readable already
}

std::string JobBoard::reasons() const {
    std::string text;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const Worker& worker = workers_[i];
        text += (i == 0 ? "worker " : "; worker ") + std::to_string(i) + ": " +
                (worker.is_quarantined ? "quarantined: " + worker.quarantined_because : worker.status.why);
    }
    return text;
}

std::size_t JobBoard::busy_workers_of(int device) const {
    return static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(), [&](const Worker& worker) {
        return worker.status.device == device && worker.status.condition == WorkerCondition::busy;
    }));
}

JobBoard::Worker* JobBoard::most_idle_worker() {
    Worker* best = nullptr;
    for (Worker& worker : workers_) {
        if (!worker.is_idle()) continue;
        if (best == nullptr || busy_workers_of(worker.status.device) < busy_workers_of(best->status.device)) best = &worker;
    }
    return best;
}

std::size_t JobBoard::idle_device_count() const {
    const std::lock_guard lock(mutex_);
    std::set<int> devices;
    for (const Worker& worker : workers_) {
        if (worker.is_idle() && busy_workers_of(worker.status.device) == 0) devices.insert(worker.status.device);
    }
    return devices.size();
}

void JobBoard::place(std::unique_ptr<WorkerJob> job, bool at_front) {
    if (Worker* const worker = most_idle_worker()) {
        worker->status.condition = WorkerCondition::busy;
        worker->assigned = std::move(job);
        wake(static_cast<std::size_t>(worker - workers_.data()));
    } else if (at_front) {
        waiting_.push_front(std::move(job));
    } else {
        waiting_.push_back(std::move(job));
    }
}

JobBoard::Jobs JobBoard::take_unserved() {
    Jobs jobs;
    for (const Worker& worker : workers_) {
        if (worker.takes_jobs()) return jobs;
    }
    for (auto& job : waiting_) jobs.push_back(std::move(job));
    waiting_.clear();
    return jobs;
}

void JobBoard::end_unserved(std::unique_lock<std::mutex> lock) {
    Jobs jobs = take_unserved();
    const std::string why = jobs.empty() ? "" : reasons();
    lock.unlock();
    for (auto& job : jobs) {
        job->release_operands();
        job->fail(std::make_exception_ptr(Error(ErrorCategory::no_device, "no worker takes jobs: " + why, job->where)));
        const std::lock_guard relock(mutex_);
        end_one();
    }
}

void JobBoard::place_assigned(Worker& worker) {
    std::unique_ptr<WorkerJob> job = std::move(worker.assigned);
    if (job != nullptr) place(std::move(job), true);
}

void JobBoard::submit(std::unique_ptr<WorkerJob> job) {
    Jobs jobs;
    jobs.push_back(std::move(job));
    submit(std::move(jobs));
}

void JobBoard::submit(std::vector<std::unique_ptr<WorkerJob>> jobs) {
    const std::lock_guard lock(mutex_);
    const bool is_served = std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.takes_jobs(); });
    if (!is_served) throw Error(ErrorCategory::no_device, "no worker takes jobs: " + reasons(), jobs.front()->where);
    for (auto& job : jobs) {
        place(std::move(job), false);
        ++unfinished_;
    }
}

void JobBoard::close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    for (std::size_t i = 0; i < workers_.size(); ++i) wake(i);
}

bool JobBoard::is_finished() const {
    const std::lock_guard lock(mutex_);
    return is_closed_ && unfinished_ == 0;
}

void JobBoard::end_one() {
    --unfinished_;
    if (!is_closed_ || unfinished_ > 0) return;
    for (std::size_t i = 0; i < workers_.size(); ++i) wake(i);
}

WorkerMetrics JobBoard::metrics() const {
    const std::lock_guard lock(mutex_);
    WorkerMetrics metrics;
    for (const Worker& worker : workers_) {
        metrics.workers.push_back(worker.status);
        if (!worker.is_quarantined) continue;
        metrics.workers.back().condition = WorkerCondition::quarantined;
        metrics.workers.back().why = worker.quarantined_because;
    }
    return metrics;
}

void JobBoard::quarantine(std::size_t worker, const std::string& why) {
    std::unique_lock lock(mutex_);
    workers_[worker].is_quarantined = true;
    workers_[worker].quarantined_because = why;
    end_unserved(std::move(lock));
}

void JobBoard::readmit(std::size_t index) {
    const std::lock_guard lock(mutex_);
    Worker& worker = workers_[index];
    worker.is_quarantined = false;
    if (worker.status.condition != WorkerCondition::idle || waiting_.empty()) return;
    std::unique_ptr<WorkerJob> job = std::move(waiting_.front());
    waiting_.pop_front();
    place(std::move(job), true);
}

std::unique_ptr<WorkerJob> JobBoard::next_job(std::size_t index) {
    const std::lock_guard lock(mutex_);
    Worker& worker = workers_[index];
    if (worker.assigned == nullptr) give_next_job(worker);
    return std::move(worker.assigned);
}

void JobBoard::give_next_job(Worker& worker) {
    worker.status.condition = WorkerCondition::idle;
    if (waiting_.empty() || !worker.takes_jobs()) return;
    worker.assigned = std::move(waiting_.front());
    waiting_.pop_front();
    worker.status.condition = WorkerCondition::busy;
}

void JobBoard::set_starting(std::size_t worker, int process) {
    const std::lock_guard lock(mutex_);
    workers_[worker].status.process = process;
    // A worker that was failing takes jobs again when it is ready, not when it is tried.
    if (workers_[worker].status.condition != WorkerCondition::failing) workers_[worker].status.condition = WorkerCondition::starting;
}

void JobBoard::set_ready(std::size_t worker, const std::string& device_name, const std::string& device_uuid) {
    const std::lock_guard lock(mutex_);
    WorkerStatus& status = workers_[worker].status;
    status.device_name = device_name;
    status.device_uuid = device_uuid;
    status.why.clear();
    give_next_job(workers_[worker]);
}

void JobBoard::set_failing(std::size_t worker, const std::string& why) {
    std::unique_lock lock(mutex_);
    WorkerStatus& status = workers_[worker].status;
    status.process = -1;
    status.condition = WorkerCondition::failing;
    status.why = why;
    end_unserved(std::move(lock));
}

void JobBoard::count_death(std::size_t index) {
    std::unique_lock lock(mutex_);
    Worker& worker = workers_[index];
    ++worker.status.deaths;
    worker.status.process = -1;
    worker.status.condition = WorkerCondition::starting;
    place_assigned(worker);
    end_unserved(std::move(lock));
}

void JobBoard::count_end(std::size_t worker, std::chrono::microseconds time, bool is_error) {
    const std::lock_guard lock(mutex_);
    WorkerStatus& status = workers_[worker].status;
    if (status.condition == WorkerCondition::busy) give_next_job(workers_[worker]);  // else its process has ended
    ++status.jobs;
    status.errors += is_error ? 1 : 0;
    status.busy_microseconds += static_cast<std::uint64_t>(time.count());
    end_one();
}

void JobBoard::retry(std::size_t worker, std::unique_ptr<WorkerJob> job) {
    std::unique_lock lock(mutex_);
    ++workers_[worker].status.retries;
    place(std::move(job), true);
    end_unserved(std::move(lock));
}

void JobBoard::count_refusal() {
    const std::lock_guard lock(mutex_);
    end_one();
}

}  // namespace cupool::detail
