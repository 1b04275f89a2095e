#include "choose_devices.hpp"

#include <cupool/driver/current_device.hpp>
#include <functional>
#include <iostream>
#include <optional>
#include <thread>

#if defined(__GNUC__) && !defined(__clang__)
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

#if defined(__GNUC__) && !defined(__clang__)

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

#else

void choose_in_a_coroutine() {}

#endif

}  // namespace

int choose_devices() {
    choose_on_threads();
    choose_with_guards();
    choose_in_tasks();
    choose_in_a_coroutine();
    return failures == 0 ? 0 : 1;
}

}  // namespace cupool::test
