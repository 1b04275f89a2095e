// Graphs: replay by seed, lifetimes, planned faults.
#include "machine.hpp"

using namespace cupool::test;

namespace {

/// Two unordered branches of stores, and the log of a launch with this seed.
std::string launch_with_seed(std::uint64_t seed) {
    Machine machine;
    machine.simulator.set_seed(seed);
    machine.begin();
    const Library& cuda = machine.cuda;
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(256);
    Graph graph{};
    REQUIRE(cuda.graph_create(&graph, 0) == Status::success);
    GraphNode root{};
    REQUIRE(cuda.graph_add_empty_node(&root, graph, nullptr, 0) == Status::success);
    for (unsigned value = 1; value <= 6; ++value) {
        GraphNode node{};
        const SetNodeParameters set{memory + 4 * value, 0, value, 4, 1, 1};
        Context context{};
        REQUIRE(cuda.context_get_current(&context) == Status::success);
        REQUIRE(cuda.graph_add_set_node(&node, graph, &root, 1, &set, context) == Status::success);
    }
    GraphExec exec{};
    REQUIRE(cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
    REQUIRE(cuda.graph_launch(exec, stream) == Status::success);
    REQUIRE(cuda.graph_launch(exec, stream) == Status::success);
    REQUIRE(cuda.stream_synchronize(stream) == Status::success);
    for (unsigned value = 1; value <= 6; ++value) {
        CHECK(machine.read(memory + 4 * value) == value);
    }
    std::string log = machine.simulator.replay_log();
    CHECK(cuda.graph_exec_destroy(exec) == Status::success);
    CHECK(cuda.graph_destroy(graph) == Status::success);
    return log;
}

}  // namespace

TEST_CASE("a graph replays from its seed, and orders what nothing orders by it") {
    const std::string first = launch_with_seed(1);
    CHECK(first == launch_with_seed(1));
    CHECK(first != launch_with_seed(2));
}

TEST_CASE("a graph captured on two devices keeps its order with every seed and runs each node on its device") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Machine machine({{}, {}});
        machine.simulator.set_seed(seed);
        machine.begin();
        const Library& cuda = machine.cuda;
        const Stream first = machine.stream();
        const DevicePointer there_and_back = machine.memory(4);
        const Event forked = machine.event();
        auto* const words = machine.pinned<std::uint32_t>(3);
        machine.enter(1);
        const Stream second = machine.stream();
        const DevicePointer there = machine.memory(4);
        const Event joined = machine.event();
        machine.enter(0);

        REQUIRE(cuda.stream_begin_capture(first, CaptureMode::relaxed) == Status::success);
        REQUIRE(cuda.copy_host_to_device_async(there_and_back, &words[0], 4, first) == Status::success);
        REQUIRE(cuda.copy_device_to_host_async(&words[1], there_and_back, 4, first) == Status::success);
        REQUIRE(cuda.event_record(forked, first) == Status::success);
        REQUIRE(cuda.stream_wait_event(second, forked, 0) == Status::success);
        REQUIRE(cuda.copy_host_to_device_async(there, &words[1], 4, second) == Status::success);
        REQUIRE(cuda.copy_device_to_host_async(&words[2], there, 4, second) == Status::success);
        REQUIRE(cuda.event_record(joined, second) == Status::success);
        REQUIRE(cuda.stream_wait_event(first, joined, 0) == Status::success);
        REQUIRE(cuda.copy_host_to_device_async(there_and_back, &words[2], 4, first) == Status::success);
        Graph graph{};
        REQUIRE(cuda.stream_end_capture(first, &graph) == Status::success);
        GraphExec exec{};
        REQUIRE(cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
        for (const std::uint32_t value : {7U, 8U}) {
            words[0] = value;
            REQUIRE(cuda.graph_launch(exec, first) == Status::success);
            REQUIRE(cuda.stream_synchronize(first) == Status::success);
            CHECK(machine.read(there_and_back) == value);
        }
        CHECK_THAT(machine.simulator.replay_log(), contains_text("device 0 stream 1 starts copy of 4 bytes"));
        CHECK_THAT(machine.simulator.replay_log(), contains_text("device 1 stream 1 starts copy of 4 bytes"));
    }
}

