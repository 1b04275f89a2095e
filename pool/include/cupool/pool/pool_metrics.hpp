#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace cupool {

/// The metrics of one device of a pool.
struct DeviceMetrics {
    int device = -1;              ///< ordinal; -1 for the host
    std::uint64_t launches = 0;   ///< tasks started: submitted functions, parts of MSMs and of partitioned launches, synchronisations
    std::uint64_t errors = 0;     ///< of those, how many failed
    std::uint64_t bytes = 0;      ///< that its MSMs, their bases, reductions, KernelWork and a PeerManager's copies moved to and from it
    std::uint64_t in_flight = 0;  ///< tasks queued or running
    std::uint64_t busy_microseconds = 0;  ///< the total run time of tasks
    std::uint64_t taken_over = 0;         ///< tasks that moved here from the queue of another device
    bool quarantined = false;             ///< whether the device is quarantined now
};

/// The metrics of a pool.
struct PoolMetrics {
    std::vector<DeviceMetrics> devices;  ///< in the order of the pool
};

/// One line for each device.
std::string to_string(const PoolMetrics& metrics);
std::ostream& operator<<(std::ostream& out, const PoolMetrics& metrics);

/// In Prometheus' text exposition format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
std::string to_prometheus(const PoolMetrics& metrics);

}  // namespace cupool
