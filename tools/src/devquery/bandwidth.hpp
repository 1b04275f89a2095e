#pragma once

#include <cstddef>
#include <cupool/driver/probe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/progress.hpp"

namespace cupool::tools {

/// What a measurement copies, and how.
struct CopyPath {
    std::optional<int> from;    ///< the ordinal of a device; nullopt: the host
    std::optional<int> to;      ///< the same
    std::string memory;         ///< of the host: "pinned" or "pageable"; empty without the host
    std::string engine;         ///< "copy engine" or "kernel"
    bool is_both_ways = false;  ///< at the same time
    /// Between two devices: whether the copy takes a direct link; nullopt for other copies.
    std::optional<bool> is_direct;
};

/// The median and the range of a measured quantity.
struct Spread {
    double median = 0;
    double least = 0;
    double most = 0;
};

/// One measurement.
struct CopyMeasurement {
    CopyPath path;
    /// Bytes that arrived in a second, those of both ways together. nullopt after a failure.
    std::optional<Spread> bytes_per_second;
    /// The time of a copy of 4 bytes that the host waits for, instead of the bandwidth.
    std::optional<Spread> seconds;
    bool is_verified = false;  ///< whether what arrived is what was sent
    std::string failure;       ///< printable only after printable_text(); empty if there was none

    /// Whether it was measured and is right.
    bool is_good() const { return failure.empty() && is_verified; }
};

/// How to measure.
struct BandwidthOptions {
    std::size_t bytes = std::size_t{256} << 20;  ///< of each copy; rounded up to a multiple of 16
    int runs = 10;
};

/// Measures copies between the host and each device, within each device and between all pairs. A
/// failure becomes part of its measurement. Needs twice the bytes on each device.
std::vector<CopyMeasurement> measure_bandwidth(const ProbeReport& report, const std::vector<ProbedDevice>& devices,
                                               const BandwidthOptions& options, Progress& progress);

}  // namespace cupool::tools
