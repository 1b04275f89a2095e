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
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
extern "C" {

/// What a simulated card is. See cupoolSimDefaultDevice().
struct CupoolSimDevice {
    const char* name;              ///< copied; null: "NVIDIA H200"
    std::uint64_t memory_bytes;    ///< at most 512 GiB
    int compute_capability_major;  ///< 9 of 9.0
    int compute_capability_minor;  ///< 0 of 9.0
    int multiprocessor_count;      ///< SMs
    int memory_pools_supported;    ///< 0 or 1
    int compute_mode;              ///< CUcomputemode
    int clock_khz;                 ///< with the multiprocessors, how fast it is by the virtual clock: see cupoolSimSetSeed()
};

/// What is alive. Primary contexts, null streams and default pools belong to the devices and do not count. Device allocations include
/// managed memory and physical memory, host allocations registered memory.
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
    std::uint64_t device_allocations;       ///< pieces of device memory
    std::uint64_t device_bytes;             ///< their bytes
    std::uint64_t host_allocations;         ///< pieces of page-locked host memory
    std::uint64_t host_bytes;               ///< their bytes
    std::uint64_t address_reservations;     ///< reserved address ranges
    std::uint64_t unread_findings;          ///< findings of the checks since somebody last asked for their report or count
};

/// How long a planned fault lasts.
enum CupoolSimFaultDuration {
    cupool_sim_once,    ///< that call only
    cupool_sim_always,  ///< that call of the entry point, and every later one
    cupool_sim_sticky,  ///< that call kills the devices: from then on every call that touches one answers the result
    cupool_sim_lost,    ///< that call loses the device it is for: the same, but of that device alone
};

/// Something that goes wrong, or slowly. `call`, `kernel` and `device` say what it is for, and exactly one of `result`, `memory_left`, and
/// the two of slowness says what happens. See SimulatedFault for the values that mean nothing.
struct CupoolSimFault {
    const char* call;                      ///< as SimulatedFault::call; null: as empty
    const char* kernel;                    ///< as SimulatedFault::kernel; null: as empty
    int device;                            ///< as SimulatedFault::device
    std::uint64_t nth;                     ///< as SimulatedFault::nth
    int result;                            ///< as SimulatedFault::result
    enum CupoolSimFaultDuration duration;  ///< how long the result lasts
    double times_slower;                   ///< as SimulatedFault::times_slower
    double milliseconds;                   ///< as SimulatedFault::milliseconds
    std::uint64_t memory_left;             ///< UINT64_MAX: no matter
};

/// What is looked for, besides accesses out of bounds, misaligned ones and those to freed memory, which are always found. A bit set.
/// A finding ends its kernel: one call answers 719, and there is a report, also on stderr.
enum CupoolSimChecks {
    cupool_sim_check_none = 0,
    cupool_sim_check_initialisation = 1,  ///< reading registers and memory that nobody has written
    cupool_sim_check_races = 2,           ///< threads that touch the same memory, and are not ordered
    /// Memory that is freed, but not after its last use: no stream, no event and no waiting host orders the free behind it.
    cupool_sim_check_ordering = 4,
    /// Calls that are given a stream while another context than its own is current: a real driver takes most of them, but not all.
    cupool_sim_check_context = 8,
    cupool_sim_check_all = 15,
};

/// One driver call that has been answered.
struct CupoolSimCall {
    const char* entry_point;  ///< base name, "cuMemAlloc"; valid for ever
    int result;               ///< the CUresult that it answered
};
/// What cupoolSimSetTrace() calls, with the `user` pointer given there.
typedef void (*CupoolSimTrace)(const struct CupoolSimCall* call, void* user);

/// Fills in the default card: an H200.
void cupoolSimDefaultDevice(struct CupoolSimDevice* device);

/// Ends everything: waits for the devices to finish, frees all that is alive, forgets faults, counts, plans and the
/// trace, and leaves a driver nobody has initialised, as the environment asks for, which is also how programs are tested that know
/// nothing of this header:
///
///     CUPOOL_SIM_DEVICES=4                    how many, default 1
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
/// What is malformed there is never ignored: cuInit answers 999, and a line on stderr says what is wrong.
/// Reports in `left` (may be null) what was still alive, and unread findings; returns how many objects and findings that is.
std::uint64_t cupoolSimReset(struct CupoolSimLiveCounts* left);

/// The machine's devices, 0 to 64, from the next cuInit on. Fails when the driver is initialised: reset it first.
int cupoolSimSetDevices(const struct CupoolSimDevice* devices, int count);

/// What cuDriverGetVersion answers (12040 = 12.4). Entry points that are newer are not found, and answer not supported.
int cupoolSimSetDriverVersion(int version);

