#pragma once

/// \file
/// The interface by which tests control the simulated driver, libcupool-sim.so: C functions beside those of libcuda, and the class
/// `cupool::Simulator`, which looks them up in the library. Programs that only use the library as a libcuda need none of this.
///
/// A process has one simulated machine, however often the library is loaded. All functions may be called from any thread, but functions
/// that configure the machine must not run concurrently with driver calls. Unless stated otherwise, functions that return int return 0, or
/// -1 if an argument is invalid.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
extern "C" {

/// The properties of a simulated device. See cupoolSimDefaultDevice().
struct CupoolSimDevice {
    const char* name;              ///< copied; null: "NVIDIA H200"
    std::uint64_t memory_bytes;    ///< at most 512 GiB
    int compute_capability_major;  ///< 9 of 9.0
    int compute_capability_minor;  ///< 0 of 9.0
    int multiprocessor_count;      ///< SMs
    int memory_pools_supported;    ///< 0 or 1
    int compute_mode;              ///< CUcomputemode
    int clock_khz;                 ///< with the multiprocessors, its speed on the virtual clock: see cupoolSimSetSeed()
};

/// Numbers of live objects. Primary contexts, null streams and default pools belong to the devices and do not count. Device allocations
/// include managed and physical memory; host allocations include registered memory.
struct CupoolSimLiveCounts {
    std::uint64_t primary_context_retains;  ///< retains not yet released
    std::uint64_t contexts;                 ///< created contexts
    std::uint64_t streams;                  ///< created streams
    std::uint64_t events;                   ///< created events
    std::uint64_t memory_pools;             ///< created memory pools
    std::uint64_t modules;                  ///< loaded modules
    std::uint64_t libraries;                ///< loaded libraries
    std::uint64_t link_states;              ///< linkers
    std::uint64_t graphs;                   ///< graphs
    std::uint64_t graph_execs;              ///< instantiated graphs
    std::uint64_t device_allocations;       ///< allocations of device memory
    std::uint64_t device_bytes;             ///< their bytes
    std::uint64_t host_allocations;         ///< allocations of page-locked host memory
    std::uint64_t host_bytes;               ///< their bytes
    std::uint64_t address_reservations;     ///< reserved address ranges
    std::uint64_t unread_findings;          ///< findings of the checks since their report or count was last queried
};

/// How long a planned fault lasts.
enum CupoolSimFaultDuration {
    cupool_sim_once,    ///< this call only
    cupool_sim_always,  ///< this call of the entry point and every later one
    cupool_sim_sticky,  ///< becomes the fault of all devices: from then on every call that accesses a device returns the result
    cupool_sim_lost,    ///< the addressed device is lost: the same, for that device alone
};

/// A planned failure or delay. `call`, `kernel` and `device` select the events; exactly one of `result`, `memory_left` and the delays
/// (`times_slower`, `milliseconds`) defines the effect. See SimulatedFault for the neutral values.
struct CupoolSimFault {
    const char* call;                      ///< as SimulatedFault::call; null: as empty
    const char* kernel;                    ///< as SimulatedFault::kernel; null: as empty
    int device;                            ///< as SimulatedFault::device
    std::uint64_t nth;                     ///< as SimulatedFault::nth
    int result;                            ///< as SimulatedFault::result
    enum CupoolSimFaultDuration duration;  ///< how long the result lasts
    double times_slower;                   ///< as SimulatedFault::times_slower
    double milliseconds;                   ///< as SimulatedFault::milliseconds
    std::uint64_t memory_left;             ///< UINT64_MAX: unlimited
};

/// Optional checks, a bit set. Out-of-bounds and misaligned accesses and accesses to freed memory are always checked. A finding ends its
/// kernel: one call returns 719, and a report is written, also to stderr.
enum CupoolSimChecks {
    cupool_sim_check_none = 0,
    cupool_sim_check_initialisation = 1,  ///< reads of registers and memory before they are written
    cupool_sim_check_races = 2,           ///< unordered accesses of threads to the same memory
    /// Memory that is freed without being ordered after its last use by a stream, an event or a waiting host.
    cupool_sim_check_ordering = 4,
    /// Calls that are passed a stream while another context than the stream's is current. A real driver accepts most of them, but not all.
    cupool_sim_check_context = 8,
    cupool_sim_check_all = 15,
};

/// A completed driver call.
struct CupoolSimCall {
    const char* entry_point;  ///< base name, "cuMemAlloc"; static storage
    int result;               ///< the CUresult that it returned
};
/// The callback of cupoolSimSetTrace(); `user` is the pointer that was passed there.
typedef void (*CupoolSimTrace)(const struct CupoolSimCall* call, void* user);

/// Fills in the default device, an H200.
void cupoolSimDefaultDevice(struct CupoolSimDevice* device);

/// Resets the machine: waits for the devices to finish, destroys all objects, clears faults, counts, fault plans and the trace, and leaves
/// an uninitialised driver with the configuration of the environment. The environment also configures the machine for programs that do not
/// use this header:
///
///     CUPOOL_SIM_DEVICES=4                    number of devices, default 1
///     CUPOOL_SIM_DRIVER_VERSION=12040         default 13000
///     CUPOOL_SIM_SEED=7                       see cupoolSimSetSeed()
///     CUPOOL_SIM_CHECKS=all|none|initialisation,races,ordering,context
///     CUPOOL_SIM_KERNEL_INSTRUCTIONS=1000000  see cupoolSimSetKernelBudget()
///     CUPOOL_SIM_KERNEL_SECONDS=10            the same
///     CUPOOL_SIM_SUPPRESS=scale,reduce:14     kernels, or lines of them: see cupoolSimSuppress()
///     CUPOOL_SIM_CONTRACTION=on|off
///     CUPOOL_SIM_PLAN=/path/to/plan.json      see cupoolSimLoadPlan()
///     CUPOOL_SIM_FAULTS=cuInit:1:802:always   ENTRY_POINT:NTH:RESULT:once|always|sticky|lost, several between commas
///     CUDA_VISIBLE_DEVICES                    as with a real driver
///
/// Malformed values are errors: cuInit returns 999, and a line on stderr names the error.
/// Stores in `left` (may be null) the numbers of objects that were still alive and of unread findings; returns their sum.
std::uint64_t cupoolSimReset(struct CupoolSimLiveCounts* left);

/// Sets the machine's devices, 0 to 64, from the next cuInit on. Fails if the driver is initialised: reset it first.
int cupoolSimSetDevices(const struct CupoolSimDevice* devices, int count);

/// Sets the driver version (12040 = 12.4). Newer entry points are not found and return CUDA_ERROR_NOT_SUPPORTED.
int cupoolSimSetDriverVersion(int version);

/// Makes the driver deterministic from the next cuInit on; 0, the default, uses real threads. Fails if the driver is initialised.
///
/// With a seed, one operation runs at a time, in an order that the seed and a virtual clock determine. The duration of a kernel depends on
/// the instructions that it executed, that of a copy on its bytes, both with jitter. Each driver call advances the clock a little, and
/// everything due by then has happened when the call returns. A program with one host thread therefore replays exactly: the same results,
/// the same order of operations and the same event times. Unordered operations run in another order with another seed.
///
/// A program that waits for an effect without calling the driver (for example of a host function) does not hang: after a quarter of a
/// second without calls the clock advances by itself. Such a program may not replay exactly, nor may one with several host threads.
int cupoolSimSetSeed(std::uint64_t seed);
/// The seed of cupoolSimSetSeed(); 0 if there is none.
std::uint64_t cupoolSimSeed(void);

/// Copies the log of the run: a line for each call and each started operation since the seed was set, with its time on the virtual clock.
/// Equal texts mean equal runs. Truncated to `length` bytes including the NUL; returns the untruncated length. Empty without a seed.
std::size_t cupoolSimReplayLog(char* log, std::size_t length);

/// Sets whether `mul` and `add` or `sub` without rounding modifiers are contracted to one `fma` as ptxas 13.0 does (1, the default) or
/// round separately (0), in modules loaded from now on. Returns 1 (CUDA_ERROR_INVALID_VALUE) for any other number.
int cupoolSimSetContraction(int contracts);

/// Sets the checks (CupoolSimChecks) for operations queued from now on; none by default. Memory allocated earlier counts as initialised.
int cupoolSimSetChecks(unsigned checks);

/// Suppresses findings of the race and initialisation checks (including local memory past a function's variables and skipped barriers) in a
/// kernel, or at one line of its PTX or of the source that `.loc` names. Line 0 means the whole kernel. Suppressed findings are counted.
/// Fails without a name.
int cupoolSimSuppress(const char* kernel, int line);
/// The number of findings suppressed by cupoolSimSuppress() since the last reset.
std::uint64_t cupoolSimSuppressedCount(void);

/// The number of reported findings since the last reset. Each one ended its kernel, and one call returned 719; the report has a line for it
/// (cupoolSimDeviceFaultReport()), also on stderr. Marks them as read for CupoolSimLiveCounts.
std::uint64_t cupoolSimFindingCount(void);

/// Sets the limits of each launch from now on: warp instructions, and seconds of processor time of the thread that runs it. A launch that
/// exceeds one ends with 702. 20e9 and 10 by default. Fails unless both are positive.
int cupoolSimSetKernelBudget(std::uint64_t warp_instructions, double seconds);

/// Sets whether `device` can access the memory of `peer` (by default all can). Device numbers ignore CUDA_VISIBLE_DEVICES.
int cupoolSimSetPeerReachable(int device, int peer, int reachable);

/// Sets whether copies and memsets by `device` to the memory of `peer` are silently lost although the devices have access to each other, as
/// on some real machines. Stores by kernels arrive. Device numbers ignore CUDA_VISIBLE_DEVICES.
int cupoolSimSetPeerWritesLost(int device, int peer, int lost);

/// Sets the result of opening a context on a device from now on; 0 makes it usable again. Device numbers ignore CUDA_VISIBLE_DEVICES.
int cupoolSimSetDeviceHealth(int device, int result);

/// Fills in the numbers of live objects.
void cupoolSimLiveCount(struct CupoolSimLiveCounts* counts);

/// The number of calls of an entry point since the last reset, by base name ("cuMemAlloc") or exported name; 0 for an unknown name.
std::uint64_t cupoolSimCallCount(const char* entry_point);

/// The number of calls of all entry points since the last reset.
std::uint64_t cupoolSimCallCountOfAll(void);

/// Plans a fault: the `nth` call from now (1: the next one) of an entry point returns `result`, whatever number that is. Calls that destroy
/// or free something still do so, as when a driver reports an earlier failure there; all other calls have no effect.
int cupoolSimPlanFault(const char* entry_point, std::uint64_t nth, int result, enum CupoolSimFaultDuration duration);

/// Adds a fault to the plan. If it is invalid, writes the reason into `message`, truncated to `length` bytes including the NUL.
int cupoolSimPlan(const struct CupoolSimFault* fault, char* message, std::size_t length);

/// Plans all faults of a JSON file. If the file is malformed, plans none and writes the error and its line or member into `message`:
///
///     {
///       "driver_version": 12040,
///       "faults": [
///         {"call": "cuMemAlloc", "nth": 3, "result": 2},
///         {"call": "cuLaunchKernel", "device": 1, "result": 999, "duration": "always"},
///         {"kernel": "store", "nth": 2, "result": 700, "duration": "sticky"},
///         {"device": 1, "nth": 10, "result": 46, "duration": "lost"},
///         {"device": 0, "memory_left": 67108864},
///         {"kernel": "store", "times_slower": 10},
///         {"call": "cuModuleLoadDataEx", "milliseconds": 50}
///       ]
///     }
///
/// Members are those of SimulatedFault, with the same meaning and defaults.
int cupoolSimLoadPlan(const char* path, char* message, std::size_t length);

/// Discards planned faults and lifts their memory limits. A sticky fault that has happened and lost devices remain.
void cupoolSimClearFaults(void);

/// Raises a fault of all devices at once, as a faulting kernel does.
void cupoolSimRaiseDeviceFault(int result);

/// Copies the report of the findings of the checks, one per line, and of the device fault (kernel, line, thread, address), truncated to
/// `length` bytes including the NUL; returns the untruncated length. Empty if there was none or nothing is known about it. Marks the
/// findings as read for CupoolSimLiveCounts.
std::size_t cupoolSimDeviceFaultReport(char* report, std::size_t length);

/// Installs a callback that runs after each driver call, on the calling thread; null removes it.
void cupoolSimSetTrace(CupoolSimTrace trace, void* user);

}  // extern "C"
#pragma GCC visibility pop

