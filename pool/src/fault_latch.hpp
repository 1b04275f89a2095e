#pragma once

#include <atomic>
#include <cupool/driver/error.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace cupool::detail {

/// Whether no GPU of the process works after this failure. A device that cannot be opened because of a memory error affects no other
/// device.
inline bool poisons_process(const Error& error) {
    if (error.category() != ErrorCategory::device_fault) return false;
    return error.call() != "cuDevicePrimaryCtxRetain" || !error.code() || is_sticky(*error.code());
}

/// Keeps the first device fault. A device fault makes every GPU of the process unusable, so later calls fail at once, without a driver
/// call. Thread-safe.
class FaultLatch {
public:
    /// Latches the failure if it is a device fault.
    void note(const Error& error) {
        if (!poisons_process(error)) return;
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = error;
        latched_.store(true, std::memory_order_release);
    }

    bool is_latched() const { return latched_.load(std::memory_order_acquire); }

    std::optional<Error> fault() const {
        const std::lock_guard lock(mutex_);
        return first_;
    }

    /// \throws Error device_fault, naming the first fault's device, call, code and line
    void check() const {
        if (is_latched()) [[unlikely]] {
            throw_fault();
        }
    }

private:
    [[noreturn]] void throw_fault() const {
        const Error first = fault().value();
        ErrorDetails details;
        details.category = ErrorCategory::device_fault;
        details.message = "no GPU can be used by this process any more, so start a new process; the first failure was at " +
                          std::string(first.location().file) + ":" + std::to_string(first.location().line);
        if (!first.message().empty()) details.message += ": " + first.message();
        details.code = first.code();
        details.call = first.call();
        details.device = first.device();
        throw Error(std::move(details));
    }

    std::atomic<bool> latched_{false};
    mutable std::mutex mutex_;
    std::optional<Error> first_;
};

}  // namespace cupool::detail
