#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/device_context.hpp>
#include <limits>
#include <sstream>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a device context has the device's default stream and pool") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 1);
    CHECK_FALSE(context.is_host());
    CHECK(context.device() == 1);
    CHECK(context.stream().handle() == nullptr);
    CHECK(context.stream().ordinal() == 1);
    CHECK(context.context().ordinal() == 1);
    REQUIRE(context.memory_pool());
    CHECK(context.memory_pool().context().ordinal() == 1);
    CHECK(to_string(context) == "device 1, default stream, pooled memory");
    CHECK(machine.simulator.live_counts().primary_context_retains == 1);
    const DeviceContext copy = context;
    CHECK(machine.simulator.live_counts().primary_context_retains == 1);
}

TEST_CASE("the default pool keeps freed memory, unless the program has said how much") {
    Machine machine;
    const DeviceContext first = DeviceContext::for_device(machine.driver, 0);
    CHECK(first.memory_pool().release_threshold() == std::numeric_limits<std::uint64_t>::max());

    const PrimaryContext primary = PrimaryContext::retain(Device(machine.driver, 1));
    MemoryPoolView::default_of(primary).set_release_threshold(1 << 20);
    const DeviceContext second = DeviceContext::for_device(machine.driver, 1);
    CHECK(second.memory_pool().release_threshold() == 1 << 20);
}

TEST_CASE("the host has threads and no stream") {
    const DeviceContext host;
    CHECK(host.is_host());
    CHECK(host.device() == -1);
    CHECK(host.host_threads() >= 1);
    CHECK(DeviceContext::host(3).host_threads() == 3);
    CHECK(to_string(DeviceContext::host(3)) == "host, 3 threads");
    CHECK(error_of([&] { (void)host.stream(); }).category() == ErrorCategory::unsupported);
    CHECK(error_of([&] { (void)host.context(); }).category() == ErrorCategory::unsupported);
    CHECK(error_of([&] { (void)host.memory_pool(); }).category() == ErrorCategory::unsupported);
    CHECK(error_of([&] { (void)host.with_stream(StreamView()); }).category() == ErrorCategory::unsupported);
}

TEST_CASE("a stream and a pool of the same context can be put in, and of no other") {
    Machine machine;
    const DeviceContext first = DeviceContext::for_device(machine.driver, 0);
    const DeviceContext second = DeviceContext::for_device(machine.driver, 1);
    const MemoryPool pool(first.context());
    DeviceContext changed = first;
    {
        const Stream stream(first.context());
        changed = first.with_stream(stream).with_memory_pool(pool);
        CHECK(changed.stream() == stream.view());
        CHECK(changed.memory_pool() == pool.view());
        const Error error = error_of([&] { (void)second.with_stream(stream); });
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK_THAT(error.what(), contains_text("device 0"));
        CHECK_THAT(error.what(), contains_text("device 1"));
    }
    CHECK(error_of([&] { (void)second.with_memory_pool(pool); }).category() == ErrorCategory::wrong_context);
    // The stream lives on in the context that was given it.
    CHECK(machine.simulator.live_counts().streams == 1);
    CHECK_NOTHROW(changed.stream().synchronize());
    CHECK_FALSE(changed.with_memory_pool(MemoryPoolView()).memory_pool());
}

TEST_CASE("a created context serves as well") {
    Machine machine;
    const Context created(Device(machine.driver, 0));
    const DeviceContext context = DeviceContext::in(created);
    const DeviceBuffer<int> buffer(10, context);
    CHECK(buffer.device() == 0);
    CHECK(machine.simulator.live_counts().primary_context_retains == 0);
}

TEST_CASE("what a layer keeps with a device context is made once and goes with the last copy") {
    struct Kept {
        explicit Kept(ContextView context) : stream(context) {}
        Stream stream;
    };
    Machine machine;
    {
        const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
        const DeviceContext copy = context;
        CHECK(context.resource<Kept>() == copy.resource<Kept>());
        CHECK(machine.simulator.live_counts().streams == 1);
    }
    CHECK(machine.simulator.live_counts().streams == 0);
}

TEST_CASE("an ordinal that no device has makes no device context") {
    Machine machine;
    CHECK(error_of([&] { DeviceContext::for_device(machine.driver, 2); }).category() == ErrorCategory::invalid_device);
}
