#pragma once

/// \file
/// How tests steer the simulated driver, libcupool-sim.so: a C interface beside libcuda's, and `cupool::Simulator`, which finds it
/// in the library by itself. Nothing of this is needed to merely use the library as a libcuda.
///
/// The library is one simulated machine a process, however often it is loaded. All functions may be called from any thread;
/// those that configure must not race with driver calls. Functions that return int answer 0, or -1 when an argument is wrong.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
extern "C" {

/// What a simulated card is. See cupoolSimDefaultDevice().
struct CupoolSimDevice {
    const char* name;            ///< copied; null: "NVIDIA H200"
    std::uint64_t memory_bytes;  ///< at most 512 GiB
    int compute_capability_major;
    int compute_capability_minor;
    int multiprocessor_count;
    int memory_pools_supported;
    int compute_mode;  ///< CUcomputemode
};

/// What is alive. Primary contexts, null streams and default pools belong to the devices and do not count.
struct CupoolSimLiveCounts {
    std::uint64_t primary_context_retains;
    std::uint64_t contexts;
    std::uint64_t streams;
    std::uint64_t events;
    std::uint64_t memory_pools;
    std::uint64_t modules;
    std::uint64_t device_allocations;
    std::uint64_t device_bytes;
    std::uint64_t host_allocations;
    std::uint64_t host_bytes;
};

/// How long a planned fault lasts.
enum CupoolSimFaultDuration {
    cupool_sim_once,    ///< that call only
    cupool_sim_always,  ///< that call of the entry point, and every later one
    cupool_sim_sticky,  ///< that call kills the devices: from then on every call that touches one answers the result
};

/// One driver call that has been answered.
struct CupoolSimCall {
    const char* entry_point;  ///< base name, "cuMemAlloc"; valid for ever
    int result;
};
typedef void (*CupoolSimTrace)(const struct CupoolSimCall* call, void* user);

/// One launch of a kernel that runs as a host function.
struct CupoolSimLaunch {
    const char* kernel;
    int device;
    unsigned grid[3];
    unsigned block[3];
    unsigned dynamic_shared_bytes;
    unsigned parameter_count;
    const void* const* parameters;       ///< each parameter's bytes
    const std::size_t* parameter_bytes;  ///< and how many
    /// The host address of `bytes` bytes of device memory. Null, and the launch fails with an illegal address, when they do
    /// not lie in one allocation that this device may access.
    void* (*translate)(const struct CupoolSimLaunch* launch, std::uint64_t address, std::size_t bytes);
    void* internal;
};
typedef void (*CupoolSimKernel)(const struct CupoolSimLaunch* launch, void* user);

/// Fills in the default card: an H200.
void cupoolSimDefaultDevice(struct CupoolSimDevice* device);

/// Ends everything: waits for the devices to finish, frees all that is alive, forgets faults, counts, plans, registered kernels and the
/// trace, and leaves a driver nobody has initialised, as the environment asks for: CUPOOL_SIM_DEVICES (default 1),
/// CUPOOL_SIM_DRIVER_VERSION (default 13000), CUPOOL_SIM_FAULTS (ENTRY_POINT:NTH:RESULT:once|always|sticky, several between commas:
/// "cuInit:1:802:always"; see cupoolSimPlanFault()). That is how programs are tested that know nothing of this header.
/// Reports in `left` (may be null) what was still alive; returns how many objects that is.
std::uint64_t cupoolSimReset(struct CupoolSimLiveCounts* left);

/// The machine's devices, 0 to 64, from the next cuInit on. Fails when the driver is initialised: reset it first.
int cupoolSimSetDevices(const struct CupoolSimDevice* devices, int count);

/// What cuDriverGetVersion answers (12040 = 12.4). Entry points that are newer are not found, and answer not supported.
int cupoolSimSetDriverVersion(int version);

/// Whether `device` can reach the memory of `peer` (by default all can).
int cupoolSimSetPeerReachable(int device, int peer, int reachable);

/// What opening a context on a device answers from now on; 0 heals it.
int cupoolSimSetDeviceHealth(int device, int result);

void cupoolSimLiveCount(struct CupoolSimLiveCounts* counts);

/// How often an entry point was called since the reset. By base name ("cuMemAlloc") or exported name; 0 for an unknown one.
std::uint64_t cupoolSimCallCount(const char* entry_point);

/// How often any was.
std::uint64_t cupoolSimCallCountOfAll(void);

/// Plans a fault: the `nth` call from now (1: the next one) of an entry point answers `result`, whatever number that is. Calls that
/// destroy or free do so nevertheless, as when a driver reports an earlier failure there; all others do nothing.
int cupoolSimPlanFault(const char* entry_point, std::uint64_t nth, int result, enum CupoolSimFaultDuration duration);

/// Forgets planned faults (a sticky one that has happened stays).
void cupoolSimClearFaults(void);

/// Kills the devices at once, as a faulting kernel does.
void cupoolSimRaiseDeviceFault(int result);

/// What is known of the fault that killed the devices (kernel, line, thread, address), cut to `length` bytes with its NUL; returns the
/// whole length. Empty when there was none, or when nothing is known of it.
std::size_t cupoolSimDeviceFaultReport(char* report, std::size_t length);

/// Calls `trace` after each driver call, on its thread; null ends that.
void cupoolSimSetTrace(CupoolSimTrace trace, void* user);

/// Runs a host function wherever a kernel of that name is launched, in place of its PTX. Null takes it back.
int cupoolSimRegisterKernel(const char* name, CupoolSimKernel kernel, void* user);

}  // extern "C"
#pragma GCC visibility pop

