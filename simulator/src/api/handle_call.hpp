#pragma once

#include <utility>

#include "api/entry_point.hpp"
#include "api/failure.hpp"

namespace cupool::simulator {

/// What admit() decides about a call before its implementation runs.
struct Admission {
    bool runs;
    /// Overrides the status of the implementation unless it is success.
    abi::Status status;
};

/// Counts the call and checks, in this order: whether this process is a forked child, the driver's version, planned faults,
/// initialisation, whether the thread is in a host function (which may not call the driver), and the device fault.
Admission admit(EntryPoint entry_point, int device);

/// Reports the finished call to the trace and the replay log.
void report(EntryPoint entry_point, abi::Status result) noexcept;

/// For calls that name no device: the device of the current context.
inline constexpr int current_device = -1;

/// Runs an exported function: admits the call, runs `body`, which reports errors by throwing Failure, and returns the resulting CUresult.
/// `device` is the device that the call addresses.
template <class Body>
abi::Status handle_call(EntryPoint entry_point, int device, Body&& body) noexcept {
    abi::Status result = abi::Status::success;
    try {
        const Admission admission = admit(entry_point, device);
        result = admission.status;
        if (admission.runs) {
            body();
        }
    } catch (...) {
        const abi::Status failure = status_of_current_exception();
        result = result == abi::Status::success ? failure : result;
    }
    report(entry_point, result);
    return result;
}

template <class Body>
abi::Status handle_call(EntryPoint entry_point, Body&& body) noexcept {
    return handle_call(entry_point, current_device, std::forward<Body>(body));
}

}  // namespace cupool::simulator
