#include "worker_supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cupool/driver/log.hpp>
#include <string>
#include <utility>

#include "near_cpus.hpp"
#include "worker_messages.hpp"

namespace cupool::detail {

namespace {

/// So many lost jobs in a row are taken for accidents and answered with a new process at once.
constexpr unsigned tolerated_losses = 2;
/// So many failed starts in a row, after a first one that succeeded, leave a worker's jobs to it.
constexpr unsigned tolerated_starts = 2;
constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{30'000};

/// How often an idle worker is told what it need not hold any more.
constexpr std::chrono::seconds idle_period{1};

std::chrono::milliseconds pause_after(unsigned failures) {
    if (failures == 0) return std::chrono::milliseconds(0);
    const unsigned doublings = std::min(failures - 1, 20U);
    return std::min(first_pause * (1U << doublings), longest_pause);
}

/// Waits for input and takes it. \return false at the end of the time
bool take_wake(int wake, std::chrono::milliseconds time) {
    pollfd watched{wake, POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(time.count())) <= 0) return false;
    std::uint64_t count = 0;
    return ::read(wake, &count, sizeof(count)) == static_cast<ssize_t>(sizeof(count));
}

Error current_error() { return error_of(std::current_exception(), "the pool's thread of a worker"); }

/// The thread never takes a signal of the program's.
void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

std::string joined(const std::vector<std::string>& stories) {
    std::string text;
    for (std::size_t i = 0; i < stories.size(); ++i) text += (i == 0 ? "" : "; ") + stories[i];
    return text;
}

/// The worker's Error as the program sees it: with its own line and its own ordinal of the device.
Error as_seen_here(const Error& error, int device, const SourceLocation& where) {
    ErrorDetails details;
    details.category = error.category();
    details.message = error.message();
    details.code = error.code();
    details.call = error.call();
    details.device = error.device() ? std::optional(device) : std::nullopt;
    details.reason = error.reason();
    details.log = error.log();
    details.driver_log = error.driver_log();
    return Error(details, where);
}

}  // namespace

WorkerSupervisor::WorkerSupervisor(JobBoard& board, const XidWatch& xid_watch, std::size_t worker, int device, ChildProcessStart start,
                                   const WorkerOptions& options)
    : board_(board),
      xid_watch_(xid_watch),
      worker_(worker),
      device_(device),
      start_(std::move(start)),
      limits_{options.start_deadline, options.deadline, options.memory_limit},
      attempts_(options.attempts),
      runs_near_device_(options.runs_near_device),
      thread_([this] { run(); }) {}

WorkerSupervisor::~WorkerSupervisor() { thread_.join(); }

void WorkerSupervisor::run() {
    block_signals();
    while (!board_.is_finished()) {
        if (!connection_) {
            pause();
            if (board_.is_finished()) break;
            start_process();
        } else {
            do_jobs();
        }
    }
    if (connection_) connection_->stop();
}

void WorkerSupervisor::pause() const {
    const unsigned losses = lost_jobs_ - std::min(lost_jobs_, tolerated_losses);
    const auto end = std::chrono::steady_clock::now() + pause_after(std::max(start_failures_, losses));
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0 || board_.is_finished()) return;
        (void)take_wake(board_.wake_descriptor(worker_), left);
    }
}

void WorkerSupervisor::start_process() {
    std::variant<WorkerGreeting, Error, WorkerDeath> greeting = WorkerDeath{};
    try {
        board_.set_starting(worker_, -1);
        connection_.emplace(start_, limits_);
        board_.set_starting(worker_, connection_->process());
        greeting = connection_->greet([this] { return !board_.is_finished(); });
    } catch (...) {
        greeting = current_error();
    }
    if (const auto* const ready = std::get_if<WorkerGreeting>(&greeting)) {
        pci_bus_id_ = ready->pci_bus_id;
        if (const auto near = runs_near_device_ ? cpus_near(ready->pci_bus_id) : std::nullopt) keep_on(connection_->process(), *near);
        board_.set_ready(worker_, ready->device_name, ready->device_uuid);
        start_failures_ = 0;
        if (!std::exchange(has_started_, true)) first_start_.set_value(*ready);
        return;
    }
    connection_.reset();
    const auto* const dead = std::get_if<WorkerDeath>(&greeting);
    note_start_failure(dead != nullptr ? Error(ErrorCategory::worker_lost, dead->story) : std::get<Error>(greeting));
}

