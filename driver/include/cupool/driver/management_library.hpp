#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupool {

/// A GPU as the management library knows it. It is valid as long as the library that gave it.
struct ManagedDevice {
    /// The library's own handle; null for none.
    void* handle = nullptr;
};

/// What the sensors of a GPU say; nullopt where the GPU or the library does not say it, as for parts
/// of the utilisation in MIG mode.
struct DeviceReadings {
    std::optional<std::uint64_t> total_memory;        ///< bytes
    std::optional<std::uint64_t> used_memory;         ///< bytes, of all processes
    std::optional<unsigned> utilisation;              ///< percent of the last period in which a kernel ran
    std::optional<unsigned> memory_utilisation;       ///< percent of the last period in which memory was read or written
    std::optional<double> power;                      ///< watts
    std::optional<unsigned> temperature;              ///< of the GPU in degrees Celsius
    std::optional<std::uint64_t> corrected_errors;    ///< ECC errors since the kernel driver was loaded
    std::optional<std::uint64_t> uncorrected_errors;  ///< ECC errors in the same time that lost data
};

/// NVIDIA's management library (NVML), which is loaded at run time and may be absent: sensors, MIG and
/// processes of GPUs. It needs neither CUDA nor a context. Thread-safe; a copy refers to the same
/// library. A call returns nullopt, or an empty list, if the library lacks it or it fails.
class ManagementLibrary {
public:
    /// Loads and initialises libnvidia-ml.so.1, or the library that the variable CUPOOL_NVML names by
    /// its absolute path. It never throws for a library that is absent or broken: finding() says it.
    ManagementLibrary();
    /// Loads and initialises the library with this path.
    explicit ManagementLibrary(const std::string& path);

    /// Whether it is loaded and initialised. If not, each call returns nothing.
    bool works() const noexcept;
    /// Why it does not work; empty if it does.
    const std::string& finding() const noexcept;

    /// \param pci_bus_id  "0000:18:00.0", as cuDeviceGetPCIBusId gives it
    std::optional<ManagedDevice> device_at(const std::string& pci_bus_id) const;
    /// What all sensors of a device say now.
    DeviceReadings readings(ManagedDevice device) const;
    /// Whether the kernel driver keeps a device initialised while no program uses it.
    std::optional<bool> persistence(ManagedDevice device) const;
    /// The number of cards in MIG mode.
    std::optional<int> mig_cards() const;
    /// Bytes of device memory by the number of the process that holds them.
    std::map<std::uint64_t, std::uint64_t> memory_of_processes(ManagedDevice device) const;

private:
    friend class XidEvents;
    struct State;
    std::shared_ptr<const State> state_;
};

/// An error of a GPU that the kernel driver reports: docs.nvidia.com lists the numbers under "Xid".
struct XidEvent {
    std::size_t device = 0;    ///< the index in the list of XidEvents
    std::uint64_t number = 0;  ///< of the error: 79 is a GPU that has fallen off the bus
};

/// Waits for Xid errors of devices. Not thread-safe.
class XidEvents {
public:
    /// \param devices  of this library; those that report no events are left out
    XidEvents(ManagementLibrary library, std::vector<ManagedDevice> devices);
    ~XidEvents();
    XidEvents(const XidEvents&) = delete;
    XidEvents& operator=(const XidEvents&) = delete;

    /// Whether events of at least one device can come. False after a wait that failed.
    bool works() const noexcept;
    /// Waits for the next event. \return nullopt at once if it does not work; else after the limit
    std::optional<XidEvent> wait(std::chrono::milliseconds limit);

private:
    ManagementLibrary library_;
    std::vector<ManagedDevice> devices_;
    void* set_ = nullptr;
    bool works_ = false;
};

}  // namespace cupool