TEST_CASE("graphs that are left alive are reported") {
    Machine machine;
    machine.begin();
    Graph graph{};
    GraphExec exec{};
    REQUIRE(machine.cuda.graph_create(&graph, 0) == Status::success);
    REQUIRE(machine.cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
    CHECK(machine.simulator.live_counts().graphs == 1);
    CHECK(machine.simulator.live_counts().graph_execs == 1);
    CHECK_THROWS_WITH(machine.simulator.reset(), contains_text("1 graphs, 1 executable graphs"));
}

TEST_CASE("dead handles of graphs are known") {
    Machine machine;
    machine.begin();
    const Library& cuda = machine.cuda;
    Graph graph{};
    GraphExec exec{};
    GraphNode node{};
    REQUIRE(cuda.graph_create(&graph, 0) == Status::success);
    REQUIRE(cuda.graph_add_empty_node(&node, graph, nullptr, 0) == Status::success);
    REQUIRE(cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
    REQUIRE(cuda.graph_destroy(graph) == Status::success);
    REQUIRE(cuda.graph_exec_destroy(exec) == Status::success);
    GraphNodeType type{};
    CHECK(cuda.graph_destroy(graph) == Status::invalid_value);
    CHECK(cuda.graph_node_get_type(node, &type) == Status::invalid_value);
    CHECK(cuda.graph_add_empty_node(&node, graph, nullptr, 0) == Status::invalid_value);
    CHECK(cuda.graph_launch(exec, nullptr) == Status::invalid_value);
    CHECK(cuda.graph_exec_destroy(exec) == Status::invalid_value);
}

TEST_CASE("a planned fault of a kernel also occurs in a graph") {
    Machine machine;
    machine.begin();
    const Library& cuda = machine.cuda;
    const Stream stream = machine.stream();
    const Function store = machine.function(machine.module(store_text), "store");
    DevicePointer memory = machine.memory(256);
    std::uint32_t value = 7;
    void* parameters[] = {&memory, &value};
    const KernelNodeParameters kernel{store, 1, 1, 1, 1, 1, 1, 0, parameters, nullptr};
    Graph graph{};
    GraphExec exec{};
    GraphNode node{};
    REQUIRE(cuda.graph_create(&graph, 0) == Status::success);
    REQUIRE(cuda.graph_add_kernel_node(&node, graph, nullptr, 0, &kernel) == Status::success);
    REQUIRE(cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
    REQUIRE(cuda.graph_launch(exec, stream) == Status::success);
    REQUIRE(cuda.stream_synchronize(stream) == Status::success);
    CHECK(machine.read(memory) == 7);
    machine.simulator.plan_fault({.kernel = "store", .result = 701});
    CHECK(cuda.graph_launch(exec, stream) == Status::launch_out_of_resources);
    machine.simulator.plan_fault({.kernel = "store", .result = 719, .duration = cupool_sim_sticky});
    CHECK(cuda.graph_launch(exec, stream) == Status::success);
    CHECK(cuda.stream_synchronize(stream) == Status::launch_failed);
}

TEST_CASE("memory that a graph uses and that is freed is a fault when it runs") {
    Machine machine;
    const Context context = machine.begin();
    const Library& cuda = machine.cuda;
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(256);
    const SetNodeParameters set{memory, 0, 1, 1, 256, 1};
    Graph graph{};
    GraphExec exec{};
    GraphNode node{};
    REQUIRE(cuda.graph_create(&graph, 0) == Status::success);
    REQUIRE(cuda.graph_add_set_node(&node, graph, nullptr, 0, &set, context) == Status::success);
    REQUIRE(cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
    REQUIRE(cuda.memory_free(memory) == Status::success);
    REQUIRE(cuda.graph_launch(exec, stream) == Status::success);
    CHECK(cuda.stream_synchronize(stream) == Status::illegal_address);
}

TEST_CASE("what a capture does not simulate is refused") {
    Machine machine;
    machine.begin();
    const Library& cuda = machine.cuda;
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(256);
    REQUIRE(cuda.stream_begin_capture(stream, CaptureMode::relaxed) == Status::success);
    DevicePointer allocated = 0;
    CHECK(cuda.memory_allocate_async(&allocated, 16, stream) == Status::not_supported);
    CHECK(cuda.memory_free_async(memory, stream) == Status::not_supported);
    CHECK(cuda.stream_write_value_32(stream, memory, 1, 0) == Status::not_supported);
    REQUIRE(cuda.stream_destroy(stream) == Status::success);
    CHECK(machine.simulator.live_counts().graphs == 0);
    CHECK(cuda.memory_free(memory) == Status::success);
}
