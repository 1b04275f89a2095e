#pragma once

#include <atomic>
#include <cupool/driver/detail/process_mark.hpp>
#include <memory>
#include <thread>

namespace cupool::detail {

/// Takes an object down on a thread of its own, for a caller that would wait for itself. When the process exits, or the library is
/// unloaded, every teardown that has begun is waited for: its thread runs code that is gone afterwards.
class Teardown {
public:
    using Destroy = void (*)(void* object);

    /// Made together with the object, so that a teardown needs no memory but its thread's.
    Teardown(void* object, Destroy destroy) : object_(object), destroy_(destroy) {}

    /// Begins the teardown and returns. Where the system gives no thread, the object goes when teardowns are waited for.
    static void begin(std::unique_ptr<Teardown> teardown) noexcept;
    /// Returns when all have ended. \pre the calling thread does not serve a pool
    static void wait_for_all() noexcept;

private:
    void push() noexcept;
    void finish() noexcept;
    static void join_ended() noexcept;

    void* object_;
    Destroy destroy_;
    std::thread thread_;
    std::atomic<bool> has_ended_{false};
    ProcessMark process_;
    Teardown* next_ = nullptr;
};

}  // namespace cupool::detail
