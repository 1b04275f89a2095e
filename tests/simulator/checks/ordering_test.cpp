// The ordering check: a free must be ordered after the last use, not merely happen later.
#include <functional>

#include "machine.hpp"

using namespace cupool::test;

namespace {

/// Memory of one stream that others use, on a machine with a seed, where every use happens before the free.
struct Sharer : Machine {
    explicit Sharer(unsigned checks = cupool_sim_check_ordering) : Machine({{}, {}}) {
        simulator.set_checks(checks);
        simulator.set_seed(7);
        begin();
        owner = stream();
        user = stream();
        other = stream();
        REQUIRE(cuda.memory_allocate_async(&shared, 4, owner) == Status::success);
        flags = memory(8);
        REQUIRE(cuda.set_words(flags, 0, 2) == Status::success);
        REQUIRE(cuda.context_synchronize() == Status::success);
    }

    void set_on(Stream stream) { REQUIRE(cuda.set_words_async(shared, 5, 1, stream) == Status::success); }
    void store_on(Stream stream) {
        unsigned value = 7;
        void* parameters[] = {&shared, &value};
        REQUIRE(cuda.launch_kernel(function(module(store_text), "store"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr) ==
                Status::success);
    }
    void write_on(Stream stream, unsigned flag = 0) {
        REQUIRE(cuda.stream_write_value_32(stream, flags + 4 * flag, 1, 0) == Status::success);
    }
    void wait_on(Stream stream, unsigned flag = 0) {
        REQUIRE(cuda.stream_wait_value_32(stream, flags + 4 * flag, 1, 0) == Status::success);
    }
    /// Orders the second stream after the present work of the first.
    void order(Stream first, Stream second) {
        const Event done = event();
        REQUIRE(cuda.event_record(done, first) == Status::success);
        REQUIRE(cuda.stream_wait_event(second, done, 0) == Status::success);
    }
    /// Waits until everything has run, without a call that synchronises.
    void let_time_pass() {
        int version = 0;
        for (int i = 0; i < 3000; ++i) cuda.driver_get_version(&version);
    }
    Status free_on(Stream stream) {
        let_time_pass();
        REQUIRE(cuda.memory_free_async(shared, stream) == Status::success);
        return cuda.context_synchronize();
    }

    Stream owner{};
    Stream user{};
    Stream other{};
    DevicePointer shared = 0;
    DevicePointer flags = 0;
};

}  // namespace

TEST_CASE("a free that nothing orders after a use is found, though it comes later") {
    struct Case {
        const char* what;
        std::function<void(Sharer&)> use;
        const char* report;
    };
    const Case cases[] = {
        {"a set on another stream", [](Sharer& m) { m.set_on(m.user); }, "use by set of 4 bytes on stream 2 of device 0"},
        {"a kernel on another stream", [](Sharer& m) { m.store_on(m.user); }, "use by store on stream 2 of device 0"},
        {"an event from before the use",
         [](Sharer& m) {
             m.order(m.user, m.owner);
             m.set_on(m.user);
         },
         "stream 2"},
        {"a stream that waits, but not the one that frees",
         [](Sharer& m) {
             m.set_on(m.user);
             m.order(m.user, m.other);
         },
         "stream 2"},
        {"one of two uses is ordered",
         [](Sharer& m) {
             m.set_on(m.user);
             m.set_on(m.other);
             m.order(m.user, m.owner);
         },
         "stream 3"},
        {"a value written before the use",
         [](Sharer& m) {
             m.write_on(m.user);
             m.set_on(m.user);
             m.wait_on(m.owner);
         },
         "stream 2"},
        {"a value that another stream has written",
         [](Sharer& m) {
             m.set_on(m.user);
             m.write_on(m.other);
             m.wait_on(m.owner);
         },
         "stream 2"},
        {"the host waited for another stream",
         [](Sharer& m) {
             m.set_on(m.user);
             CHECK(m.cuda.stream_synchronize(m.other) == Status::success);
         },
         "stream 2"},
    };
    for (const Case& one : cases) {
        Sharer machine;
        one.use(machine);
        INFO(one.what);
        CHECK(machine.free_on(machine.owner) == Status::launch_failed);
        CHECK_THAT(machine.simulator.device_fault_report(),
                   contains_text("free of 4 bytes of device 0 that is not ordered after their use"));
        CHECK_THAT(machine.simulator.device_fault_report(), contains_text(one.report));
    }
}

TEST_CASE("a free that anything orders after all uses is in order") {
    struct Case {
        const char* what;
        std::function<void(Sharer&)> use;
    };
    const Case cases[] = {
        {"the same stream", [](Sharer& m) { m.store_on(m.owner); }},
        {"an event",
         [](Sharer& m) {
             m.set_on(m.user);
             m.order(m.user, m.owner);
         }},
        {"two events in a row",
         [](Sharer& m) {
             m.store_on(m.user);
             m.order(m.user, m.other);
             m.order(m.other, m.owner);
         }},
        {"the host waited for the stream",
         [](Sharer& m) {
             m.set_on(m.user);
             CHECK(m.cuda.stream_synchronize(m.user) == Status::success);
         }},
        {"the host asked the stream",
         [](Sharer& m) {
             m.set_on(m.user);
             m.let_time_pass();
             CHECK(m.cuda.stream_query(m.user) == Status::success);
         }},
        {"the host asked an event",
         [](Sharer& m) {
             m.set_on(m.user);
             const Event done = m.event();
             CHECK(m.cuda.event_record(done, m.user) == Status::success);
             m.let_time_pass();
             CHECK(m.cuda.event_query(done) == Status::success);
         }},
        {"the host waited for the context",
         [](Sharer& m) {
             m.store_on(m.user);
             CHECK(m.cuda.context_synchronize() == Status::success);
         }},
        {"a value that the freeing stream waits for",
         [](Sharer& m) {
             m.set_on(m.user);
             m.write_on(m.user);
             m.wait_on(m.owner);
         }},
        {"a value, and an event behind the wait that comes before the value",
         [](Sharer& m) {
             m.wait_on(m.other);
             m.order(m.other, m.owner);
             m.store_on(m.user);
             m.write_on(m.user);
         }},
        {"values from stream to stream",
         [](Sharer& m) {
             m.set_on(m.user);
             m.write_on(m.user, 0);
             m.wait_on(m.other, 0);
             m.write_on(m.other, 1);
             m.wait_on(m.owner, 1);
         }},
        {"the null stream, after a stream that is gone",
         [](Sharer& m) {
             const Stream blocking = m.stream(StreamFlags::blocking);
             m.set_on(blocking);
             m.let_time_pass();
             CHECK(m.cuda.stream_destroy(blocking) == Status::success);
             m.set_on(nullptr);
             m.order(nullptr, m.owner);
         }},
        {"a host function, which may have told the host",
         [](Sharer& m) {
             m.set_on(m.user);
             CHECK(m.cuda.stream_launch_host_function(
                       m.user, [](void*) {}, nullptr) == Status::success);
         }},
    };
    for (const Case& one : cases) {
        Sharer machine;
        one.use(machine);
        INFO(one.what << ": " << machine.simulator.device_fault_report());
        CHECK(machine.free_on(machine.owner) == Status::success);
        CHECK(machine.simulator.device_fault_report().empty());
    }
}

namespace {

/// Memory of device 1 used by a graph that was captured from streams of both devices.
struct GraphOfTwoDevices : Sharer {
    GraphOfTwoDevices() {
        enter(1);
        side = stream();
        freeing = stream();
        REQUIRE(cuda.memory_allocate_async(&shared, 4, freeing) == Status::success);
        REQUIRE(cuda.context_synchronize() == Status::success);
        const Event joined = event();
        enter(0);
        before_join = event();
        after_join = event();
        const Event forked = event();
        REQUIRE(cuda.stream_begin_capture(owner, CaptureMode::relaxed) == Status::success);
        REQUIRE(cuda.event_record(forked, owner) == Status::success);
        REQUIRE(cuda.stream_wait_event(side, forked, 0) == Status::success);
        set_on(side);
        record_each_launch(before_join);
        REQUIRE(cuda.event_record(joined, side) == Status::success);
        REQUIRE(cuda.stream_wait_event(owner, joined, 0) == Status::success);
        record_each_launch(after_join);
        Graph graph{};
        REQUIRE(cuda.stream_end_capture(owner, &graph) == Status::success);
        REQUIRE(cuda.graph_instantiate(&exec, graph, nullptr, nullptr, 0) == Status::success);
        REQUIRE(cuda.graph_destroy(graph) == Status::success);
    }

