#include "process/choose_devices.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cupool/driver/current_device.hpp>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

#ifdef __cpp_impl_coroutine
#include <coroutine>
#endif

namespace cupool::test {

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::cout << "not so: " << what << '\n';
    ++failures;
}

template <class Function>
std::optional<ErrorCategory> category_of(const Function& function) {
    try {
        function();
        return std::nullopt;
    } catch (const Error& error) {
        return error.category();
    }
}

void choose_on_threads() {
    expect(category_of([] { set_device(3); }) == ErrorCategory::invalid_device, "an unknown ordinal is refused");
    expect(!try_get_device(), "a refused choice is none");
    set_device(2);
    expect(get_device() == 2, "a choice holds");
    expect(current_device_context().device() == 2, "the current context is of the chosen device");
    expect(!category_of([] { check_device(2); }), "check_device() accepts the chosen device");
    try {
        check_device(1);
        expect(false, "check_device() refuses another device");
    } catch (const Error& error) {
        expect(error.category() == ErrorCategory::wrong_context, "check_device()'s category");
        expect(error.message().find("device 1") != std::string::npos && error.message().find("device 2") != std::string::npos,
               "check_device() names both devices");
    }
    std::thread([] {
        expect(!try_get_device(), "a new thread has chosen none");
        set_device(0);
    }).join();
    expect(get_device() == 2, "another thread's choice is its own");
}

/// What a thread of a pool sees, which does tasks of many.
void choose_in_tasks() {
    const std::function<void()> tasks[] = {
        [] { expect(!try_get_device(), "a thread's first task finds no choice"); }, [] { set_device(1); },
        [] { expect(get_device() == 1, "a task finds what an earlier one of its thread chose"); }, [] { const DeviceGuard guard(2); },
        [] { expect(get_device() == 1, "a task with a guard leaves the choice as it was"); }};
    std::thread([&] {
        for (const auto& task : tasks) task();
    }).join();
    expect(get_device() == 0, "what tasks choose is not their giver's choice");
}

void choose_with_guards() {
    {
        const DeviceGuard outer(1);
        expect(get_device() == 1, "a guard chooses");
        {
            const DeviceGuard inner(0);
            expect(get_device() == 0, "an inner guard chooses");
        }
        expect(get_device() == 1, "the inner guard's end restores");
        expect(category_of([] { const DeviceGuard unknown(9); }) == ErrorCategory::invalid_device, "a guard refuses an unknown ordinal");
        expect(get_device() == 1, "a refused guard changes nothing");
    }
    expect(get_device() == 2, "the guard's end restores");
    std::thread([] {
        { const DeviceGuard guard(1); }
        expect(!try_get_device(), "a guard's end restores that none was chosen");
    }).join();

    std::optional<DeviceGuard> wandering;
    wandering.emplace(0);
    std::thread([&] {
        set_device(1);
        wandering.reset();
        expect(get_device() == 1, "a guard that ends on another thread leaves that thread's choice");
    }).join();
    expect(get_device() == 0, "a guard that ends on another thread leaves its own thread's choice");
}

/// Runs a function on a new thread that has chosen a device, and expects that choice to be back afterwards.
void run_where_chosen(int ordinal, const std::function<void()>& function) {
    std::thread([&] {
        set_device(ordinal);
        function();
        expect(try_get_device() == ordinal, "a thread has its own choice back once an inherited one ends");
    }).join();
}

void inherit_with_guards() {
    const std::optional<int> parent = try_get_device();
    expect(parent == 2, "the parent has chosen");
    std::thread([parent] {
        {
            const DeviceGuard guard(parent);
            expect(get_device() == 2, "a new thread inherits its parent's choice");
            set_device(1);
        }
        expect(!try_get_device(), "a guard of an inherited choice restores that none was chosen");
    }).join();
    run_where_chosen(1, [parent] {
        const DeviceGuard guard(parent);
        expect(get_device() == 2, "a thread that has chosen a device inherits its parent's choice all the same");
    });
    std::optional<int> none = 0;
    std::thread([&] { none = try_get_device(); }).join();
    run_where_chosen(1, [none] {
        const DeviceGuard guard(none);
        expect(!try_get_device(), "a thread inherits that its parent has chosen none");
    });
    expect(get_device() == 2, "what child threads choose does not change their parent's choice");
}

