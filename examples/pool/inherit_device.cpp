// Child threads, tasks and a coroutine inherit the current device of their parent.

#include <cupool/cupool.hpp>

#include <coroutine>
#include <exception>
#include <future>
#include <iostream>
#include <thread>
#include <vector>

namespace {

/// Sums 1 to 1000 on the current device of the calling thread. \return that device
int sum_on_current_device() {
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[static_cast<std::size_t>(i)] = i + 1;
    int sum = 0;
    const cupool::DeviceContext context = cupool::current_device_context();
    cupool::reduce<int>(cupool::Operand<int>(std::span<const int>(numbers)), cupool::ReduceOperation::sum, context, sum);
    if (sum != 500'500) throw cupool::Error(cupool::ErrorCategory::internal, "the sum is wrong");
    return context.device();
}

/// A coroutine that starts at once and delivers its result through a future.
struct Task {
    struct promise_type {
        std::promise<int> result;

        Task get_return_object() { return {result.get_future()}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_value(int value) { result.set_value(value); }
        void unhandled_exception() { result.set_exception(std::current_exception()); }
    };
    std::future<int> result;
};

/// Resumes the awaiting coroutine on a new thread, with the current device of the coroutine.
struct OnNewThread {
    std::vector<std::jthread>& threads;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) {
        threads.emplace_back(cupool::inherit_device([coroutine] { coroutine.resume(); }));
    }
    void await_resume() const noexcept {}
};

Task sum_on_other_thread(std::vector<std::jthread>& threads) {
    co_await OnNewThread{threads};
    co_return sum_on_current_device();
}

}  // namespace

int main() {
    try {
        const auto pool = cupool::DevicePool::all();
        const int chosen = pool.devices().back();
        cupool::set_device(chosen);
        std::cout << "the parent has chosen device " << chosen << '\n';
        bool all_inherit = true;
        const auto report = [&](const char* who, int device) {
            std::cout << who << " summed on device " << device << '\n';
            all_inherit = all_inherit && device == chosen;
        };

        std::packaged_task<int()> child([parent = cupool::try_get_device()] {
            const cupool::DeviceGuard guard(parent);  // without it the thread has no current device
            return sum_on_current_device();
        });
        std::future<int> of_child = child.get_future();
        const std::jthread thread(std::move(child));
        report("a child thread", of_child.get());

        report("an asynchronous task", std::async(std::launch::async, cupool::inherit_device(sum_on_current_device)).get());

        const auto on_worker = [](const cupool::DeviceContext&) { return sum_on_current_device(); };
        report("a task on the first worker of a pool", pool.submit_at(0, cupool::inherit_device(on_worker)).get());

        std::vector<std::jthread> threads;
        report("a coroutine on another thread", sum_on_other_thread(threads).result.get());
        return all_inherit ? 0 : 1;
    } catch (const cupool::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
