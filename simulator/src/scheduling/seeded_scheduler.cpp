#include "scheduling/seeded_scheduler.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <thread>

#include <unistd.h>

#include "faults/fault_plan.hpp"

namespace cupool::simulator {
namespace {

using std::chrono::milliseconds;

// Real time is counted in ticks, so that a process that is not scheduled for a while is not mistaken for an idle host.
constexpr milliseconds tick{25};
constexpr int max_quiet_ticks = 10;

// Most calls take a microsecond or two; occasionally the host is delayed for long.
Time duration_of_call(ptx::Random& random) {
    const bool held_up = random.below(16) == 0;
    return Time(200 + random.below(held_up ? 100'000 : 2'000));
}

// Log-uniform between a microsecond and a quarter of a millisecond, so that two unordered operations run in either order.
Time latency_of_start(ptx::Random& random) {
    const std::uint64_t most = std::uint64_t{1000} << random.below(9);
    return Time(most / 2 + random.below(most / 2));
}

Time slowed(Time duration, const Slowdown& slowdown) {
    return Time(static_cast<Time::rep>(static_cast<double>(duration.count()) * slowdown.factor)) + slowdown.extra;
}

Time vary(Time duration, ptx::Random& random) {
    const auto count = static_cast<std::uint64_t>(duration.count());
    return duration + Time(random.below(count / 4 + 100));
}

}  // namespace

void SeededScheduler::begin(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    random_ = ptx::Random(seed);
    clock_ = host_clock_ = Time{0};
    steps_made_ = 0;
    busy_until_ = {};
    log_.clear();
    is_log_incomplete_ = false;
}

void SeededScheduler::block_until_done(const Operations& operations) {
    Lock lock(mutex_);
    if (are_done(operations)) {
        return;
    }
    ++calls_;
    Waiting waiting{&operations, waiting_};
    waiting_ = &waiting;
    changed_.notify_all();
    changed_.wait(lock, [&] { return are_done(operations); });
    Waiting** link = &waiting_;
    while (*link != &waiting) {
        link = &(*link)->next;
    }
    *link = waiting.next;
}

void SeededScheduler::pass_call(Time slowdown) {
    Lock lock(mutex_);
    ++calls_;
    const Time until = clock_ + duration_of_call(random_) + slowdown;
    host_clock_ = std::max(host_clock_, until);
    if (is_due()) {
        changed_.notify_all();
    }
    changed_.wait(lock, [&] { return !is_running_ && !is_due(); });
    clock_ = std::max(clock_, until);
}

void SeededScheduler::note(std::initializer_list<std::string_view> pieces) noexcept {
    const std::lock_guard lock(mutex_);
    write(pieces);
}

std::string SeededScheduler::log() {
    const std::lock_guard lock(mutex_);
    return is_log_incomplete_ ? log_ + "incomplete: there was no memory for some lines\n" : log_;
}

void SeededScheduler::reserve_for_one_more() {
    ensure_worker();
    if (agenda_.capacity() <= unfinished_) {
        agenda_.reserve(2 * unfinished_ + 1);
    }
}

void SeededScheduler::start(const OperationPointer& operation) noexcept {
    add_step(clock_ + latency_of_start(random_), operation, false);
    changed_.notify_all();
}

void SeededScheduler::ensure_worker() {
    if (worker_process_ != getpid()) {
        std::thread([this] { serve(); }).detach();
        worker_process_ = getpid();
    }
}

void SeededScheduler::serve() {
    Lock lock(mutex_);
    while (true) {
        wait_for_a_step(lock);
        take_step(lock);
        changed_.notify_all();
    }
}

// Waits until the host needs a step or is idle.
void SeededScheduler::wait_for_a_step(Lock& lock) {
    changed_.wait(lock, [&] { return !agenda_.empty(); });
    while (!is_asked_for()) {
        quiet_ticks_ = calls_ == calls_seen_ ? quiet_ticks_ : 0;
        calls_seen_ = calls_;
        if (quiet_ticks_ == max_quiet_ticks) {
            return;
        }
        ++quiet_ticks_;
        changed_.wait_for(lock, tick, [&] { return is_asked_for(); });
    }
}

bool SeededScheduler::is_asked_for() const { return is_due() || (is_awaited() && !agenda_.empty()); }

bool SeededScheduler::is_due() const { return !agenda_.empty() && agenda_.front().time <= host_clock_; }

bool SeededScheduler::is_awaited() const {
    const Waiting* waiting = waiting_;
    while (waiting != nullptr && are_done(*waiting->operations)) {
        waiting = waiting->next;
    }
    return waiting != nullptr;
}

void SeededScheduler::take_step(Lock& lock) {
    std::pop_heap(agenda_.begin(), agenda_.end(), std::greater<>());
    const Step step = std::move(agenda_.back());
    agenda_.pop_back();
    clock_ = std::max(clock_, step.time);
    if (step.ends) {
        finish(step.operation);
        return;
    }
    const Work& work = step.operation->work;
    const Time free = work.kind == Work::Kind::kernel ? busy_until_[static_cast<std::size_t>(work.device)] : Time{0};
    if (free > clock_) {
        add_step(free, step.operation, false);
    } else {
        run(step.operation, lock);
    }
}

void SeededScheduler::run(const OperationPointer& operation, Lock& lock) {
    const std::uint64_t seed = random_.next() | 1;
    const Work& work = operation->work;
    write({"device ", std::to_string(work.device), " stream ", std::to_string(work.stream), " starts ",
           work.kind == Work::Kind::kernel ? "kernel " : "", work.name});
    is_running_ = true;
    if (work.kind == Work::Kind::host_function) {
        run_host_function(operation, seed, lock);
    } else {
        lock.unlock();
        const Time duration = perform(*operation, seed);
        lock.lock();
        end_later(operation, duration);
    }
    is_running_ = false;
}

// Runs on a separate thread, since it may wait for the host, which may wait for other operations.
void SeededScheduler::run_host_function(const OperationPointer& operation, std::uint64_t seed, Lock& lock) {
    std::shared_ptr<bool> returned;
    try {
        returned = std::make_shared<bool>(false);
        std::thread([this, operation, seed, returned] {
            const Time duration = perform(*operation, seed);
            const std::lock_guard relock(mutex_);
            *returned = true;
            end_later(operation, duration);
            changed_.notify_all();
        }).detach();
    } catch (...) {
        raise_fault_of(*operation);
        end_later(operation, Time{0});
        return;
    }
    for (int ticks = 0; ticks < max_quiet_ticks && !*returned; ++ticks) {
        changed_.wait_for(lock, tick, [&] { return *returned; });
    }
}

void SeededScheduler::end_later(const OperationPointer& operation, Time duration) {
    const Slowdown slowdown = planned_slowdown(operation->work);
    const Time lasts = vary(slowed(duration, slowdown), random_);
    if (operation->work.kind == Work::Kind::kernel) {
        busy_until_[static_cast<std::size_t>(operation->work.device)] = clock_ + lasts;
    }
    add_step(clock_ + lasts, operation, true);
}

void SeededScheduler::add_step(Time time, const OperationPointer& operation, bool ends) noexcept {
    agenda_.push_back({time, steps_made_++, operation, ends});
    std::push_heap(agenda_.begin(), agenda_.end(), std::greater<>());
}

void SeededScheduler::write(std::initializer_list<std::string_view> pieces) noexcept {
    try {
        std::string line = std::to_string(clock_.count()) + " ns: ";
        for (const std::string_view piece : pieces) {
            line += piece;
        }
        log_ += line += '\n';
    } catch (const std::bad_alloc&) {
        is_log_incomplete_ = true;
    }
}

// Never destroyed: its threads may outlive main().
SeededScheduler& seeded_scheduler() {
    static auto* const instance = new SeededScheduler;
    return *instance;
}

}  // namespace cupool::simulator
