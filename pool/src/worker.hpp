#pragma once

#include <functional>
#include <memory>
#include <thread>

#include <sys/types.h>

namespace cupool::detail {

/// A thread that does tasks one after another, in the order given. It starts with the first one. Safe from any thread.
class Worker {
public:
    using Task = std::function<void()>;

    /// \param prepare  called first on the thread; must not throw
    explicit Worker(Task prepare);
    ~Worker() { finish(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// \param task  must not throw
    /// \throws Error forked in a child of the process that made the worker, whose threads are not there; io where the system gives no
    /// thread
    void post(Task task);

    /// Does the tasks that wait, on the calling thread, where they need not wait for the one that the worker is at.
    void do_waiting();

    /// Returns when all tasks are done and the thread has ended; not to be called by a task of its own. No task may be posted afterwards.
    /// In a child of the process that made the worker it does nothing.
    void finish();

private:
    struct Queue;

    static void serve(const std::shared_ptr<Queue>& queue, const Task& prepare);

    std::shared_ptr<Queue> queue_;
    Task prepare_;
    std::thread thread_;
    pid_t process_;
};

}  // namespace cupool::detail
