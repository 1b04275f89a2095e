#include "worker.hpp"

#include <unistd.h>

#include <condition_variable>
#include <cupool/driver/error.hpp>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

namespace cupool::detail {

struct Worker::Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Task> tasks;
    bool closed = false;
};

Worker::Worker(Task prepare) : queue_(std::make_shared<Queue>()), prepare_(std::move(prepare)), process_(::getpid()) {}

void Worker::post(Task task) {
    if (process_ != ::getpid()) {
        throw Error(ErrorCategory::forked,
                    "the pool was made before this process was forked, and its threads stayed in the parent; make a new pool");
    }
    const std::lock_guard lock(queue_->mutex);
    queue_->tasks.push_back(std::move(task));
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread(serve, queue_, prepare_);
        } catch (const std::system_error& error) {
            queue_->tasks.pop_back();
            throw Error(ErrorCategory::io, std::string("the system gives the pool no thread: ") + error.what());
        } catch (...) {  // no memory: what was refused must not be done later
            queue_->tasks.pop_back();
            throw;
        }
    }
    queue_->changed.notify_one();
}

void Worker::do_waiting() {
    if (process_ != ::getpid()) return;
    while (true) {
        Task task;
        {
            const std::lock_guard lock(queue_->mutex);
            if (queue_->tasks.empty()) return;
            task = std::move(queue_->tasks.front());
            queue_->tasks.pop_front();
        }
        task();
    }
}

void Worker::finish() {
    if (!thread_.joinable()) return;
    if (process_ != ::getpid()) {
        // The thread stayed in the parent. A std::thread that is destroyed unjoined ends the process: this one is never destroyed.
        new std::thread(std::move(thread_));
        return;
    }
    {
        const std::lock_guard lock(queue_->mutex);
        queue_->closed = true;
    }
    queue_->changed.notify_one();
    thread_.join();
}

void Worker::serve(const std::shared_ptr<Queue>& queue, const Task& prepare) {
    prepare();
    while (true) {
        Task task;
        {
            std::unique_lock lock(queue->mutex);
            queue->changed.wait(lock, [&] { return queue->closed || !queue->tasks.empty(); });
            if (queue->tasks.empty()) return;
            task = std::move(queue->tasks.front());
            queue->tasks.pop_front();
        }
        task();
    }
}

}  // namespace cupool::detail