/// Makes the driver deterministic, from the next cuInit on; 0, the default, runs on real threads. Fails when the driver is initialised.
///
/// With a seed, one operation runs at a time, in an order that the seed and a virtual clock decide: kernels take as long as the
/// instructions they executed take the device, copies as their bytes, all with some jitter, and each call of the host moves the clock on a
/// little. What was due has happened when the call returns. A program with one host thread thus replays: the same calls answer the same,
/// operations run in the same order, and events tell the same times. What is not ordered comes in another order with another seed.
///
/// A program that waits for an effect without calling the driver (for a host function, say) is not left hanging: after a quarter of
/// a second without calls the clock runs on. Such a program need not replay exactly, nor one with several host threads.
int cupoolSimSetSeed(std::uint64_t seed);
/// The seed of cupoolSimSetSeed(); 0 if there is none.
std::uint64_t cupoolSimSeed(void);

/// What happened since the seed was set, a line each call and each operation that started, with its time on the virtual clock; equal
/// texts are equal runs. Cut to `length` bytes with its NUL; returns the whole length. Empty without a seed.
std::size_t cupoolSimReplayLog(char* log, std::size_t length);

/// Whether `mul` and `add` or `sub` that name no rounding become one `fma` where ptxas 13.0 makes them one (1, the default) or each rounds
/// by itself (0), in modules that are loaded from now on. Answers 1 (CUDA_ERROR_INVALID_VALUE) for another number.
int cupoolSimSetContraction(int contracts);

/// Of CupoolSimChecks, for what is queued from now on; none by default. Memory that was allocated before counts as initialised.
int cupoolSimSetChecks(unsigned checks);

/// Does not report what the checks for races and initialisation (local memory past a function's variables, skipped barriers and
/// the like included) find in a kernel, or at one line of it: of its PTX,
/// or of the source that `.loc` names. Line 0: anywhere in it. Each finding not reported is counted. Fails without a name.
int cupoolSimSuppress(const char* kernel, int line);
/// How many findings cupoolSimSuppress() has kept from being reported since the last reset.
std::uint64_t cupoolSimSuppressedCount(void);

/// How many findings the checks have reported since the last reset. Each ended the kernel that it was found in, and
/// one call answered 719; the report is in cupoolSimDeviceFaultReport(), a line each, and on stderr. Those counted here
/// no longer count as unread in CupoolSimLiveCounts.
std::uint64_t cupoolSimFindingCount(void);

/// What each launch may spend, from now on, before it ends as 702: warp instructions, and seconds of processor
/// time of the thread that runs it. Both are positive; 20e9 and 10 by default. Fails where one is not.
int cupoolSimSetKernelBudget(std::uint64_t warp_instructions, double seconds);

/// Whether `device` can reach the memory of `peer` (by default all can). Here, devices are counted without regard to CUDA_VISIBLE_DEVICES.
int cupoolSimSetPeerReachable(int device, int peer, int reachable);

/// Whether copies and sets by `device` to the memory of `peer` are lost, with no error, where the devices have access to each other: there
/// are such machines. Stores of kernels arrive. Counts devices likewise.
int cupoolSimSetPeerWritesLost(int device, int peer, int lost);

/// What opening a context on a device answers from now on; 0 heals it. Counts devices likewise.
int cupoolSimSetDeviceHealth(int device, int result);

/// Fills in what is alive now.
void cupoolSimLiveCount(struct CupoolSimLiveCounts* counts);

/// How often an entry point was called since the reset. By base name ("cuMemAlloc") or exported name; 0 for an unknown one.
std::uint64_t cupoolSimCallCount(const char* entry_point);

/// How often any was.
std::uint64_t cupoolSimCallCountOfAll(void);

/// Plans a fault: the `nth` call from now (1: the next one) of an entry point answers `result`, whatever number that is. Calls that
/// destroy or free do so nevertheless, as when a driver reports an earlier failure there; all others do nothing.
int cupoolSimPlanFault(const char* entry_point, std::uint64_t nth, int result, enum CupoolSimFaultDuration duration);

/// Plans any fault; what is planned adds up. When it makes no sense, says in `message` why, cut to `length` bytes with its NUL.
int cupoolSimPlan(const struct CupoolSimFault* fault, char* message, std::size_t length);

/// Plans all faults of a JSON file, or none when it is malformed, and then says in `message` what is wrong at which line or member:
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
/// Members are those of SimulatedFault, which says what they mean and what is left out.
int cupoolSimLoadPlan(const char* path, char* message, std::size_t length);

/// Forgets planned faults, and what they withheld of memory (a sticky one that has happened stays, as does a lost device).
void cupoolSimClearFaults(void);

/// Kills the devices at once, as a faulting kernel does.
void cupoolSimRaiseDeviceFault(int result);

/// What is known of the findings of the checks, a line each, and of the fault that killed the devices (kernel, line, thread, address),
/// cut to `length` bytes with its NUL; returns the whole length. Empty when there was none, or when nothing is known of it. Findings
/// that are reported here no longer count as unread in CupoolSimLiveCounts.
std::size_t cupoolSimDeviceFaultReport(char* report, std::size_t length);

