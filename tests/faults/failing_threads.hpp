#pragma once

#include <cstdint>

namespace cupool::test {

/// Which threads the system refuses: those that this executable's code starts, outside calls of the driver (InDriver).
class FailingThreads {
public:
    enum class Duration { once, for_ever };

    /// From now to the object's end the nth creation of a thread fails with EAGAIN, counted from 1, or that and all after it.
    FailingThreads(std::uint64_t nth, Duration duration);
    ~FailingThreads();
    FailingThreads(const FailingThreads&) = delete;
    FailingThreads& operator=(const FailingThreads&) = delete;

    /// Whether there have been as many.
    static bool has_failed();
};

}  // namespace cupool::test
