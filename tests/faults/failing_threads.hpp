#pragma once

#include <cstdint>

namespace cupool::test {

/// Which threads the system refuses. The pthread_create of this executable, which the simulated driver's library uses too, knows the
/// driver's threads by InDriver.
class FailingThreads {
public:
    enum class Duration { once, for_ever };

    /// Whose threads are refused, and count: those that the program's code starts, or those that the driver's calls start.
    enum class Whose { program, driver };

    /// From now to the object's end the nth creation of a thread fails with EAGAIN, counted from 1, or that and all after it.
    FailingThreads(std::uint64_t nth, Duration duration, Whose whose = Whose::program);
    ~FailingThreads();
    FailingThreads(const FailingThreads&) = delete;
    FailingThreads& operator=(const FailingThreads&) = delete;

    /// Whether there have been as many.
    static bool has_failed();
};

}  // namespace cupool::test
