#include "threaded_scheduler.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "fault_plan.hpp"

namespace cupool::simulator {

void ThreadedScheduler::block_until_done(const Operations& operations) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return are_done(operations); });
}

void ThreadedScheduler::pass_call(Time slowness) {
    if (slowness > Time{0}) {
        std::this_thread::sleep_for(slowness);
    }
}

void ThreadedScheduler::start(const OperationPointer& operation) {
    ready_.push_back(operation);
    if (ready_.size() > idle_threads_) {
        std::thread([this] { serve(); }).detach();
    }
    became_ready_.notify_one();
}

Time ThreadedScheduler::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

void ThreadedScheduler::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_threads_;
        became_ready_.wait(lock, [&] { return !ready_.empty(); });
        --idle_threads_;
        const OperationPointer operation = std::move(ready_.front());
        ready_.pop_front();
        lock.unlock();
        perform(*operation, 0);
        pass_call(planned_slowness(operation->work).more);
        lock.lock();
        finish(operation);
    }
}

}  // namespace cupool::simulator
