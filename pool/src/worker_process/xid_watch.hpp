#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cupool/driver/management_library.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace cupool::detail {

/// Notes the Xid errors of devices, where there is an NVML: a thread of its own waits for them. Thread-safe.
class XidWatch {
public:
    using Clock = std::chrono::steady_clock;

    XidWatch() = default;
    ~XidWatch();
    XidWatch(const XidWatch&) = delete;
    XidWatch& operator=(const XidWatch&) = delete;

    /// Loads NVML; the devices need not be known yet. Called once.
    void load();
    /// Begins to watch. Called once, after load(); before it, nothing is noted. \param pci_bus_ids  of the devices
    void start(const std::vector<std::string>& pci_bus_ids);

    /// The errors of a device from a time on, in words: "the kernel driver reported Xid 31"; empty where there was none. The
    /// kernel driver reports an error soon after it, so where events are watched this waits up to 50 ms for the first one.
    std::string errors_since(const std::string& pci_bus_id, Clock::time_point begin) const;

private:
    struct Sighting {
        std::string pci_bus_id;
        std::uint64_t number;
        Clock::time_point time;
    };

    void watch(const std::map<std::string, ManagedDevice>& devices);
    void note(Sighting sighting);

    std::optional<ManagementLibrary> library_;
    mutable std::mutex mutex_;
    mutable std::condition_variable noted_;
    std::vector<Sighting> sightings_;  ///< the last ones
    std::atomic<bool> is_watching_{false};
    std::atomic<bool> is_stopped_{false};
    std::thread thread_;
};

}  // namespace cupool::detail
