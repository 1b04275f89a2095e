#pragma once

#include <atomic>
#include <cupool/driver/detail/process_mark.hpp>
#include <memory>
#include <thread>

namespace cupool::detail {

/// Destroys an object on a thread of its own, for a caller that would otherwise wait for itself. Process exit and library unloading wait
/// for every teardown that has started, because its thread runs code that is unmapped afterwards.
class Teardown {
public:
    using Destroy = void (*)(void* object);

    /// Created together with the object, so that a teardown allocates nothing but its thread.
    Teardown(void* object, Destroy destroy) : object_(object), destroy_(destroy) {}

    /// Starts the teardown and returns. If the system refuses a thread, wait_for_all() destroys the object.
    static void begin(std::unique_ptr<Teardown> teardown) noexcept;
    /// Returns when all teardowns have ended. \pre the calling thread does not serve a pool
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