namespace cupool {

/// A device of the simulated machine; an H200 by default.
struct SimulatedDevice {
    std::string name = "NVIDIA H200";              ///< result of cuDeviceGetName
    std::uint64_t memory_bytes = 150'754'820'096;  ///< at most 512 GiB
    int compute_capability_major = 9;              ///< 9 of 9.0
    int compute_capability_minor = 0;              ///< 0 of 9.0
    int multiprocessor_count = 132;                ///< SMs
    bool memory_pools_supported = true;            ///< whether stream-ordered allocation is supported
    int compute_mode = 0;                          ///< a CUcomputemode
    int clock_khz = 1'980'000;                     ///< see CupoolSimDevice
};

/// A planned failure or delay, for a call, a kernel, a device, or a combination of them.
///
///     simulator.plan_fault({.call = "cuMemAlloc", .nth = 3, .result = 2});
///
/// On a real driver (580, H200), every fault of a running kernel was observed to make all devices of the process unusable; this is
/// `cupool_sim_sticky`. The effect of a device that falls off the bus has not been observed; `cupool_sim_lost` affects that device alone. A
/// program should survive either.
struct SimulatedFault {
    std::string call{};     ///< base or exported name; empty: any call, or with `device` any call that accesses it
    std::string kernel{};   ///< empty: any. A sticky or lost result occurs when the kernel runs; otherwise its launch returns it
    int device = -1;        ///< ordinal in the program; -1: any. A call addresses the device that it names, or that of the current context
    std::uint64_t nth = 1;  ///< which of the matching events, from now on

