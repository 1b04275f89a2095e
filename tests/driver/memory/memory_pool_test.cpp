#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/memory_pool.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a pool of its own serves buffers and tells what it holds") {
    Machine machine;
    const DeviceContext device = DeviceContext::for_device(machine.driver, 1);
    const MemoryPool pool(device.context());
    const MemoryPoolView view = pool;
    CHECK(view.release_threshold() == 0);
    view.set_release_threshold(1 << 20);
    CHECK(view.release_threshold() == 1 << 20);
    CHECK(view.used() == 0);
    {
        const DeviceBuffer<std::byte> buffer(4096, device.with_memory_pool(pool));
        CHECK(view.used() >= 4096);
        CHECK(view.reserved() >= view.used());
    }
    device.stream().synchronize();
    CHECK(view.used() == 0);
    view.trim_to(0);
    CHECK(view.reserved() == 0);
    CHECK_NOTHROW(view.allow_access(0));
}

TEST_CASE("a device without pools has none to give") {
    SimulatedDevice plain;
    plain.memory_pools_supported = false;
    Machine machine(std::vector<SimulatedDevice>{plain});
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    CHECK_FALSE(MemoryPoolView::default_of(context));
    const Error error = error_of([&] { MemoryPool pool(context); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK_THAT(error.what(), contains_text("memory pools"));
}

TEST_CASE("a pool's maximum size needs a driver of CUDA 12.2, and older ones are told so") {
    const Machine older(std::vector<SimulatedDevice>(1), 12010);
    const PrimaryContext context = PrimaryContext::retain(Device(older.driver, 0));
    CHECK_NOTHROW(MemoryPool(context));
    const Error error = error_of([&] { MemoryPool(context, {.max_bytes = 1 << 20}); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK_THAT(error.what(), contains_text("12.2"));
}
