#include <algorithm>
#include <atomic>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr unsigned count = 64;

/// to[i] += value, for i below the number of threads.
const char* const add_ptx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 value)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [to];
    ld.param.u32 %r2, [value];
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r3, [%d3];
    add.u32 %r3, %r3, %r2;
    st.global.u32 [%d3], %r3;
    ret;
}
)";

/// A machine with the context and ordering checks on, and a pool of all its devices.
struct PoolOfDevices : Machine {
    explicit PoolOfDevices(std::size_t devices, std::uint64_t seed = 0) : Machine(std::vector<SimulatedDevice>(devices)) {
        simulator.set_seed(seed);
        simulator.set_checks(cupool_sim_check_ordering | cupool_sim_check_context);
        pool.emplace(DevicePool::all(driver));
    }

    std::optional<DevicePool> pool;
};

/// What a member's part of a graph works on: numbers on its device, and page-locked input and output.
struct Part {
    explicit Part(const DeviceContext& context)
        : module(context.context(), add_ptx),
          add(module.kernel<DeviceSpan<int>, int>("add")),
          input(count, context.context()),
          numbers(count, context),
          output(count, context.context()) {
        fill_bytes_async(numbers.span(), 0, context.stream());
        context.stream().synchronize();
    }

    /// numbers += value
    void add_to_numbers(int value, StreamView stream) { add.launch({1, count}, stream, numbers.span(), value); }
    void fetch_input(StreamView stream) { copy_async(numbers.span(), std::span<const int>(input.span()), stream); }
    void store_output(StreamView stream) { copy_async(output.span(), DeviceSpan<const int>(numbers.span()), stream); }
    /// output = input + value
    void add_to_input(int value, StreamView stream) {
        fetch_input(stream);
        add_to_numbers(value, stream);
        store_output(stream);
    }
    /// The one value that all numbers have.
    int result() {
        for (const int number : output.span()) REQUIRE(number == output.span()[0]);
        return output.span()[0];
    }

    Module module;
    Kernel<DeviceSpan<int>, int> add;
    PinnedBuffer<int> input;
    DeviceBuffer<int> numbers;
    PinnedBuffer<int> output;
};

std::vector<Part> parts_of(const DevicePool& pool) {
    std::vector<Part> parts;
    for (const DeviceContext& context : pool) parts.emplace_back(context);
    return parts;
}

/// Holds a stream up until it is opened.
class Gate {
public:
    explicit Gate(StreamView stream) {
        stream.launch_host_function([open = open_] {
            while (!*open) std::this_thread::yield();
        });
    }
    ~Gate() { open(); }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    void open() { *open_ = true; }

private:
    std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

void check_place(const Error& error, int line) {
    INFO(error.what());
    CHECK(std::string_view(error.location().file).find("pool_graph_test") != std::string_view::npos);
    CHECK(error.location().line == line);
}

void do_nothing(std::size_t, const DeviceContext&) {}

}  // namespace

TEST_CASE("a pool graph runs every member's part in each launch, on that launch's input", "[pool_graph]") {
    for (const std::size_t devices : {1U, 2U, 3U}) {
        CAPTURE(devices);
        PoolOfDevices machine(devices);
        std::vector<Part> parts = parts_of(*machine.pool);
        std::vector<std::size_t> indices;
        PoolGraph graph(*machine.pool, [&](std::size_t index, const DeviceContext& context) {
            CHECK(context.device() == machine.pool->device_at(index));
            CHECK(context.stream() != machine.pool->context_at(index).stream());
            indices.push_back(index);
            parts[index].add_to_input(static_cast<int>(10 * index), context.stream());
        });
        CHECK(graph.devices() == machine.pool->devices());
        CHECK(graph.stream().ordinal() == 0);
        for (std::size_t index = 0; index < devices; ++index) CHECK(indices.at(index) == index);
        for (const int input : {1, 2, 300}) {
            for (Part& part : parts) std::fill(part.input.span().begin(), part.input.span().end(), input);
            graph.launch();
            graph.synchronize();
            for (std::size_t index = 0; index < devices; ++index) {
                CHECK(parts[index].result() == input + static_cast<int>(10 * index));
            }
        }
        CHECK(indices.size() == devices);
        CHECK(machine.simulator.call_count("cuGraphLaunch") == 3);
        CHECK(machine.simulator.call_count("cuLaunchKernel") == devices);
    }
}

