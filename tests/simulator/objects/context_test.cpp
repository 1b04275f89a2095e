#include <chrono>
#include <thread>

#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("contexts are current by thread") {
    Machine machine;
    const Context context = machine.begin();
    Context elsewhere = context;
    Status allocation{};
    std::thread([&] {
        machine.cuda.context_get_current(&elsewhere);
        DevicePointer pointer = 0;
        allocation = machine.cuda.memory_allocate(&pointer, 16);
    }).join();
    CHECK(elsewhere == nullptr);
    CHECK(allocation == Status::invalid_context);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("a primary context lives as long as it is retained") {
    Machine machine;
    const Context context = machine.begin();
    machine.enter(0);
    const DevicePointer memory = machine.memory(64);
    const Stream stream = machine.stream();
    machine.leave(0);
    CHECK(machine.cuda.set_bytes_async(memory, 1, 64, stream) == Status::success);
    CHECK(machine.simulator.live_counts().streams == 1);
    machine.leave(0);
    const CupoolSimLiveCounts counts = machine.simulator.live_counts();
    CHECK(counts.streams == 0);
    CHECK(counts.device_allocations == 0);
    DevicePointer pointer = 0;
    CHECK(machine.cuda.memory_allocate(&pointer, 16) == Status::context_is_destroyed);
    CHECK(machine.cuda.stream_query(stream) == Status::context_is_destroyed);
    CHECK(machine.enter(0) == context);
    CHECK(machine.cuda.memory_allocate(&pointer, 16) == Status::success);
    CHECK(machine.cuda.stream_query(stream) == Status::context_is_destroyed);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("destroying a context waits for its work and takes all it has") {
    Machine machine;
    machine.begin();
    Context created{};
    REQUIRE(machine.cuda.context_create(&created, 0, 0) == Status::success);
    const Stream stream = machine.stream();
    auto* const ran = new std::atomic<bool>(false);
    REQUIRE(machine.cuda.stream_launch_host_function(
                stream,
                [](void* flag) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    *static_cast<std::atomic<bool>*>(flag) = true;
                },
                ran) == Status::success);
    machine.memory(100);
    machine.module(store_text);
    machine.event();
    REQUIRE(machine.cuda.context_destroy(created) == Status::success);
    CHECK(*ran);
    delete ran;
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("garbage for a context is refused") {
    Machine machine;
    machine.begin();
    const auto garbage = reinterpret_cast<Context>(std::uintptr_t{0x1234});
    const auto stream = reinterpret_cast<Context>(machine.stream());
    for (const Context wrong : {garbage, stream}) {
        CHECK(machine.cuda.context_set_current(wrong) == Status::invalid_context);
        CHECK(machine.cuda.context_push_current(wrong) == Status::invalid_context);
        CHECK(machine.cuda.context_destroy(wrong) == Status::invalid_context);
        CHECK(machine.cuda.context_enable_peer_access(wrong, 0) == Status::invalid_context);
    }
}

TEST_CASE("peers that cannot reach one another") {
    Machine machine({{}, {}, {}});
    REQUIRE(machine.cuda.init(0) == Status::success);
    machine.simulator.set_peer_reachable(0, 1, false);
    int can = -1;
    REQUIRE(machine.cuda.device_can_access_peer(&can, 0, 1) == Status::success);
    CHECK(can == 0);
    REQUIRE(machine.cuda.device_can_access_peer(&can, 1, 0) == Status::success);
    CHECK(can == 1);
    const Context second = machine.enter(1);
    const Context third = machine.enter(2);
    machine.enter(0);
    CHECK(machine.cuda.context_enable_peer_access(second, 0) == Status::peer_access_unsupported);
    CHECK(machine.cuda.context_enable_peer_access(third, 0) == Status::success);
    MemoryPool pool{};
    REQUIRE(machine.cuda.device_get_default_memory_pool(&pool, 1) == Status::success);
    const MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read_write};
    CHECK(machine.cuda.memory_pool_set_access(pool, &access, 1) == Status::invalid_device);
    for (const int device : {0, 1, 2}) {
        machine.leave(device);
    }
    machine.simulator.reset();
}
