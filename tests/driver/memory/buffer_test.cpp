#include <atomic>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <limits>
#include <numeric>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

SimulatedDevice device_without_pools() {
    SimulatedDevice device;
    device.memory_pools_supported = false;
    return device;
}

/// Which driver calls were made, in order.
struct CallTrace {
    explicit CallTrace(Simulator& traced) : simulator(traced) {
        simulator.set_trace([](const CupoolSimCall* call, void* user) { static_cast<CallTrace*>(user)->add(call->entry_point); }, this);
    }
    ~CallTrace() { simulator.set_trace(nullptr, nullptr); }

    void add(const std::string& name) {
        if (name.rfind("cuCtx", 0) != 0) names += name + ' ';
    }

    Simulator& simulator;
    std::string names;
};

}  // namespace

TEST_CASE("a buffer is allocated on its device and freed") {
    const bool has_pools = GENERATE(true, false);
    Machine machine(std::vector<SimulatedDevice>{device_without_pools(), has_pools ? SimulatedDevice{} : device_without_pools()});
    const DeviceContext context = DeviceContext::for_device(machine.driver, 1);
    CHECK(static_cast<bool>(context.memory_pool()) == has_pools);
    {
        DeviceBuffer<double> buffer(1000, context);
        CHECK(buffer.size() == 1000);
        CHECK(buffer.size_bytes() == 8000);
        CHECK(buffer.device() == 1);
        CHECK(buffer.span().device() == 1);
        CHECK(buffer.span().size() == 1000);
        CHECK(buffer.stream() == context.stream());
        CHECK(machine.simulator.live_counts().device_allocations == 1);
        CHECK(machine.simulator.call_count("cuMemAllocFromPoolAsync") == (has_pools ? 1 : 0));
        CHECK(machine.simulator.call_count("cuMemAlloc") == (has_pools ? 0 : 1));

        DeviceBuffer<double> moved = std::move(buffer);
        CHECK(buffer.empty());  // NOLINT(bugprone-use-after-move): moved-from buffers are empty
        CHECK(buffer.span().empty());
        moved = DeviceBuffer<double>(10, context);
        CHECK(moved.size() == 10);
    }
    context.stream().synchronize();
    CHECK(machine.simulator.live_counts().device_allocations == 0);
}

TEST_CASE("a buffer of nothing makes no call of the driver") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 1);
    const std::uint64_t calls = machine.simulator.call_count();
    {
        DeviceBuffer<int> empty(0, context);
        CHECK(empty.empty());
        CHECK(empty.device() == 1);
        empty.record_use(context.stream());
        PinnedBuffer<int> pinned(0, context.context());
        CHECK(pinned.span().empty());
        copy_async(empty.span(), pinned.span(), context.stream());
        fill_bytes_async(empty.span(), 0, context.stream());
        const DeviceBuffer<int> none;
        CHECK(none.device() == -1);
    }
    CHECK(machine.simulator.call_count() == calls);
}

