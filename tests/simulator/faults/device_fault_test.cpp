// Device faults, planned failures, forks.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>

#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("a device fault kills every device of the process, and a reset helps") {
    Machine machine({{}, {}});
    machine.begin();
    machine.enter(1);
    const DevicePointer there = machine.memory(16);
    machine.enter(0);
    machine.simulator.raise_device_fault(static_cast<int>(Status::illegal_address));
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
    machine.enter(1);
    std::uint32_t value = 0;
    CHECK(machine.cuda.copy_device_to_host(&value, there, 4) == Status::illegal_address);
    machine.simulator.raise_device_fault(static_cast<int>(Status::launch_failed));
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
    CHECK_THROWS(machine.simulator.reset());
    machine.begin();
    CHECK(machine.cuda.context_synchronize() == Status::success);
}

TEST_CASE("a sticky fault is returned by one call at first and then by all") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    machine.simulator.plan_fault("cuStreamSynchronize", 2, static_cast<int>(Status::launch_failed), cupool_sim_sticky);
    CHECK(machine.cuda.stream_synchronize(stream) == Status::success);
    CHECK(machine.cuda.stream_query(stream) == Status::success);
    CHECK(machine.cuda.stream_synchronize(stream) == Status::launch_failed);
    CHECK(machine.cuda.stream_query(stream) == Status::launch_failed);
}

TEST_CASE("on a dead device, releasing releases") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const Event event = machine.event();
    const DevicePointer memory = machine.memory(16);
    const DevicePointer plain = machine.memory(16);
    auto* const pinned = machine.pinned<char>(16);
    const Module module = machine.module(store_text);
    Context created{};
    REQUIRE(machine.cuda.context_create(&created, 0, 0) == Status::success);
    machine.simulator.raise_device_fault(static_cast<int>(Status::illegal_address));
    CHECK(machine.cuda.memory_free_async(memory, stream) == Status::illegal_address);
    CHECK(machine.cuda.memory_free(plain) == Status::illegal_address);
    CHECK(machine.cuda.host_free(pinned) == Status::illegal_address);
    CHECK(machine.cuda.module_unload(module) == Status::illegal_address);
    CHECK(machine.cuda.event_destroy(event) == Status::illegal_address);
    CHECK(machine.cuda.stream_destroy(stream) == Status::illegal_address);
    CHECK(machine.cuda.context_destroy(created) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("a release that is planned to fail releases") {
    Machine machine;
    machine.begin();
    const DevicePointer memory = machine.memory(16);
    machine.simulator.plan_fault("cuMemFree", 1, static_cast<int>(Status::illegal_address));
    CHECK(machine.cuda.memory_free(memory) == Status::illegal_address);
    machine.simulator.plan_fault("cuDevicePrimaryCtxRelease", 1, static_cast<int>(Status::unknown));
    CHECK(machine.cuda.primary_context_release(0) == Status::unknown);
    machine.simulator.reset();
}

TEST_CASE("what was queued behind a fault does not run") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    bool ran = false;
    {
        Gate gate(machine.cuda, stream);
        REQUIRE(machine.cuda.stream_launch_host_function(
                    stream, [](void* flag) { *static_cast<bool*>(flag) = true; }, &ran) == Status::success);
        machine.simulator.raise_device_fault(static_cast<int>(Status::launch_failed));
        gate.open();
        CHECK(machine.cuda.stream_synchronize(stream) == Status::launch_failed);
        CHECK_THROWS(machine.simulator.reset());
    }
    CHECK_FALSE(ran);
}

TEST_CASE("a fork of an initialised driver has none") {
    Machine machine;
    machine.begin();
    const pid_t child = fork();
    if (child == 0) {
        int count = 0;
        Context context{};
        const bool right =
            machine.cuda.init(0) == Status::not_initialized && machine.cuda.device_get_count(&count) == Status::not_initialized &&
            machine.cuda.primary_context_retain(&context, 0) == Status::not_initialized &&
            machine.cuda.context_synchronize() == Status::not_initialized && machine.cuda.driver_get_version(&count) == Status::success;
        std::_Exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(machine.cuda.context_synchronize() == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}