namespace cupool {

/// A card of the simulated machine: an H200 unless you say otherwise.
struct SimulatedDevice {
    std::string name = "NVIDIA H200";
    std::uint64_t memory_bytes = 150'754'820'096;
    int compute_capability_major = 9;
    int compute_capability_minor = 0;
    int multiprocessor_count = 132;
    bool memory_pools_supported = true;
    int compute_mode = 0;
};

/// The simulated driver, for one test: resets it at both ends of its life.
///
///     cupool::Simulator simulator(library_path, {{}, {}});   // two H200s
///     ... open a Driver at library_path ...
///     simulator.reset();                                     // throws if the test left anything alive
class Simulator {
public:
    /// Opens the library by its path and configures the machine. Throws std::runtime_error when the library cannot be opened.
    explicit Simulator(const std::string& library_path, const std::vector<SimulatedDevice>& devices = {SimulatedDevice{}})
        : library_(dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (library_ == nullptr) {
            throw std::runtime_error(dlerror());
        }
        symbol<decltype(cupoolSimReset)>("cupoolSimReset")(nullptr);
        set_devices(devices);
    }
    ~Simulator() { symbol<decltype(cupoolSimReset)>("cupoolSimReset")(nullptr); }
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    void set_devices(const std::vector<SimulatedDevice>& devices) {
        std::vector<CupoolSimDevice> kinds;
        for (const SimulatedDevice& device : devices) {
            kinds.push_back({device.name.c_str(), device.memory_bytes, device.compute_capability_major, device.compute_capability_minor,
                             device.multiprocessor_count, device.memory_pools_supported, device.compute_mode});
        }
        check(symbol<decltype(cupoolSimSetDevices)>("cupoolSimSetDevices")(kinds.data(), static_cast<int>(kinds.size())), "devices");
    }
    void set_driver_version(int version) {
        check(symbol<decltype(cupoolSimSetDriverVersion)>("cupoolSimSetDriverVersion")(version), "driver version");
    }
    void set_peer_reachable(int device, int peer, bool reachable) {
        check(symbol<decltype(cupoolSimSetPeerReachable)>("cupoolSimSetPeerReachable")(device, peer, reachable), "device");
    }
    void set_device_health(int device, int result) {
        check(symbol<decltype(cupoolSimSetDeviceHealth)>("cupoolSimSetDeviceHealth")(device, result), "device");
    }

    CupoolSimLiveCounts live_counts() const {
        CupoolSimLiveCounts counts{};
        symbol<decltype(cupoolSimLiveCount)>("cupoolSimLiveCount")(&counts);
        return counts;
    }
    std::uint64_t call_count(const std::string& entry_point) const {
        return symbol<decltype(cupoolSimCallCount)>("cupoolSimCallCount")(entry_point.c_str());
    }
    std::uint64_t call_count() const { return symbol<decltype(cupoolSimCallCountOfAll)>("cupoolSimCallCountOfAll")(); }

    void plan_fault(const std::string& entry_point, std::uint64_t nth, int result, CupoolSimFaultDuration duration = cupool_sim_once) {
        check(symbol<decltype(cupoolSimPlanFault)>("cupoolSimPlanFault")(entry_point.c_str(), nth, result, duration), "fault plan");
    }
    void clear_faults() { symbol<decltype(cupoolSimClearFaults)>("cupoolSimClearFaults")(); }
    void raise_device_fault(int result) { symbol<decltype(cupoolSimRaiseDeviceFault)>("cupoolSimRaiseDeviceFault")(result); }
    std::string device_fault_report() const {
        const auto fetch = symbol<decltype(cupoolSimDeviceFaultReport)>("cupoolSimDeviceFaultReport");
        std::string report(fetch(nullptr, 0) + 1, '\0');
        fetch(report.data(), report.size());
        report.pop_back();
        return report;
    }
    void set_trace(CupoolSimTrace trace, void* user) { symbol<decltype(cupoolSimSetTrace)>("cupoolSimSetTrace")(trace, user); }
    void register_kernel(const std::string& name, CupoolSimKernel kernel, void* user = nullptr) {
        check(symbol<decltype(cupoolSimRegisterKernel)>("cupoolSimRegisterKernel")(name.c_str(), kernel, user), "kernel");
    }

    /// Resets the driver. Throws std::logic_error naming what the test left alive.
    void reset() {
        CupoolSimLiveCounts left{};
        if (symbol<decltype(cupoolSimReset)>("cupoolSimReset")(&left) > 0) {
            throw std::logic_error("left alive: " + to_string(left));
        }
    }

    static std::string to_string(const CupoolSimLiveCounts& counts) {
        const std::pair<std::uint64_t, const char*> parts[] = {
            {counts.primary_context_retains, "primary context retains"},
            {counts.contexts, "contexts"},
            {counts.streams, "streams"},
            {counts.events, "events"},
            {counts.memory_pools, "memory pools"},
            {counts.modules, "modules"},
            {counts.device_allocations, "device allocations"},
            {counts.host_allocations, "host allocations"},
        };
        std::string text;
        for (const auto& [count, what] : parts) {
            if (count > 0) {
                text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
            }
        }
        return text.empty() ? "nothing" : text;
    }

private:
    template <typename Function>
    Function* symbol(const char* name) const {
        void* const address = dlsym(library_, name);
        if (address == nullptr) {
            throw std::runtime_error(std::string("no simulated driver: it lacks ") + name);
        }
        return reinterpret_cast<Function*>(address);
    }

    static void check(int answer, const std::string& what) {
        if (answer != 0) {
            throw std::invalid_argument("the simulated driver refuses: " + what);
        }
    }

    void* library_;
};

}  // namespace cupool