TEST_CASE("sizes that cannot be are refused before the driver is asked") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const std::uint64_t calls = machine.simulator.call_count();
    constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max() / 8 + 1;
    CHECK(error_of([&] { DeviceBuffer<double>(too_many, context); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { PinnedBuffer<double>(too_many, context.context()); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { DeviceBuffer<double>(1, DeviceContext::host()); }).category() == ErrorCategory::unsupported);
    CHECK(machine.simulator.call_count() == calls);
}

TEST_CASE("memory that is not there is a typed error that says how much there is") {
    const bool has_pools = GENERATE(true, false);
    Machine machine(std::vector<SimulatedDevice>{has_pools ? SimulatedDevice{} : device_without_pools()});
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const std::size_t too_much = std::size_t{1} << 40;
    const Error error = error_of([&] { DeviceBuffer<std::byte>(too_much, context); });
    CHECK(error.category() == ErrorCategory::out_of_memory);
    CHECK(error.device() == 0);
    CHECK_THAT(error.what(), contains_text("1099511627776 bytes"));
    CHECK_THAT(error.what(), contains_text("150754820096"));
    CHECK_THAT(error.what(), contains_text("buffer_test.cpp"));
    const auto result = DeviceBuffer<std::byte>::try_allocate(too_much, context);
    REQUIRE_FALSE(result);
    CHECK(result.error().category() == ErrorCategory::out_of_memory);
    CHECK(DeviceBuffer<std::byte>::try_allocate(16, context).value().size() == 16);
}

TEST_CASE("a free waits for uses on other streams") {
    const bool has_pools = GENERATE(true, false);
    Machine machine(std::vector<SimulatedDevice>{has_pools ? SimulatedDevice{} : device_without_pools(), {}});
    {
        const DeviceContext device = DeviceContext::for_device(machine.driver, 0);
        const PrimaryContext other_device = PrimaryContext::retain(Device(machine.driver, 1));
        const Stream own(device.context());
        const Stream second(device.context());
        const Stream third(other_device);
        std::atomic<bool> open{false};
        second.launch_host_function([&] {
            while (!open) {
            }
        });
        third.launch_host_function([] {});
        std::optional<DeviceBuffer<int>> buffer(std::in_place, 100, device.with_stream(own));
        buffer->record_use(own);  // its own stream needs no event
        CHECK(machine.simulator.live_counts().events == 0);
        buffer->record_use(second);
        buffer->record_use(third);
        buffer->record_use(second);
        CHECK(machine.simulator.live_counts().events == 2);
        if (!has_pools) {
            open = true;  // a plain free waits on the calling thread
        }
        std::string calls;
        {
            CallTrace trace(machine.simulator);
            buffer.reset();
            calls = trace.names;
        }
        if (has_pools) {
            CHECK(calls == "cuStreamWaitEvent cuStreamWaitEvent cuEventDestroy cuEventDestroy cuMemFreeAsync ");
            CHECK_FALSE(own.query());
            open = true;
            own.synchronize();
        } else {
            CHECK(calls == "cuEventSynchronize cuEventSynchronize cuEventDestroy cuEventDestroy cuStreamSynchronize cuMemFree ");
        }
        second.synchronize();
        third.synchronize();
    }
}

TEST_CASE("a buffer keeps its stream and its context alive") {
    Machine machine;
    std::optional<DeviceBuffer<int>> buffer;
    {
        const DeviceContext device = DeviceContext::for_device(machine.driver, 0);
        const Stream stream(device.context());
        buffer.emplace(100, device.with_stream(stream));
    }
    CHECK(machine.simulator.live_counts().streams == 1);
    CHECK(machine.simulator.live_counts().primary_context_retains == 1);
    std::vector<int> values(100, 7);
    CHECK_NOTHROW(copy(buffer->span(), values, buffer->stream()));
    buffer.reset();
    CHECK(machine.simulator.live_counts().streams == 0);
}

TEST_CASE("pinned memory is the host's to read and write") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    {
        PinnedBuffer<int> buffer(1000, context);
        std::iota(buffer.data(), buffer.data() + buffer.size(), 0);
        CHECK(buffer[999] == 999);
        CHECK(buffer.span().size() == 1000);
        PinnedBuffer<int> moved = std::move(buffer);
        CHECK(moved[500] == 500);
        CHECK(buffer.empty());  // NOLINT(bugprone-use-after-move): moved-from buffers are empty
        moved = PinnedBuffer<int>(10, context);
        CHECK(machine.simulator.live_counts().host_allocations == 1);
    }
    CHECK(machine.simulator.live_counts().host_allocations == 0);
}

TEST_CASE("pinned memory waits for the streams that use it") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Stream stream(context);
    bool ran = false;
    {
        PinnedBuffer<int> buffer(10, context);
        stream.launch_host_function([&ran, data = buffer.data()] {
            data[0] = 1;
            ran = true;
        });
        buffer.record_use(stream);
    }
    CHECK(ran);
}

TEST_CASE("where memory has run out the device's pool is trimmed, and the allocation tried once more") {
    for (const bool is_pooled : {true, false}) {
        Machine machine;
        const DeviceContext device = DeviceContext::for_device(machine.driver, 0);
        const DeviceContext context = is_pooled ? device : device.with_memory_pool({});
        const std::string call = is_pooled ? "cuMemAllocFromPoolAsync" : "cuMemAlloc";
        static_cast<void>(DeviceBuffer<int>(1000, device));  // the pool keeps it
        device.stream().synchronize();
        REQUIRE(device.memory_pool().reserved() > 0);
        machine.simulator.plan_fault(call, 1, 2);
        const auto calls = machine.simulator.call_count(call);
        CHECK(DeviceBuffer<int>::try_allocate(0, context).has_value());
        CHECK(DeviceBuffer<int>::try_allocate(10'000'000, context).has_value());
        CHECK(machine.simulator.call_count(call) == calls + 2);
        CHECK(machine.simulator.call_count("cuMemPoolTrimTo") == 1);
        machine.simulator.plan_fault(call, 1, 2, cupool_sim_always);
        const auto refused = DeviceBuffer<int>::try_allocate(1000, context);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().category() == ErrorCategory::out_of_memory);
        CHECK_THAT(refused.error().what(), contains_text("are free"));
        CHECK(machine.simulator.call_count(call) == calls + 4);
        CHECK_FALSE(DeviceBuffer<std::byte>::try_allocate(std::size_t{1} << 50, context).has_value());
        CHECK(machine.simulator.call_count(call) == calls + 5);  // nothing to hope for
    }
}
