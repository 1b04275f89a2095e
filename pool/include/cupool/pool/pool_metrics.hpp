#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace cupool {

/// What the work given to one device of a pool has come to.
struct DeviceMetrics {
    int device = -1;  ///< ordinal; -1 for the host
    std::uint64_t launches =
        0;  ///< pieces of work begun: submitted functions, shards of MSMs, parts of partitioned launches, synchronisations
    std::uint64_t errors = 0;     ///< of those, how many failed
    std::uint64_t bytes = 0;      ///< that its MSMs, their bases, reductions, KernelWork and a PeerManager's copies moved to and from it
    std::uint64_t in_flight = 0;  ///< pieces given and not yet ended
    std::uint64_t busy_microseconds = 0;  ///< that pieces took, from their begin to their end
    std::uint64_t taken_over = 0;         ///< pieces that came here from the queue of another device, where they had waited
    bool quarantined = false;             ///< whether the device is quarantined now
};

/// A pool's work so far, in the pool's order of devices.
struct PoolMetrics {
    std::vector<DeviceMetrics> devices;  ///< in the order of the pool
};

/// A line a device.
std::string to_string(const PoolMetrics& metrics);
std::ostream& operator<<(std::ostream& out, const PoolMetrics& metrics);

/// In Prometheus' text exposition format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
std::string to_prometheus(const PoolMetrics& metrics);

}  // namespace cupool