    int result = 0;                                     ///< the CUresult, which may be any number
    CupoolSimFaultDuration duration = cupool_sim_once;  ///< how long the result lasts

    double times_slower = 1;  ///< factor for kernels, or for all operations of a device, on the virtual clock; needs a seed
    double milliseconds = 0;  ///< delay of these or of calls, on the virtual clock; in real time without a seed

    std::optional<std::uint64_t> memory_left{};  ///< free memory of a device in bytes, as if another process had allocated the rest
};

/// The simulated driver for one test. Constructor and destructor reset it.
///
///     cupool::Simulator simulator(library_path, {{}, {}});   // two H200s
///     ... open a Driver at library_path ...
///     simulator.reset();                                     // throws if the test left anything alive
class Simulator {
public:
    /// Opens the library by its path and configures the machine. Throws std::runtime_error if the library cannot be opened.
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

    /// cupoolSimSetDevices(). Throws std::invalid_argument.
    void set_devices(const std::vector<SimulatedDevice>& devices) {
        std::vector<CupoolSimDevice> kinds;
        for (const SimulatedDevice& device : devices) {
            kinds.push_back({device.name.c_str(), device.memory_bytes, device.compute_capability_major, device.compute_capability_minor,
                             device.multiprocessor_count, device.memory_pools_supported, device.compute_mode, device.clock_khz});
        }
        check(symbol<decltype(cupoolSimSetDevices)>("cupoolSimSetDevices")(kinds.data(), static_cast<int>(kinds.size())), "devices");
    }
    /// cupoolSimSetDriverVersion().
    void set_driver_version(int version) {
        check(symbol<decltype(cupoolSimSetDriverVersion)>("cupoolSimSetDriverVersion")(version), "driver version");
    }
    /// cupoolSimSetSeed().
    void set_seed(std::uint64_t seed) { check(symbol<decltype(cupoolSimSetSeed)>("cupoolSimSetSeed")(seed), "seed"); }
    /// cupoolSimSetContraction().
    void set_contraction(bool contracts) {
        check(symbol<decltype(cupoolSimSetContraction)>("cupoolSimSetContraction")(contracts ? 1 : 0), "contraction");
    }
    /// cupoolSimSetChecks().
    void set_checks(unsigned checks) { check(symbol<decltype(cupoolSimSetChecks)>("cupoolSimSetChecks")(checks), "checks"); }
    /// See cupoolSimSuppress().
    void suppress(const std::string& kernel, int line = 0) {
        check(symbol<decltype(cupoolSimSuppress)>("cupoolSimSuppress")(kernel.c_str(), line), "suppression");
    }
    /// cupoolSimSuppressedCount().
    std::uint64_t suppressed_count() const { return symbol<decltype(cupoolSimSuppressedCount)>("cupoolSimSuppressedCount")(); }
    /// cupoolSimFindingCount(). Marks the findings as read.
    std::uint64_t finding_count() const { return symbol<decltype(cupoolSimFindingCount)>("cupoolSimFindingCount")(); }
    /// See cupoolSimSetKernelBudget().
    void set_kernel_budget(std::uint64_t warp_instructions, double seconds) {
        check(symbol<decltype(cupoolSimSetKernelBudget)>("cupoolSimSetKernelBudget")(warp_instructions, seconds), "kernel budget");
    }
    /// The whole text of cupoolSimReplayLog().
    std::string replay_log() const { return text("cupoolSimReplayLog"); }
    /// cupoolSimSetPeerReachable().
    void set_peer_reachable(int device, int peer, bool reachable) {
        check(symbol<decltype(cupoolSimSetPeerReachable)>("cupoolSimSetPeerReachable")(device, peer, reachable), "device");
    }
    /// cupoolSimSetPeerWritesLost().
    void set_peer_writes_lost(int device, int peer, bool lost) {
        check(symbol<decltype(cupoolSimSetPeerWritesLost)>("cupoolSimSetPeerWritesLost")(device, peer, lost), "device");
    }
    /// cupoolSimSetDeviceHealth().
    void set_device_health(int device, int result) {
        check(symbol<decltype(cupoolSimSetDeviceHealth)>("cupoolSimSetDeviceHealth")(device, result), "device");
    }

