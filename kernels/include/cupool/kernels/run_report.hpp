#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace cupool {

/// Where a job may run, or ran. `automatic` is only a request: a report says `gpu` or `host`.
enum class Engine { automatic, gpu, host };

std::string to_string(Engine engine);
std::ostream& operator<<(std::ostream& out, Engine engine);

/// The report of a finished job.
struct RunReport {
    Engine engine = Engine::host;    ///< where the job ran
    std::vector<int> devices;        ///< ordinals of the devices that took part; empty on the host engine
    double milliseconds = 0;         ///< wall-clock time from the call to the result; of an asynchronous call, until the work is enqueued
    std::uint64_t bytes = 0;         ///< moved between host and devices, or between devices
    std::uint64_t device_bytes = 0;  ///< memory that the job took on the device with the most; operands on devices do not count
};

std::ostream& operator<<(std::ostream& out, const RunReport& report);

}  // namespace cupool
