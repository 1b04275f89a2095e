#pragma once

#include <atomic>

namespace cupool::detail {

/// Whether this process may still call a driver that it has initialised.
enum ProcessPhase : unsigned {
    running = 0,
    forked = 1,   ///< a child of a process that had initialised a driver
    exiting = 2,  ///< exit() has begun; the driver's own exit handlers are next
};

/// A bit set of ProcessPhase. Every call of the driver looks at it: one relaxed load.
inline std::atomic<unsigned> process_phase{running};

/// To be called around cuInit: from then on, forking and exiting are noticed.
class DriverInitialization {
public:
    DriverInitialization();
    ~DriverInitialization();
    DriverInitialization(const DriverInitialization&) = delete;
    DriverInitialization& operator=(const DriverInitialization&) = delete;

    /// \param library  anything that tells the initialised library from others
    void succeeded(const void* library);

private:
    bool succeeded_ = false;
};

}  // namespace cupool::detail
