#pragma once

#include <utility>

#include "api/entry_point.hpp"
#include "api/failure.hpp"

namespace cupool::simulator {

/// What is decided about a call before it does anything.
struct Admission {
    bool runs;
    /// The answer whatever the call itself comes to; success leaves the answer to the call.
    abi::Status status;
};

/// Counts the call, and asks in turn: a forked child, planned faults, the driver's version, initialisation, host functions (which may not
/// call the driver), and the device fault.
Admission admit(EntryPoint entry_point, int device);

/// Tells the trace.
void report(EntryPoint entry_point, abi::Status result) noexcept;

/// For calls that name no device: they are for that of the current context.
inline constexpr int current_device = -1;

/// The frame of every exported function: `body` does the work and fails by a Failure. `device` is the one that the call is for.
template <typename Body>
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

template <typename Body>
abi::Status handle_call(EntryPoint entry_point, Body&& body) noexcept {
    return handle_call(entry_point, current_device, std::forward<Body>(body));
}

}  // namespace cupool::simulator
