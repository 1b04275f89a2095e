#include "scheduling/threaded_scheduler.hpp"

#include <chrono>
#include <thread>

#include "faults/fault_plan.hpp"

namespace cupool::simulator {

void ThreadedScheduler::block_until_done(const Operations& operations) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return are_done(operations); });
}

void ThreadedScheduler::pass_call(Time slowdown) {
    if (slowdown > Time{0}) {
        std::this_thread::sleep_for(slowdown);
    }
}

void ThreadedScheduler::reserve_for_one_more() {
    if (ready_.size() >= idle_threads_) {
        add_thread();
    }
}

// Without its own thread the operation must not run, since it might wait for an operation that waits for its thread. After the fault it
// does nothing, so any idle thread can finish it.
void ThreadedScheduler::start(const OperationPointer& operation) noexcept {
    ready_.push(operation);
    became_ready_.notify_one();
    if (ready_.size() > idle_threads_) {
        try {
            add_thread();
        } catch (...) {
            raise_fault_of(*operation);
        }
    }
}

void ThreadedScheduler::add_thread() {
    std::thread([this] { serve(); }).detach();
    ++idle_threads_;
}

Time ThreadedScheduler::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

void ThreadedScheduler::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        became_ready_.wait(lock, [&] { return !ready_.empty(); });
        --idle_threads_;
        const OperationPointer operation = ready_.pop();
        lock.unlock();
        perform(*operation, 0);
        pass_call(planned_slowdown(operation->work).extra);
        lock.lock();
        ++idle_threads_;
        finish(operation);
    }
}

}  // namespace cupool::simulator
