#pragma once

/// \file
/// The current device of a thread, for programs that think that way. It is cupool's own notion: choosing a device makes no context current
/// and calls for none, and nothing in cupool looks at it unless it says so.
///
/// It belongs to the thread alone. A new thread has chosen none, also one that a thread which has chosen starts; threads of a pool keep
/// what the last task chose; a coroutine that is resumed on another thread finds that thread's choice. (The CUDA runtime takes device 0
/// where none was chosen, which hides mistakes.)
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
/// inherit_device() wraps a function in such a guard, for std::thread, std::async and thread pools. A
/// coroutine keeps its choice when it changes threads if its awaiter resumes it through
/// inherit_device():
///
///     void await_suspend(std::coroutine_handle<> coroutine) {
///         executor.run(inherit_device([coroutine] { coroutine.resume(); }));
///     }
///
/// The choice then holds until the coroutine suspends again or ends. A DeviceGuard inside a coroutine
/// must not live across a suspension after which another thread resumes the coroutine.

#include <cupool/driver/device_context.hpp>
#include <functional>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace cupool {

/// Chooses the calling thread's device. \throws Error invalid_device where the host's driver shows no such ordinal, no_device,
/// driver_unavailable
void set_device(int ordinal, SourceLocation where = SourceLocation::current());

/// The ordinal that the calling thread has chosen. \throws Error invalid_device where it has chosen none
int get_device(SourceLocation where = SourceLocation::current());

/// The same; nothing where it has chosen none. A DeviceGuard can reinstate the value on another thread.
std::optional<int> try_get_device() noexcept;

/// \throws Error wrong_context, naming both, where the calling thread has chosen another device than this; invalid_device where it has
/// chosen none
void check_device(int ordinal, SourceLocation where = SourceLocation::current());

/// The default context of the calling thread's device. \throws Error what get_device() and DeviceContext::default_for_device() throw
DeviceContext current_device_context(SourceLocation where = SourceLocation::current());

/// Chooses a device for as long as it lives, then goes back to the choice before, or to none. To be destroyed on the thread that made it:
/// elsewhere, as at the end of a coroutine that has changed threads, it leaves both threads' choices as they are, and logs a warning.
class DeviceGuard {
public:
    /// \throws what set_device() throws
    explicit DeviceGuard(int ordinal, SourceLocation where = SourceLocation::current());
    /// Reinstates a choice that try_get_device() returned, usually on another thread. An empty choice
    /// means that the calling thread has chosen no device while the guard lives.
    /// \throws what set_device() throws; nothing where the choice is empty
    explicit DeviceGuard(std::optional<int> choice, SourceLocation where = SourceLocation::current());
    ~DeviceGuard();
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;

private:
    std::optional<int> before_;
    std::thread::id thread_;
};

/// Wraps a function so that it runs with the calling thread's present choice, which may be empty, on
/// whichever thread calls the wrapper. The wrapper forwards its arguments and returns the function's
/// result. It can be copied if the function can, and called from several threads at once if the
/// function can.
/// \return the wrapper. It throws what the function throws. Where the choice cannot be reinstated, it
/// throws what DeviceGuard throws, located at `where`, and does not call the function.
template <class Function>
auto inherit_device(Function function, SourceLocation where = SourceLocation::current()) {
    return [choice = try_get_device(), function = std::move(function),
            where](auto&&... arguments) mutable -> std::invoke_result_t<Function&, decltype(arguments)...> {
        const DeviceGuard guard(choice, where);
        return std::invoke(function, std::forward<decltype(arguments)>(arguments)...);
    };
}

}  // namespace cupool