void WorkerSupervisor::note_start_failure(const Error& why) {
    ++start_failures_;
    detail::log(LogLevel::warning, "worker " + std::to_string(worker_) + " does not start: " + text_of(why));
    if (start_failures_ > tolerated_starts || !has_started_) board_.set_failing(worker_, text_of(why));
    if (!std::exchange(has_started_, true)) first_start_.set_value(why);
}

void WorkerSupervisor::do_jobs() {
    try {
        while (std::unique_ptr<WorkerJob> job = board_.next_job(worker_)) {
            do_job(std::move(job));
            if (!connection_) return;
            connection_->forget_unused();
        }
        if (!board_.is_finished()) wait_for_job();
    } catch (...) {  // of the connection, between jobs
        lose_worker(text_of(current_error()));
    }
}

void WorkerSupervisor::wait_for_job() {
    connection_->forget_unused();
    const int wake = board_.wake_descriptor(worker_);
    const auto death = connection_->wait_idle(wake, ChannelClock::now() + idle_period);
    (void)take_wake(wake, std::chrono::milliseconds(0));
    if (death) lose_worker(death->story);
}

void WorkerSupervisor::lose_worker(const std::string& story) {
    detail::log(LogLevel::warning, "worker " + std::to_string(worker_) + ": " + story + ", while it had no job");
    connection_.reset();
    board_.count_death(worker_);
}

void WorkerSupervisor::do_job(std::unique_ptr<WorkerJob> job) {
    job_begin_ = XidWatch::Clock::now();
    CallOutcome outcome = call_outcome(*job);
    std::exception_ptr failure;
    std::function<void()> make_ready;
    if (auto* const answer = std::get_if<std::vector<std::byte>>(&outcome)) {
        try {
            make_ready = job->complete(std::move(*answer), device_);
        } catch (const Error& error) {  // nothing was written
            outcome = WorkerDeath{"sent an answer that cannot be trusted (" + error.message() + ")", std::nullopt};
        } catch (...) {
            failure = std::current_exception();
        }
    } else if (const auto* const error = std::get_if<Error>(&outcome)) {
        failure = std::make_exception_ptr(as_seen_here(*error, device_, job->where));
    }
    if (const auto* const dead = std::get_if<WorkerDeath>(&outcome)) {
        lose_job(std::move(job), *dead);
        return;
    }
    lost_jobs_ = 0;
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(XidWatch::Clock::now() - job_begin_);
    // Whoever has the result finds it in the metrics, and the worker idle.
    board_.count_end(worker_, time, static_cast<bool>(failure));
    job->release_operands();
    if (failure) {
        job->fail(failure);
    } else {
        make_ready();
    }
}

CallOutcome WorkerSupervisor::call_outcome(const WorkerJob& job) {
    try {
        return connection_->call(job);
    } catch (...) {
        // This process failed, for instance for lack of memory, and may have left an answer unread: another worker begins afresh.
        const Error error = current_error();
        connection_.reset();
        board_.count_death(worker_);
        return error;
    }
}

void WorkerSupervisor::lose_job(std::unique_ptr<WorkerJob> job, const WorkerDeath& death) {
    connection_.reset();
    board_.count_death(worker_);
    if (job->deaths.empty()) ++lost_jobs_;
    const std::string errors = xid_watch_.errors_since(pci_bus_id_, job_begin_);
    job->deaths.push_back("worker " + std::to_string(worker_) + (device_ >= 0 ? " of device " + std::to_string(device_) : "") + ": " +
                          death.story + (errors.empty() ? "" : "; " + errors));
    detail::log(LogLevel::warning, job->deaths.back() + ", while it did " + job->call.function);
    if (job->deaths.size() < attempts_) {
        board_.retry(worker_, std::move(job));
        return;
    }
    ErrorDetails details;
    details.category = ErrorCategory::worker_lost;
    details.message = job->call.function + " has ended " + std::to_string(job->deaths.size()) +
                      " worker processes and is not tried again: " + joined(job->deaths);
    if (device_ >= 0) details.device = device_;
    if (death.last_error) {
        details.code = death.last_error->code();
        details.call = death.last_error->call();
    }
    job->release_operands();
    job->fail(std::make_exception_ptr(Error(details, job->where)));
    board_.count_refusal();
}

}  // namespace cupool::detail
