#pragma once

#include <atomic>

namespace cupool::detail {

/// Whether this process may still call a driver that it has initialised.
enum ProcessPhase : unsigned {
    running = 0,
    forked = 1,   ///< a child of a process that had initialised a driver
    exiting = 2,  ///< exit() has begun; the exit handlers of the driver are next
};

/// A bit set of ProcessPhase. Every driver call reads it by one relaxed load.
inline std::atomic<unsigned> process_phase{running};

/// Lives during cuInit. After a success, process_phase follows forks and exit().
class DriverInitialization {
public:
    DriverInitialization();
    ~DriverInitialization();
    DriverInitialization(const DriverInitialization&) = delete;
    DriverInitialization& operator=(const DriverInitialization&) = delete;

    /// \param library  an address that identifies the initialised library
    void succeeded(const void* library);

private:
    bool succeeded_ = false;
};

}  // namespace cupool::detail