TEST_CASE("the members' parts of a pool graph run concurrently", "[pool_graph]") {
    PoolOfDevices machine(3);
    std::atomic<int> begun{0};
    std::atomic<int> met{0};
    PoolGraph graph(*machine.pool, [&](std::size_t, const DeviceContext& context) {
        context.stream().launch_host_function([&] {
            ++begun;
            for (int i = 0; i < 10'000 && begun < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (begun == 3) ++met;
        });
    });
    graph.launch();
    graph.synchronize();
    CHECK(met == 3);
}

TEST_CASE("events order the members' parts of a pool graph with every seed", "[pool_graph]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        PoolOfDevices machine(2, seed);
        std::vector<Part> parts = parts_of(*machine.pool);
        Event handed_over(machine.pool->context_at(0).context());
        PoolGraph graph(*machine.pool, [&](std::size_t index, const DeviceContext& context) {
            if (index == 0) {
                parts[0].add_to_input(10, context.stream());
                handed_over.record(context.stream());
            } else {
                context.stream().wait(handed_over);
                copy_async(parts[1].numbers.span(), std::span<const int>(parts[0].output.span()), context.stream());
                parts[1].add_to_numbers(100, context.stream());
                parts[1].store_output(context.stream());
            }
        });
        for (const int input : {1, 2}) {
            std::fill(parts[0].input.span().begin(), parts[0].input.span().end(), input);
            graph.launch();
            graph.synchronize();
            CHECK(parts[1].result() == input + 110);
        }
    }
}

TEST_CASE("a pool graph can be launched while an earlier launch runs", "[pool_graph]") {
    PoolOfDevices machine(2);
    std::vector<Part> parts = parts_of(*machine.pool);
    PoolGraph graph(*machine.pool, [&](std::size_t index, const DeviceContext& context) {
        parts[index].add_to_numbers(1, context.stream());
        parts[index].store_output(context.stream());
    });
    {
        Gate gate(graph.stream());
        for (int launch = 0; launch < 3; ++launch) graph.launch();
        CHECK_FALSE(graph.stream().query());
    }
    graph.synchronize();
    CHECK(parts[0].result() == 3);
    CHECK(parts[1].result() == 3);
}

TEST_CASE("events order a pool graph's launches with other streams", "[pool_graph]") {
    PoolOfDevices machine(2);
    std::vector<Part> parts = parts_of(*machine.pool);
    const DeviceContext& second = machine.pool->context_at(1);
    PoolGraph graph(*machine.pool,
                    [&](std::size_t index, const DeviceContext& context) { parts[index].add_to_numbers(1, context.stream()); });
    Event before(second.context());
    Event after(graph.stream().context());
    {
        Gate gate(second.stream());
        parts[1].add_to_numbers(10, second.stream());
        before.record(second.stream());
        graph.stream().wait(before);
        graph.launch();
        after.record(graph.stream());
        CHECK_FALSE(after.query());
    }
    second.stream().wait(after);
    parts[1].store_output(second.stream());
    second.stream().synchronize();
    CHECK(parts[1].result() == 11);
}

TEST_CASE("a pool graph may have no work, or work of some members only", "[pool_graph]") {
    PoolOfDevices machine(3);
    std::vector<Part> parts = parts_of(*machine.pool);
    PoolGraph nothing(*machine.pool, do_nothing);
    nothing.launch();
    nothing.synchronize();
    for (const std::size_t worker : {0U, 1U, 2U}) {
        PoolGraph graph(*machine.pool, [&](std::size_t index, const DeviceContext& context) {
            if (index == worker) parts[index].add_to_input(5, context.stream());
        });
        std::fill(parts[worker].input.span().begin(), parts[worker].input.span().end(), 1);
        graph.launch();
        graph.synchronize();
        CHECK(parts[worker].result() == 6);
    }
}

