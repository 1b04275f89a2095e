#pragma once

/// \file
/// The current device of a thread, for programs that think that way. It is cupool's own notion: choosing a device makes no context current
/// and calls for none, and nothing in cupool looks at it unless it says so.
///
/// It belongs to the thread alone. A new thread has chosen none, also one that a thread which has chosen starts; threads of a pool keep
/// what the last task chose; a coroutine that is resumed on another thread finds that thread's choice. (The CUDA runtime takes device 0
/// where none was chosen, which hides mistakes.)

#include <cupool/driver/device_context.hpp>
#include <optional>
#include <thread>

namespace cupool {

/// Chooses the calling thread's device. \throws Error invalid_device where the host's driver shows no such ordinal, no_device,
/// driver_unavailable
void set_device(int ordinal, SourceLocation where = SourceLocation::current());

/// The ordinal that the calling thread has chosen. \throws Error invalid_device where it has chosen none
int get_device(SourceLocation where = SourceLocation::current());

/// The same; nothing where it has chosen none.
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
    ~DeviceGuard();
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;

private:
    std::optional<int> before_;
    std::thread::id thread_;
};

}  // namespace cupool