    /// cupoolSimLiveCount().
    CupoolSimLiveCounts live_counts() const {
        CupoolSimLiveCounts counts{};
        symbol<decltype(cupoolSimLiveCount)>("cupoolSimLiveCount")(&counts);
        return counts;
    }
    /// cupoolSimCallCount().
    std::uint64_t call_count(const std::string& entry_point) const {
        return symbol<decltype(cupoolSimCallCount)>("cupoolSimCallCount")(entry_point.c_str());
    }
    /// cupoolSimCallCountOfAll().
    std::uint64_t call_count() const { return symbol<decltype(cupoolSimCallCountOfAll)>("cupoolSimCallCountOfAll")(); }

    /// cupoolSimPlanFault().
    void plan_fault(const std::string& entry_point, std::uint64_t nth, int result, CupoolSimFaultDuration duration = cupool_sim_once) {
        check(symbol<decltype(cupoolSimPlanFault)>("cupoolSimPlanFault")(entry_point.c_str(), nth, result, duration), "fault plan");
    }
    /// cupoolSimPlan(). Throws std::invalid_argument with the reason if the fault is invalid.
    void plan_fault(const SimulatedFault& fault) {
        const CupoolSimFault same{fault.call.c_str(), fault.kernel.c_str(), fault.device,
                                  fault.nth,          fault.result,         fault.duration,
                                  fault.times_slower, fault.milliseconds,   fault.memory_left.value_or(UINT64_MAX)};
        check_plan(
            [&](char* message, std::size_t length) { return symbol<decltype(cupoolSimPlan)>("cupoolSimPlan")(&same, message, length); });
    }
    /// See cupoolSimLoadPlan(). Throws std::invalid_argument with the error and its position if the file is malformed.
    void load_plan(const std::string& path) {
        check_plan([&](char* message, std::size_t length) {
            return symbol<decltype(cupoolSimLoadPlan)>("cupoolSimLoadPlan")(path.c_str(), message, length);
        });
    }
    /// cupoolSimClearFaults().
    void clear_faults() { symbol<decltype(cupoolSimClearFaults)>("cupoolSimClearFaults")(); }
    /// cupoolSimRaiseDeviceFault().
    void raise_device_fault(int result) { symbol<decltype(cupoolSimRaiseDeviceFault)>("cupoolSimRaiseDeviceFault")(result); }
    /// The whole text of cupoolSimDeviceFaultReport().
    std::string device_fault_report() const { return text("cupoolSimDeviceFaultReport"); }
    /// cupoolSimSetTrace().
    void set_trace(CupoolSimTrace trace, void* user) { symbol<decltype(cupoolSimSetTrace)>("cupoolSimSetTrace")(trace, user); }
    /// Resets the driver. Throws std::logic_error that names the objects that the test left alive, unread findings, and the seed, if there
    /// is one.
    void reset() {
        const std::uint64_t seed = symbol<decltype(cupoolSimSeed)>("cupoolSimSeed")();
        CupoolSimLiveCounts left{};
        if (symbol<decltype(cupoolSimReset)>("cupoolSimReset")(&left) > 0) {
            throw std::logic_error("left alive: " + to_string(left) + (seed == 0 ? "" : "; seed " + std::to_string(seed)));
        }
    }