    void record_each_launch(Event event) {
        REQUIRE(cuda.event_record_with_flags(event, owner, static_cast<unsigned>(EventRecordFlags::external)) == Status::success);
    }
    void launch(Stream stream) { REQUIRE(cuda.graph_launch(exec, stream) == Status::success); }
    Status free_behind(Event event) {
        REQUIRE(cuda.stream_wait_event(freeing, event, 0) == Status::success);
        return free_on(freeing);
    }

    Stream side{};
    Stream freeing{};
    Event before_join{};
    Event after_join{};
    GraphExec exec{};
};

}  // namespace

TEST_CASE("a free of memory that a graph uses on another device must be ordered behind that use") {
    SECTION("in order: behind an event that the graph records after it has joined the device's work") {
        GraphOfTwoDevices machine;
        machine.launch(machine.owner);
        CHECK(machine.free_behind(machine.after_join) == Status::success);
        CHECK(machine.simulator.device_fault_report().empty());
    }
    SECTION("in order: behind the end of the graph") {
        GraphOfTwoDevices machine;
        machine.launch(machine.owner);
        machine.order(machine.owner, machine.freeing);
        CHECK(machine.free_on(machine.freeing) == Status::success);
    }
    SECTION("not in order: behind an event that the graph records beside the device's work") {
        GraphOfTwoDevices machine;
        machine.launch(machine.owner);
        CHECK(machine.free_behind(machine.before_join) == Status::launch_failed);
        CHECK_THAT(
            machine.simulator.device_fault_report(),
            contains_text("free of 4 bytes of device 1 that is not ordered after their use by set of 4 bytes on device 1, in a graph "
                          "launched on stream 1 of device 0"));
    }
    SECTION("not in order: on that device's default stream, where the graph runs on the other's") {
        GraphOfTwoDevices machine;
        machine.launch(nullptr);
        machine.let_time_pass();
        machine.enter(1);
        CHECK(machine.cuda.memory_free_async(machine.shared, nullptr) == Status::success);
        CHECK(machine.cuda.context_synchronize() == Status::launch_failed);
        CHECK_THAT(machine.simulator.device_fault_report(), contains_text("in a graph launched on stream 0 of device 0"));
    }
}

TEST_CASE("a plain free waits for its own device's work, and for no other's") {
    for (const int device : {0, 1}) {
        Sharer machine;
        const DevicePointer plain = machine.memory(4);
        if (device != 0) machine.enter(device);
        REQUIRE(machine.cuda.copy_peer_async(plain, nullptr, machine.shared, nullptr, 4, device == 0 ? machine.user : machine.stream()) ==
                Status::success);
        machine.let_time_pass();
        CHECK(machine.cuda.memory_free(plain) == Status::success);
        CHECK(machine.cuda.context_synchronize() == (device == 0 ? Status::success : Status::launch_failed));
    }
}

TEST_CASE("without the check nothing is reported") {
    Sharer machine(cupool_sim_check_none);
    machine.set_on(machine.user);
    CHECK(machine.free_on(machine.owner) == Status::success);
}

TEST_CASE("the order in which a lost device's memory is freed does not matter") {
    Sharer machine;
    machine.set_on(machine.user);
    machine.let_time_pass();
    machine.simulator.plan_fault({.device = 0, .nth = 1, .result = 46, .duration = cupool_sim_lost});
    CHECK(machine.cuda.context_synchronize() == Status::device_unavailable);
    CHECK(machine.cuda.memory_free_async(machine.shared, machine.owner) == Status::device_unavailable);
    CHECK(machine.cuda.memory_free(machine.shared) == Status::device_unavailable);
    machine.enter(1);
    CHECK(machine.cuda.context_synchronize() == Status::success);
    CHECK(machine.simulator.device_fault_report().empty());
}