/// Calls `trace` after each driver call, on its thread; null ends that.
void cupoolSimSetTrace(CupoolSimTrace trace, void* user);

}  // extern "C"
#pragma GCC visibility pop

namespace cupool {

/// A card of the simulated machine: an H200 unless you say otherwise.
struct SimulatedDevice {
    std::string name = "NVIDIA H200";              ///< what cuDeviceGetName answers
    std::uint64_t memory_bytes = 150'754'820'096;  ///< at most 512 GiB
    int compute_capability_major = 9;              ///< 9 of 9.0
    int compute_capability_minor = 0;              ///< 0 of 9.0
    int multiprocessor_count = 132;                ///< SMs
    bool memory_pools_supported = true;            ///< whether there are stream-ordered allocations
    int compute_mode = 0;                          ///< a CUcomputemode
    int clock_khz = 1'980'000;                     ///< see CupoolSimDevice
};

/// Something that goes wrong, or slowly, as planned. What it is for: a call, a kernel, a device, or several of them.
///
///     simulator.plan_fault({.call = "cuMemAlloc", .nth = 3, .result = 2});
///
/// A real driver (580, H200) has been seen to let every fault of a running kernel kill all devices of the process: that is
/// `cupool_sim_sticky`. What it does when a device in use falls off the bus has not been seen; `cupool_sim_lost` takes that device alone.
/// A program should survive either.
struct SimulatedFault {
    std::string call{};     ///< base or exported name; empty: any call, or with `device` any that reaches for that device
    std::string kernel{};   ///< empty: any. A result that is to last is the kernel's own fault when it runs; else its launch answers it
    int device = -1;        ///< as the program counts; -1: any. A call is for the device it names, or for that of the current context
    std::uint64_t nth = 1;  ///< which of these, from now on

    int result = 0;                                     ///< what is answered, whatever number that is
    CupoolSimFaultDuration duration = cupool_sim_once;  ///< how long the result lasts

    double times_slower = 1;  ///< of kernels, or all operations of a device, by the virtual clock: it needs a seed
    double milliseconds = 0;  ///< the same, and of calls: so much longer, by the virtual clock, or really where there is no seed

    std::optional<std::uint64_t> memory_left{};  ///< of a device, in bytes: as if another process had taken the rest
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
    /// As cupoolSimSetContraction.
    void set_contraction(bool contracts) {
        check(symbol<decltype(cupoolSimSetContraction)>("cupoolSimSetContraction")(contracts ? 1 : 0), "contraction");
    }
    /// Of CupoolSimChecks.
    void set_checks(unsigned checks) { check(symbol<decltype(cupoolSimSetChecks)>("cupoolSimSetChecks")(checks), "checks"); }
    /// See cupoolSimSuppress().
    void suppress(const std::string& kernel, int line = 0) {
        check(symbol<decltype(cupoolSimSuppress)>("cupoolSimSuppress")(kernel.c_str(), line), "suppression");
    }
    /// cupoolSimSuppressedCount().
    std::uint64_t suppressed_count() const { return symbol<decltype(cupoolSimSuppressedCount)>("cupoolSimSuppressedCount")(); }
    /// cupoolSimFindingCount(). The findings count as read from then on.
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
    /// Throws std::invalid_argument that says what makes no sense.
    void plan_fault(const SimulatedFault& fault) {
        const CupoolSimFault same{fault.call.c_str(), fault.kernel.c_str(), fault.device,
                                  fault.nth,          fault.result,         fault.duration,
                                  fault.times_slower, fault.milliseconds,   fault.memory_left.value_or(UINT64_MAX)};
        check_plan(
            [&](char* message, std::size_t length) { return symbol<decltype(cupoolSimPlan)>("cupoolSimPlan")(&same, message, length); });
    }
    /// See cupoolSimLoadPlan(). Throws std::invalid_argument that says what is malformed, and where.
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
    /// Resets the driver. Throws std::logic_error naming what the test left alive, findings of which nobody asked for the report or the
    /// count included, and the seed, if there is one.
    void reset() {
        const std::uint64_t seed = symbol<decltype(cupoolSimSeed)>("cupoolSimSeed")();
        CupoolSimLiveCounts left{};
        if (symbol<decltype(cupoolSimReset)>("cupoolSimReset")(&left) > 0) {
            throw std::logic_error("left alive: " + to_string(left) + (seed == 0 ? "" : "; seed " + std::to_string(seed)));
        }
    }

    /// The counts that are not 0, by name.
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
    template <typename Function>
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

    template <typename Plan>
    static void check_plan(const Plan& plan) {
        std::string message(1024, '\0');
        if (plan(message.data(), message.size()) != 0) {
            throw std::invalid_argument("fault plan: " + message.substr(0, message.find('\0')));
        }
    }

    static void check(int answer, const std::string& what) {
        if (answer != 0) {
            throw std::invalid_argument("the simulated driver refuses: " + what);
        }
    }

    void* library_;
};

}  // namespace cupool
