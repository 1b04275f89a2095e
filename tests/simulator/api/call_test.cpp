// Properties of all entry points.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "machine.hpp"

using namespace cupool::test;

namespace {

template <class... Arguments>
Status call_with_zeros(Status (*function)(Arguments...)) {
    return function(Arguments{}...);
}

struct Call {
    std::string base;
    std::string exported;
    std::function<Status(const Library&)> call;
};

// Calls each entry point with zeros as arguments, which any call that runs refuses early.
const std::vector<Call>& every_call() {
    static const std::vector<Call> calls{
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    {base, exported, [](const Library& cuda) { return call_with_zeros(cuda.member); }},
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    };
    return calls;
}

bool works_uninitialised(const std::string& base) {
    return base == "cuInit" || base == "cuDriverGetVersion" || base == "cuGetErrorName" || base == "cuGetErrorString";
}

}  // namespace

namespace {

/// An unambiguous name: the base name, unless another variant has it too.
std::string name_of(const Call& call) {
    for (const Call& other : every_call()) {
        if (other.base == call.base && other.exported != call.exported) return call.exported;
    }
    return call.base;
}

}  // namespace

TEST_CASE("every entry point is exported and found by its base name") {
    Machine machine;
    for (const Call& call : every_call()) {
        INFO(call.exported);
        CHECK(machine.cuda.symbol(call.exported.c_str()) != nullptr);
    }
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature)                    \
    {                                                                                                  \
        void* found = nullptr;                                                                         \
        CHECK(machine.cuda.get_proc_address_v2(base, &found, version, 0, nullptr) == Status::success); \
        CHECK(found == machine.cuda.symbol(exported));                                                 \
    }
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
}

TEST_CASE("every entry point counts its calls and knows whether the driver is initialised") {
    Machine machine;
    for (const Call& call : every_call()) {
        INFO(call.base);
        const std::uint64_t all = machine.simulator.call_count();
        const Status result = call.call(machine.cuda);
        if (!works_uninitialised(call.base)) {
            CHECK(result == Status::not_initialized);
        }
        CHECK(machine.simulator.call_count(name_of(call)) == 1);
        CHECK(machine.simulator.call_count(call.exported) == 1);
        CHECK(machine.simulator.call_count() == all + 1);
        if (call.base == "cuInit") {
            machine.simulator.reset();
        }
    }
}

TEST_CASE("any entry point can be made to fail once") {
    Machine machine;
    machine.begin();
    for (const Call& call : every_call()) {
        INFO(call.base);
        machine.simulator.plan_fault(name_of(call), 1, 996);
        CHECK(static_cast<int>(call.call(machine.cuda)) == 996);
        machine.simulator.plan_fault(call.exported, 2, 997);
        CHECK(static_cast<int>(call.call(machine.cuda)) != 997);
        CHECK(static_cast<int>(call.call(machine.cuda)) == 997);
        CHECK(static_cast<int>(call.call(machine.cuda)) != 997);
    }
}

TEST_CASE("any entry point can be made to fail for ever") {
    Machine machine;
    machine.begin();
    for (const Call& call : every_call()) {
        INFO(call.base);
        machine.simulator.plan_fault(name_of(call), 2, 999, cupool_sim_always);
        CHECK(static_cast<int>(call.call(machine.cuda)) != 999);
        CHECK(static_cast<int>(call.call(machine.cuda)) == 999);
        CHECK(static_cast<int>(call.call(machine.cuda)) == 999);
        machine.simulator.clear_faults();
        CHECK(static_cast<int>(call.call(machine.cuda)) != 999);
    }
}

TEST_CASE("no entry point may be called from a host function, except those that need no driver") {
    static Machine* machine = nullptr;
    Machine here;
    machine = &here;
    here.begin();
    const Stream stream = here.stream();
    static std::map<std::string, Status> results;
    results.clear();
    REQUIRE(here.cuda.stream_launch_host_function(
                stream,
                [](void*) {
                    for (const Call& call : every_call()) {
                        results[call.base] = call.call(machine->cuda);
                    }
                },
                nullptr) == Status::success);
    REQUIRE(here.cuda.stream_synchronize(stream) == Status::success);
    for (const auto& [base, result] : results) {
        INFO(base);
        if (!works_uninitialised(base)) {
            CHECK(result == Status::not_permitted);
        }
    }
    REQUIRE(here.cuda.stream_destroy(stream) == Status::success);
    here.leave(0);
    here.simulator.reset();
}

TEST_CASE("the trace reports each call and its result") {
    Machine machine;
    std::vector<std::pair<std::string, int>> calls;
    machine.simulator.set_trace(
        [](const CupoolSimCall* call, void* user) {
            static_cast<std::vector<std::pair<std::string, int>>*>(user)->emplace_back(call->entry_point, call->result);
        },
        &calls);
    REQUIRE(machine.cuda.init(0) == Status::success);
    int value = 0;
    CHECK(machine.cuda.device_get(&value, 7) == Status::invalid_device);
    machine.simulator.set_trace(nullptr, nullptr);
    CHECK(machine.cuda.device_get(&value, 0) == Status::success);
    CHECK(calls == std::vector<std::pair<std::string, int>>{{"cuInit", 0}, {"cuDeviceGet", 101}});
}

TEST_CASE("planning refuses invalid faults") {
    Machine machine;
    CHECK_THROWS_AS(machine.simulator.plan_fault("cuNoSuchThing", 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(machine.simulator.plan_fault("cuInit", 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(machine.simulator.plan_fault("cuInit", 1, 0), std::invalid_argument);
    CHECK(machine.simulator.call_count("cuNoSuchThing") == 0);
}

TEST_CASE("every code has a name that the driver gives") {
    Machine machine;
    const char* name = nullptr;
    REQUIRE(machine.cuda.get_error_name(Status::launch_failed, &name) == Status::success);
    CHECK(std::string(name) == "CUDA_ERROR_LAUNCH_FAILED");
    REQUIRE(machine.cuda.get_error_string(Status::launch_failed, &name) == Status::success);
    CHECK(std::string(name) == "launch failed");
    REQUIRE(machine.cuda.get_error_string(Status::success, &name) == Status::success);
    CHECK(std::string(name) == "cuda success");
}
