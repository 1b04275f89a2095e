#pragma once

#include <cstdint>

namespace cupool::test {

/// Which allocations fail: those of this executable's code, on whatever thread, outside calls of the driver. The operator new of this
/// executable, which the simulated driver's library uses too, knows the driver's code by InDriver.
class FailingNew {
public:
    enum class Duration { once, for_ever };

    /// Whose allocations fail, and count: as above, or those of the driver's calls and threads alone.
    enum class Whose { program, driver };

    /// From now to the object's end the nth allocation fails, counted from 1, or that and all after it.
    FailingNew(std::uint64_t nth, Duration duration, Whose whose = Whose::program);
    ~FailingNew();
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    /// Whether there have been as many.
    static bool has_failed();
};

/// Marks a call of the driver: its allocations, and those of the threads that it starts, are the driver's.
class InDriver {
public:
    InDriver() noexcept;
    ~InDriver();
    InDriver(const InDriver&) = delete;
    InDriver& operator=(const InDriver&) = delete;

    /// Whether the calling thread is in a call of the driver, or was started by one.
    static bool is_at_work();
};

}  // namespace cupool::test
