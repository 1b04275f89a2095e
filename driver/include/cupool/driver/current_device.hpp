#pragma once

/// \file
/// The current device of a thread, for programs that use the concept. It is a concept of cupool
/// alone: the choice of a device neither creates a context nor makes one current, and no function
/// of cupool uses it unless its description says so.
///
/// Each thread has its own choice. A new thread has chosen no device, even if its parent has; a
/// thread of a thread pool keeps the choice of the last task; a coroutine that another thread
/// resumes finds the choice of that thread. (The CUDA runtime uses device 0 without a choice, which
/// hides mistakes.)
///
/// A child thread or task can inherit its parent's choice. try_get_device() returns the choice as a
/// plain value, which may be empty. A DeviceGuard made from that value on another thread reinstates
/// the choice there, and restores that thread's own choice when it is destroyed:
///
///     std::thread child([parent = try_get_device()] {
///         const DeviceGuard guard(parent);
///         ...
///     });
///
/// inherit_device() wraps a function in such a guard, for std::thread, std::async and thread pools.
/// A coroutine keeps its choice when it changes threads if its awaiter resumes it through
/// inherit_device():
///
///     void await_suspend(std::coroutine_handle<> coroutine) {
///         executor.run(inherit_device([coroutine] { coroutine.resume(); }));
///     }
///
/// The choice then holds until the coroutine suspends again or ends. A DeviceGuard inside a
/// coroutine must not live across a suspension after which another thread resumes the coroutine.

#include <cupool/driver/device_context.hpp>
#include <functional>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace cupool {

/// Chooses the device of the calling thread. \throws Error invalid_device if the system's driver
/// lists no such ordinal, no_device, driver_unavailable
void set_device(int ordinal, SourceLocation where = SourceLocation::current());

/// The ordinal that the calling thread has chosen. \throws Error invalid_device if it has chosen
/// none
int get_device(SourceLocation where = SourceLocation::current());

/// The same; nullopt if it has chosen none. A DeviceGuard can reinstate the value on another
/// thread.
std::optional<int> try_get_device() noexcept;

/// Checks that the calling thread has chosen this device. \throws Error wrong_context, which names
/// both, if it has chosen another device; invalid_device if it has chosen none
void check_device(int ordinal, SourceLocation where = SourceLocation::current());

/// The default context of the device of the calling thread. \throws Error what get_device() and
/// DeviceContext::default_for_device() throw
DeviceContext current_device_context(SourceLocation where = SourceLocation::current());

/// Chooses a device for a scope and then restores the previous choice, or none. It must be
/// destroyed on the thread that constructed it: elsewhere, as at the end of a coroutine that has
/// changed threads, it leaves the choices of both threads unchanged and logs a warning.
class DeviceGuard {
public:
    /// \throws what set_device() throws
    explicit DeviceGuard(int ordinal, SourceLocation where = SourceLocation::current());
    /// Reinstates a choice that try_get_device() returned, usually on another thread. An empty
    /// choice means that the calling thread has chosen no device while the guard lives.
    /// \throws what set_device() throws; nothing if the choice is empty
    explicit DeviceGuard(std::optional<int> choice, SourceLocation where = SourceLocation::current());
    ~DeviceGuard();
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;

private:
    std::optional<int> before_;
    std::thread::id thread_;
};

/// Wraps a function so that it runs with the calling thread's present choice, which may be empty,
/// on whichever thread calls the wrapper. The wrapper forwards its arguments and returns the
/// function's result. It can be copied if the function can, and called from several threads at once
/// if the function can.
/// \return the wrapper. It throws what the function throws. If the choice cannot be reinstated, it
/// throws what DeviceGuard throws, with the location `where`, and does not call the function.
template <class Function>
auto inherit_device(Function function, SourceLocation where = SourceLocation::current()) {
    return [choice = try_get_device(), function = std::move(function),
            where](auto&&... arguments) mutable -> std::invoke_result_t<Function&, decltype(arguments)...> {
        const DeviceGuard guard(choice, where);
        return std::invoke(function, std::forward<decltype(arguments)>(arguments)...);
    };
}

}  // namespace cupool
