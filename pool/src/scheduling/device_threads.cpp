#include "scheduling/device_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/error.hpp>
#include <cupool/driver/log.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace cupool::detail {

namespace {

double steady_microseconds() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The minimum and maximum time, in microseconds, after which an idle thread looks again for tasks to take over.
constexpr double min_wait = 1e3;
constexpr double max_wait = 1e6;

}  // namespace

DeviceThreads::DeviceThreads(std::size_t members, Hooks hooks)
    : hooks_(std::move(hooks)),
      queues_(
          members,
          [this](std::size_t from, std::size_t to) {
              members_[to]->changed.notify_one();
              hooks_.on_move(from, to);
          },
          steady_microseconds) {
    for (std::size_t i = 0; i < members; ++i) members_.push_back(std::make_unique<Member>());
}

void DeviceThreads::set_balancer(LoadBalancer& balancer) {
    const std::lock_guard lock(mutex_);
    queues_.set_balancer(balancer);
}

void DeviceThreads::post(std::size_t member, QueuedTask task) {
    const std::lock_guard lock(mutex_);
    start(member);
    const bool must_wait = queues_.is_at_work(member) || queues_.has_waiting(member);
    const bool may_move = task.lease != nullptr && queues_.may_move();
    queues_.push(member, std::move(task));
    members_[member]->changed.notify_one();
    if (must_wait && may_move) wake_idle();
}

void DeviceThreads::redistribute(std::size_t member) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        if (!queues_.has_movable(member)) return;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (queues_.may_take_over(i)) try_start(i);
        }
        queues_.redistribute(member);
    } catch (const std::exception& error) {
        log(LogLevel::warning, "pool: work stays with a quarantined device:");
        log(LogLevel::warning, error.what());
    }
    wake_all();
}

void DeviceThreads::look_again() noexcept {
    const std::lock_guard lock(mutex_);
    wake_idle();
}

void DeviceThreads::do_waiting() {
    for (std::size_t member = 0; member < members_.size(); ++member) {
        while (true) {
            std::optional<QueuedTask> task;
            {
                const std::lock_guard lock(mutex_);
                task = queues_.remove_oldest(member);
            }
            if (!task) break;
            task->run(member);
        }
    }
}

void DeviceThreads::finish() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        wake_all();
    }
    for (const auto& member : members_) {
        if (member->thread.joinable()) member->thread.join();
    }
}

/// \pre the lock is held
void DeviceThreads::start(std::size_t member) {
    std::thread& thread = members_[member]->thread;
    if (thread.joinable()) return;
    try {
        thread = std::thread([this, member] { serve(member); });
        queues_.serve(member);
    } catch (const std::system_error& error) {
        throw Error(ErrorCategory::io, std::string("the system gives the pool no thread: ") + error.what());
    }
}

bool DeviceThreads::try_start(std::size_t member) noexcept {
    try {
        start(member);
        return true;
    } catch (const std::exception& error) {
        log(LogLevel::debug, "pool: a device without a thread takes no work over:");
        log(LogLevel::debug, error.what());
        return false;
    }
}

/// Lets idle members look for tasks to take over. \pre the lock is held
void DeviceThreads::wake_idle() noexcept {
    try {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (queues_.has_waiting(i) || !queues_.may_take_over(i)) continue;
            if (try_start(i) && members_[i]->is_idle) members_[i]->changed.notify_one();
        }
    } catch (const std::exception&) {
        wake_all();  // no memory to find out which members may take over
    }
}

void DeviceThreads::wake_all() noexcept {
    for (const auto& member : members_) member->changed.notify_one();
}

void DeviceThreads::serve(std::size_t member) {
    hooks_.prepare(member);
    std::unique_lock lock(mutex_);
    while (true) {
        open_for_takeover(lock, member);
        std::optional<QueuedTask> task = next(member);
        if (task) {
            if (queues_.has_waiting(member)) wake_idle();
            lock.unlock();
            const bool succeeded = task->run(member);
            task.reset();
            lock.lock();
            queues_.end(member);
            queues_.set_works(member, succeeded);
            if (closed_) wake_all();
            continue;
        }
        if (closed_ && queues_.is_empty()) return;
        wait(lock, member);
    }
}

/// Finds out whether a member's device works before it takes over tasks of others. \pre the lock is held; it is released meanwhile
void DeviceThreads::open_for_takeover(std::unique_lock<std::mutex>& lock, std::size_t member) {
    Member& self = *members_[member];
    try {
        if (queues_.works(member) || queues_.has_waiting(member) || !queues_.may_take_over(member)) return;
    } catch (const std::exception&) {  // no memory to find out
        return;
    }
    if (steady_microseconds() < self.opens_again) return;
    lock.unlock();
    const bool can = hooks_.can_take_over(member);
    lock.lock();
    queues_.set_works(member, can);
    self.opens_again = steady_microseconds() + max_wait;
}

/// \pre the lock is held
std::optional<QueuedTask> DeviceThreads::next(std::size_t member) {
    try {
        return queues_.next(member);
    } catch (const std::exception&) {  // no memory to choose
        return queues_.pop(member);
    }
}

/// The time until an idle member looks again for tasks although nobody wakes it: its device, or the policy, may have changed.
/// \pre the lock is held
double DeviceThreads::time_to_wait(std::size_t member) const {
    try {
        const std::optional<double> retry = queues_.works(member) ? queues_.retry_time(member) : std::nullopt;
        return retry ? std::clamp(*retry - steady_microseconds(), min_wait, max_wait) : max_wait;
    } catch (const std::exception&) {  // no memory to choose
        return max_wait;
    }
}

void DeviceThreads::wait(std::unique_lock<std::mutex>& lock, std::size_t member) {
    Member& self = *members_[member];
    self.is_idle = true;
    if (queues_.is_empty()) {
        self.changed.wait(lock);
    } else {
        self.changed.wait_for(lock, std::chrono::duration<double, std::micro>(time_to_wait(member)));
    }
    self.is_idle = false;
}

}  // namespace cupool::detail
