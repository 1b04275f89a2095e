#include "machine.hpp"

using namespace cupool::test;

namespace {

constexpr std::uint64_t mib = 1 << 20;

MemoryPool created_pool(Machine& machine, int device) {
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, device};
    MemoryPool pool{};
    REQUIRE(machine.cuda.memory_pool_create(&pool, &properties) == Status::success);
    return pool;
}

}  // namespace

TEST_CASE("a pool gives back at a synchronisation what it holds beyond its threshold") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const MemoryPool pool = created_pool(machine, 0);
    const auto used = [&] { return machine.pool_number(pool, MemoryPoolAttribute::used_memory_current); };
    const auto reserved = [&] { return machine.pool_number(pool, MemoryPoolAttribute::reserved_memory_current); };
    DevicePointer first = 0;
    DevicePointer second = 0;
    REQUIRE(machine.cuda.memory_allocate_from_pool_async(&first, 40 * mib, pool, stream) == Status::success);
    REQUIRE(machine.cuda.memory_allocate_from_pool_async(&second, 10 * mib, pool, stream) == Status::success);
    CHECK(used() == 50 * mib);
    CHECK(reserved() == 64 * mib);
    std::uint64_t threshold = 64 * mib;
    REQUIRE(machine.cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::release_threshold, &threshold) == Status::success);
    REQUIRE(machine.cuda.memory_free_async(first, stream) == Status::success);
    REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    CHECK(used() == 10 * mib);
    CHECK(reserved() == 64 * mib);
    threshold = 0;
    REQUIRE(machine.cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::release_threshold, &threshold) == Status::success);
    CHECK(reserved() == 64 * mib);
    REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    CHECK(reserved() == 32 * mib);
    CHECK(machine.pool_number(pool, MemoryPoolAttribute::used_memory_high) == 50 * mib);
    CHECK(machine.pool_number(pool, MemoryPoolAttribute::reserved_memory_high) == 64 * mib);
    REQUIRE(machine.cuda.memory_free_async(second, stream) == Status::success);
    REQUIRE(machine.cuda.memory_pool_destroy(pool) == Status::success);
    REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("memory of a pool is reused along its stream without waiting") {
    cupool::SimulatedDevice small;
    small.memory_bytes = 128 * mib;
    Machine machine({small});
    machine.begin();
    const Stream stream = machine.stream();
    Gate gate(machine.cuda, stream);
    for (int i = 0; i < 10; ++i) {
        DevicePointer pointer = 0;
        REQUIRE(machine.cuda.memory_allocate_async(&pointer, 100 * mib, stream) == Status::success);
        REQUIRE(machine.cuda.set_bytes_async(pointer, 1, 100, stream) == Status::success);
        REQUIRE(machine.cuda.memory_free_async(pointer, stream) == Status::success);
    }
    gate.open();
    REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("unused memory of a pool does not make an allocation fail") {
    cupool::SimulatedDevice small;
    small.memory_bytes = 128 * mib;
    Machine machine({small});
    machine.begin();
    MemoryPool pool{};
    REQUIRE(machine.cuda.device_get_default_memory_pool(&pool, 0) == Status::success);
    std::uint64_t threshold = ~std::uint64_t{0};
    REQUIRE(machine.cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::release_threshold, &threshold) == Status::success);
    DevicePointer pointer = 0;
    REQUIRE(machine.cuda.memory_allocate_async(&pointer, 90 * mib, nullptr) == Status::success);
    DevicePointer plain = 0;
    CHECK(machine.cuda.memory_allocate(&plain, 90 * mib) == Status::out_of_memory);
    REQUIRE(machine.cuda.memory_free_async(pointer, nullptr) == Status::success);
    REQUIRE(machine.cuda.context_synchronize() == Status::success);
    CHECK(machine.pool_number(pool, MemoryPoolAttribute::reserved_memory_current) == 96 * mib);
    CHECK(machine.cuda.memory_allocate(&plain, 90 * mib) == Status::success);
    CHECK(machine.pool_number(pool, MemoryPoolAttribute::reserved_memory_current) == 0);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("pool memory lives until its free has happened") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    DevicePointer pointer = 0;
    REQUIRE(machine.cuda.memory_allocate_async(&pointer, 4, stream) == Status::success);
    auto* const value = machine.pinned<std::uint32_t>(1);
    {
        Gate gate(machine.cuda, stream);
        REQUIRE(machine.cuda.set_words_async(pointer, 31, 1, stream) == Status::success);
        REQUIRE(machine.cuda.copy_device_to_host_async(value, pointer, 4, stream) == Status::success);
        REQUIRE(machine.cuda.memory_free_async(pointer, stream) == Status::success);
        CHECK(machine.simulator.live_counts().device_allocations == 0);
        gate.open();
        REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    }
    CHECK(*value == 31);
}

TEST_CASE("a copy that runs after the free of its memory is the device's fault") {
    Machine machine;
    machine.begin();
    const Stream early = machine.stream();
    const Stream late = machine.stream();
    DevicePointer pointer = 0;
    REQUIRE(machine.cuda.memory_allocate_async(&pointer, 4, early) == Status::success);
    REQUIRE(machine.cuda.stream_synchronize(early) == Status::success);
    {
        Gate gate(machine.cuda, late);
        REQUIRE(machine.cuda.set_words_async(pointer, 1, 1, late) == Status::success);
        REQUIRE(machine.cuda.memory_free_async(pointer, early) == Status::success);
        REQUIRE(machine.cuda.stream_synchronize(early) == Status::success);
        gate.open();
        CHECK(machine.cuda.stream_synchronize(late) == Status::illegal_address);
    }
}

TEST_CASE("a device without pools has none") {
    cupool::SimulatedDevice old;
    old.memory_pools_supported = false;
    Machine machine({old});
    machine.begin();
    DevicePointer pointer = 0;
    CHECK(machine.cuda.memory_allocate_async(&pointer, 16, nullptr) == Status::not_supported);
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    MemoryPool pool{};
    CHECK(machine.cuda.memory_pool_create(&pool, &properties) == Status::not_supported);
    machine.leave(0);
    machine.simulator.reset();
}
