// The simulated driver's own allocations fail, and the threads that it makes: the Nth, for N = 1, 2, ... until none does, and that and all
// after it. Calls then answer "out of memory" or "operating system" and have done nothing, or the device has that fault; in no case does
// the program end, hang, or leave anything behind. Each case is a process of its own, since the driver keeps its threads.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include <cupool/simulator/simulator.hpp>

#include "catch.hpp"
#include "driver_workload.hpp"
#include "failing_new.hpp"
#include "failing_threads.hpp"
#include "sanitizers.hpp"
#include "simulated_driver.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Under a sanitizer only every fourth one fails.
constexpr std::uint64_t stride = is_sanitized ? 4 : 1;
/// After which a process is taken to hang, and killed by a signal.
constexpr unsigned patience_seconds = 120;

enum class Resource { memory, threads };

struct Scenario {
    const char* name;
    Resource resource;
    bool lasts;
    std::uint64_t seed;
    unsigned checks;
    void (DriverWorkload::*work)();
};

EntryPoints marked_driver() {
    const LoadOptions options = simulated_driver();
    EntryPoints api;
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    api.member = reinterpret_cast<decltype(api.member)>(options.resolver(exported));
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    return api;
}

/// \return whether anything failed
bool work_in_shortage(const Scenario& scenario, std::uint64_t nth, DriverWorkload& workload) {
    if (scenario.resource == Resource::memory) {
        const auto duration = scenario.lasts ? FailingNew::Duration::for_ever : FailingNew::Duration::once;
        const FailingNew failing(nth, duration, FailingNew::Whose::driver);
        (workload.*scenario.work)();
        return FailingNew::has_failed();
    }
    const auto duration = scenario.lasts ? FailingThreads::Duration::for_ever : FailingThreads::Duration::once;
    const FailingThreads failing(nth, duration, FailingThreads::Whose::driver);
    (workload.*scenario.work)();
    return FailingThreads::has_failed();
}

bool is_shortage(abi::Status result) { return result == abi::Status::out_of_memory || result == abi::Status::operating_system; }

/// Works in shortage, and then, with the driver anew, without. \return whether there was anything to fail
bool run(const Scenario& scenario, std::uint64_t nth) {
    const EntryPoints api = marked_driver();
    const auto begin_anew = [&](Simulator& simulator) {
        simulator.set_seed(scenario.seed);
        simulator.set_checks(scenario.checks);
    };
    std::optional<InDriver> driver_at_work(std::in_place);
    Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, std::vector<SimulatedDevice>{{}});
    begin_anew(simulator);
    driver_at_work.reset();
    bool has_failed = false;
    {
        DriverWorkload workload(api);
        has_failed = work_in_shortage(scenario, nth, workload);
        const abi::Status fault = workload.settle();
        if (fault == abi::Status::success) {
            workload.finish();
            simulator.reset();  // throws if anything is left alive
        } else if (!is_shortage(fault) || (simulator.device_fault_report().empty() && !scenario.lasts)) {
            throw std::logic_error("the device's fault is " + std::to_string(static_cast<int>(fault)) + ": " +
                                   simulator.device_fault_report());
        } else {
            try {
                simulator.reset();
            } catch (const std::exception&) {  // what the workload did not free
            }
        }
    }
    begin_anew(simulator);
    DriverWorkload again(api);
    (again.*scenario.work)();
    if (again.settle() != abi::Status::success) throw std::logic_error("a fault without shortage");
    again.finish();
    simulator.reset();
    return has_failed;
}

enum class Ending { nothing_failed, right, wrong };

[[noreturn]] void run_as_child(const Scenario& scenario, std::uint64_t nth) {
    alarm(patience_seconds);
    Ending ending = Ending::wrong;
    try {
        ending = run(scenario, nth) ? Ending::right : Ending::nothing_failed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: number %llu: %s\n", scenario.name, static_cast<unsigned long long>(nth), error.what());
    }
    std::_Exit(static_cast<int>(ending));
}

Ending run_in_child(const Scenario& scenario, std::uint64_t nth) {
    const pid_t child = fork();
    if (child == 0) run_as_child(scenario, nth);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    INFO(scenario.name << ": number " << nth);
    if (WIFSIGNALED(status)) {
        FAIL_CHECK("killed by signal " << WTERMSIG(status));
        return Ending::wrong;
    }
    const auto ending = static_cast<Ending>(WEXITSTATUS(status));
    CHECK((ending == Ending::right || ending == Ending::nothing_failed));
    return ending;
}

void fail_each(const Scenario& scenario) {
    std::uint64_t nth = 1;
    while (run_in_child(scenario, nth) != Ending::nothing_failed) nth += stride;
    std::cout << scenario.name << ": " << nth - 1 << (stride == 1 ? ", each" : ", every fourth") << " of which failed" << std::endl;
    CHECK(nth > 1);
}

}  // namespace

TEST_CASE("the simulated driver has no memory, once or any more, and answers so") {
    const auto queue_work = &DriverWorkload::queue_work;
    const auto make_objects = &DriverWorkload::make_objects;
    fail_each({"work, one allocation", Resource::memory, false, 0, 0, queue_work});
    fail_each({"work, an allocation and all after it", Resource::memory, true, 0, 0, queue_work});
    fail_each({"work with a seed, one allocation", Resource::memory, false, 7, cupool_sim_check_ordering, queue_work});
    fail_each({"work with a seed, an allocation and all after it", Resource::memory, true, 7, cupool_sim_check_ordering, queue_work});
    fail_each({"objects, one allocation", Resource::memory, false, 0, 0, make_objects});
    fail_each({"objects, an allocation and all after it", Resource::memory, true, 0, 0, make_objects});
}

TEST_CASE("the simulated driver gets no thread, once or any more, and answers so") {
    const auto queue_work = &DriverWorkload::queue_work;
    const auto queue_behind_gates = &DriverWorkload::queue_work_behind_gates;
    fail_each({"work, one thread", Resource::threads, false, 0, 0, queue_behind_gates});
    fail_each({"work, a thread and all after it", Resource::threads, true, 0, 0, queue_behind_gates});
    fail_each({"work with a seed, one thread", Resource::threads, false, 7, 0, queue_work});
    fail_each({"work with a seed, a thread and all after it", Resource::threads, true, 7, 0, queue_work});
}