TEST_CASE("an exception of the captured function is passed on, and ends the capture on all devices", "[pool_graph]") {
    PoolOfDevices machine(3);
    std::vector<Part> parts = parts_of(*machine.pool);
    const std::string before = Simulator::to_string(machine.simulator.live_counts());
    for (const std::size_t thrower : {0U, 1U, 2U}) {
        const auto work = [&](std::size_t index, const DeviceContext& context) {
            parts[index].add_to_numbers(1, context.stream());
            if (index == thrower) throw std::out_of_range("of the function");
        };
        CHECK_THROWS_AS(PoolGraph(*machine.pool, work), std::out_of_range);
        CHECK(Simulator::to_string(machine.simulator.live_counts()) == before);
    }
    const Error own(ErrorCategory::io, "of the function", {"elsewhere.cpp", 5, "work"});
    const Error met = error_of([&] { PoolGraph(*machine.pool, [&](std::size_t, const DeviceContext&) { throw Error(own); }); });
    CHECK(std::string(met.what()) == own.what());
    CHECK(met.location().line == 5);
    CHECK(Simulator::to_string(machine.simulator.live_counts()) == before);
    PoolGraph graph(*machine.pool,
                    [&](std::size_t index, const DeviceContext& context) { parts[index].add_to_input(1, context.stream()); });
    graph.launch();
    graph.synchronize();
    CHECK(parts[2].result() == parts[2].input.span()[0] + 1);
}

TEST_CASE("a capture that the function has spoilt or left open fails at the caller's line", "[pool_graph]") {
    PoolOfDevices machine(2);
    const std::vector<Part> parts = parts_of(*machine.pool);  // so that the contexts are there before
    const std::string before = Simulator::to_string(machine.simulator.live_counts());
    const auto wait = [](std::size_t, const DeviceContext& context) { CHECK_THROWS_AS(context.stream().synchronize(), Error); };
    const Error spoilt = error_of([&] { PoolGraph(*machine.pool, wait); });
    check_place(spoilt, __LINE__ - 1);
    CHECK(spoilt.category() == ErrorCategory::invalid_argument);
    CHECK(spoilt.code() == abi::Status::stream_capture_invalidated);
    {
        const ContextView context = machine.pool->context_at(1).context();
        const Stream side(context);
        const auto fork = [&](std::size_t index, const DeviceContext& member) {
            if (index == 0) return;
            Event forked(context);
            forked.record(member.stream());
            side.wait(forked);
            side.launch_host_function([] {});
        };
        const Error unjoined = error_of([&] { PoolGraph(*machine.pool, fork); });
        check_place(unjoined, __LINE__ - 1);
        CHECK(unjoined.category() == ErrorCategory::invalid_argument);
        CHECK(unjoined.code() == abi::Status::stream_capture_unjoined);
        CHECK_NOTHROW(side.synchronize());
    }
    CHECK(Simulator::to_string(machine.simulator.live_counts()) == before);
}

TEST_CASE("members that are quarantined at capture take no part in a pool graph", "[pool_graph]") {
    PoolOfDevices machine(3);
    std::vector<Part> parts = parts_of(*machine.pool);
    machine.pool->quarantine(0, "a test");
    std::vector<std::size_t> indices;
    PoolGraph graph(*machine.pool, [&](std::size_t index, const DeviceContext& context) {
        indices.push_back(index);
        parts[index].add_to_input(7, context.stream());
    });
    CHECK(indices == std::vector<std::size_t>{1, 2});
    CHECK(graph.devices() == std::vector<int>{1, 2});
    CHECK(graph.stream().ordinal() == 1);
    machine.pool->readmit(0);
    graph.launch();
    graph.synchronize();
    CHECK(parts[1].result() == parts[1].input.span()[0] + 7);
    for (const int ordinal : {0, 1, 2}) machine.pool->quarantine(ordinal, "a test");
    const Error error = error_of([&] { PoolGraph(*machine.pool, do_nothing); });
    CHECK(error.category() == ErrorCategory::no_device);
    check_place(error, __LINE__ - 2);
}

TEST_CASE("a pool graph is not launched while one of its devices is quarantined", "[pool_graph]") {
    PoolOfDevices machine(3);
    machine.pool->quarantine(2, "another test");
    PoolGraph graph(*machine.pool, do_nothing);
    graph.launch();
    machine.pool->quarantine(1, "a test");
    const Error error = error_of([&] { graph.launch(); });
    check_place(error, __LINE__ - 1);
    CHECK(error.category() == ErrorCategory::no_device);
    CHECK(error.device() == 1);
    CHECK_THAT(error.message(), contains_text("device 1"));
    CHECK_THAT(error.message(), contains_text("a test"));
    CHECK(machine.simulator.call_count("cuGraphLaunch") == 1);
    machine.pool->readmit(1);
    graph.launch();
    graph.synchronize();
}

