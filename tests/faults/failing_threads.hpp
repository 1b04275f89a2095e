#pragma once

#include <cstdint>

namespace cupool::test {

/// Makes the creation of threads fail. The pthread_create of this executable, which the simulated driver's library uses too, obeys it.
class FailingThreads {
public:
    enum class Duration { once, for_ever };

    /// From now to the object's end the nth thread cannot be created, counted from 1, or that and all after it.
    FailingThreads(std::uint64_t nth, Duration duration);
    ~FailingThreads();
    FailingThreads(const FailingThreads&) = delete;
    FailingThreads& operator=(const FailingThreads&) = delete;

    /// Whether there have been as many.
    static bool has_failed();
};

}  // namespace cupool::test