    /// The nonzero counts with their names.
    static std::string to_string(const CupoolSimLiveCounts& counts) {
        const std::pair<std::uint64_t, const char*> parts[] = {
            {counts.primary_context_retains, "primary context retains"},
            {counts.contexts, "contexts"},
            {counts.streams, "streams"},
            {counts.events, "events"},
            {counts.memory_pools, "memory pools"},
            {counts.modules, "modules"},
            {counts.libraries, "libraries"},
            {counts.link_states, "links"},
            {counts.graphs, "graphs"},
            {counts.graph_execs, "executable graphs"},
            {counts.device_allocations, "device allocations"},
            {counts.host_allocations, "host allocations"},
            {counts.address_reservations, "address reservations"},
            {counts.unread_findings, "unread findings"},
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
    template <class Function>
    Function* symbol(const char* name) const {
        void* const address = dlsym(library_, name);
        if (address == nullptr) {
            throw std::runtime_error(std::string("no simulated driver: it lacks ") + name);
        }
        return reinterpret_cast<Function*>(address);
    }

    std::string text(const char* name) const {
        const auto fetch = symbol<std::size_t(char*, std::size_t)>(name);
        std::string result(fetch(nullptr, 0) + 1, '\0');
        fetch(result.data(), result.size());
        result.pop_back();
        return result;
    }

    template <class Plan>
    static void check_plan(const Plan& plan) {
        std::string message(1024, '\0');
        if (plan(message.data(), message.size()) != 0) {
            throw std::invalid_argument("fault plan: " + message.substr(0, message.find('\0')));
        }
    }

    static void check(int status, const std::string& what) {
        if (status != 0) {
            throw std::invalid_argument("the simulated driver refuses: " + what);
        }
    }

    void* library_;
};

}  // namespace cupool