TEST_CASE("a host pool and an empty function are refused at the caller's line", "[pool_graph]") {
    const Error host = error_of([] { PoolGraph(DevicePool::host(1), do_nothing); });
    check_place(host, __LINE__ - 1);
    CHECK(host.category() == ErrorCategory::unsupported);
    PoolOfDevices machine(2);
    const Error empty = error_of([&] { PoolGraph(*machine.pool, nullptr); });
    check_place(empty, __LINE__ - 1);
    CHECK(empty.category() == ErrorCategory::invalid_argument);
}

TEST_CASE("a device that cannot be opened is named at the caller's line", "[pool_graph]") {
    PoolOfDevices machine(2);
    machine.simulator.set_device_health(1, 46);
    const Error error = error_of([&] { PoolGraph(*machine.pool, do_nothing); });
    check_place(error, __LINE__ - 1);
    CHECK(error.code() == abi::Status::device_unavailable);
    CHECK(error.device() == 1);
}

TEST_CASE("a fault in one device's part of a pool graph is thrown by synchronize()", "[pool_graph]") {
    for (const CupoolSimFaultDuration duration : {cupool_sim_sticky, cupool_sim_lost}) {
        CAPTURE(duration);
        PoolOfDevices machine(3);
        std::vector<Part> parts = parts_of(*machine.pool);
        PoolGraph graph(*machine.pool,
                        [&](std::size_t index, const DeviceContext& context) { parts[index].add_to_input(1, context.stream()); });
        machine.simulator.plan_fault({.kernel = "add", .device = 1, .result = 719, .duration = duration});
        graph.launch();
        const Error error = error_of([&] { graph.synchronize(); });
        check_place(error, __LINE__ - 1);
        CHECK(error.category() == ErrorCategory::device_fault);
        CHECK(error.code() == abi::Status::launch_failed);
        if (duration == cupool_sim_lost) CHECK(error.device() == 1);
        REQUIRE(machine.pool->fault());  // so that no more work is begun
        CHECK(machine.pool->fault()->code() == abi::Status::launch_failed);
    }
}

TEST_CASE("once the pool has met a fault, pool graphs are neither made nor launched", "[pool_graph]") {
    PoolOfDevices machine(2);
    PoolGraph graph(*machine.pool, do_nothing);
    auto faulting = machine.pool->submit_at(1, [&](const DeviceContext& context) {
        machine.simulator.raise_device_fault(700);
        context.stream().synchronize();
    });
    CHECK(error_of([&] { faulting.get(); }).category() == ErrorCategory::device_fault);
    const std::uint64_t calls = machine.simulator.call_count();
    const Error launched = error_of([&] { graph.launch(); });
    check_place(launched, __LINE__ - 1);
    const Error made = error_of([&] { PoolGraph(*machine.pool, do_nothing); });
    check_place(made, __LINE__ - 1);
    for (const Error& error : {launched, made}) {
        CHECK(error.category() == ErrorCategory::device_fault);
        CHECK(error.device() == 1);
        CHECK(error.code() == abi::Status::illegal_address);
    }
    CHECK(machine.simulator.call_count() == calls);
}

TEST_CASE("a pool graph that is destroyed while it runs finishes, also after a move", "[pool_graph]") {
    PoolOfDevices machine(2);
    std::vector<Part> parts = parts_of(*machine.pool);
    std::atomic<int> calls{0};
    {
        PoolGraph first(*machine.pool, do_nothing);
        first = PoolGraph(*machine.pool, [&](std::size_t index, const DeviceContext& context) {
            parts[index].add_to_numbers(4, context.stream());
            context.stream().launch_host_function([&] { ++calls; });
        });
        machine.pool.reset();  // the graph keeps the pool
        PoolGraph graph = std::move(first);
        Gate gate(graph.stream());
        graph.launch();
        graph.launch();
    }
    for (const Part& part : parts) part.module.context().synchronize();
    CHECK(calls == 4);
}