void inherit_in_functions() {
    auto task = inherit_device([](int offset) { return get_device() + offset; });
    set_device(0);
    run_where_chosen(1,
                     [task]() mutable { expect(task(10) == 12, "a wrapped function runs with the choice that held when it was wrapped"); });
    expect(std::async(std::launch::async, task, 20).get() == 22, "a wrapped function inherits in std::async");
    std::promise<int> seen;
    std::jthread(inherit_device([&seen, owned = std::make_unique<int>(5)] { seen.set_value(get_device() + *owned); })).join();
    expect(seen.get_future().get() == 5, "a function that can only be moved inherits");
    auto failing = inherit_device([] { throw std::out_of_range("of the function"); });
    run_where_chosen(1, [&] {
        try {
            failing();
            expect(false, "a wrapped function's exception is passed on");
        } catch (const std::out_of_range&) {
        }
    });
    set_device(2);
}

/// The line of this file at which a call failed because there is no such device; 0 if it did not.
template <class Function>
int line_of_unknown_device(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        const bool is_here = std::string_view(error.location().file).find("choose_devices") != std::string_view::npos;
        return is_here && error.category() == ErrorCategory::invalid_device ? error.location().line : 0;
    }
    return 0;
}

void inherit_unknown_device() {
    const std::optional<int> unknown = 9;
    const int guarded = line_of_unknown_device([unknown] { const DeviceGuard guard(unknown); });
    expect(guarded == __LINE__ - 1, "a guard of an unknown device fails at the line that makes it");
    expect(get_device() == 2, "a guard that fails leaves the thread's choice as it was");
}

/// A forked child cannot reinstate a device, as it cannot use the driver.
void inherit_across_a_fork() {
    auto task = inherit_device([] {});
    const int wrapped = __LINE__ - 1;
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            task();
        } catch (const Error& error) {
            std::_Exit(error.category() == ErrorCategory::forked && error.location().line == wrapped ? 0 : 1);
        }
        std::_Exit(1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    expect(status == 0, "a wrapped function that cannot be given its device fails at the line that wrapped it");
}

#ifdef __cpp_impl_coroutine

struct Routine {
    struct promise_type {
        Routine get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

Routine choose_and_look_again() {
    set_device(1);
    co_await std::suspend_always{};
    expect(get_device() == 2, "a coroutine resumed on another thread finds that thread's choice");
}

void choose_in_a_coroutine() {
    const Routine routine = choose_and_look_again();
    expect(get_device() == 1, "a coroutine chooses for the thread that runs it");
    std::thread([&] {
        set_device(2);
        routine.handle.resume();
    }).join();
    routine.handle.destroy();
}

/// Resumes the coroutine on a new thread that has chosen a device of its own, until it suspends again.
struct ResumeOnNewThread {
    int device_of_thread;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) const {
        run_where_chosen(device_of_thread, inherit_device([coroutine] { coroutine.resume(); }));
    }
    void await_resume() const noexcept {}
};

Routine choose_and_move_on() {
    // Not std::this_thread::get_id(): pthread_self() is declared const, so Clang keeps its answer over the suspension.
    const pid_t first = ::gettid();
    co_await ResumeOnNewThread{1};
    expect(::gettid() != first, "a coroutine is resumed on another thread");
    expect(get_device() == 2, "a coroutine keeps its choice on the thread that its awaiter resumes it on");
    set_device(0);
    co_await ResumeOnNewThread{1};
    expect(get_device() == 0, "a coroutine takes a new choice along to the next thread");
}

void inherit_in_a_coroutine() {
    const Routine routine = choose_and_move_on();
    expect(routine.handle.done(), "the coroutine has ended");
    expect(get_device() == 2, "what a coroutine chooses on other threads does not change the first thread's choice");
    routine.handle.destroy();
}

#else

void choose_in_a_coroutine() {}
void inherit_in_a_coroutine() {}

#endif

}  // namespace

int choose_devices() {
    choose_on_threads();
    choose_with_guards();
    choose_in_tasks();
    choose_in_a_coroutine();
    set_device(2);
    inherit_with_guards();
    inherit_in_functions();
    inherit_unknown_device();
    inherit_across_a_fork();
    inherit_in_a_coroutine();
    return failures == 0 ? 0 : 1;
}

}  // namespace cupool::test
