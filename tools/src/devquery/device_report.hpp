#pragma once

#include <cupool/driver/probe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupool::tools {

/// What a listing shows of a device beside the fields of ProbedDevice. nullopt: not queried, or the
/// driver gave no answer.
struct DeviceDetails {
    std::optional<int> clock_khz;
    std::optional<bool> ecc_enabled;
    std::optional<int> numa_node;  ///< of the host memory that is nearest to the device
    std::optional<std::size_t> free_memory;
    std::vector<std::pair<std::string_view, std::optional<int>>> attributes;  ///< all that this build knows, by name
};

/// Everything that devquery lists.
struct DeviceReport {
    ProbeReport probe;
    std::vector<DeviceDetails> details;  ///< one for each entry of probe.devices
    bool has_all = false;                ///< whether free_memory, attributes and missing_entry_points were queried
    /// The entry points that cupool knows and this driver lacks, and the CUDA version of each.
    std::vector<std::pair<std::string, int>> missing_entry_points;
    std::vector<std::string> implausible;  ///< answers of the driver that cannot be true, in words
};

/// Adds the details to a probe. Never throws for what the driver does not answer.
/// \param all  also query what has_all covers. This creates a context on each device, which takes
/// about 0.1 s each
DeviceReport complete_report(ProbeReport probe, bool all);

}  // namespace cupool::tools
