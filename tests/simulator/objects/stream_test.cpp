#include <chrono>
#include <numeric>

#include "machine.hpp"

using namespace cupool::test;

namespace {

struct Note {
    std::vector<int>* order;
    int number;
};

void take(void* note) { static_cast<Note*>(note)->order->push_back(static_cast<Note*>(note)->number); }

}  // namespace

TEST_CASE("a stream keeps its order") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    std::vector<int> order;
    std::vector<Note> notes;
    for (int i = 0; i < 200; ++i) {
        notes.push_back({&order, i});
    }
    for (Note& note : notes) {
        REQUIRE(machine.cuda.stream_launch_host_function(stream, take, &note) == Status::success);
    }
    REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    std::vector<int> expected(200);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(order == expected);
    REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("streams do not wait for one another, but for events") {
    Machine machine;
    machine.begin();
    const Stream held = machine.stream();
    const Stream free = machine.stream();
    const Stream waiting = machine.stream();
    const Event event = machine.event();
    std::vector<int> order;
    Note first{&order, 1};
    Note second{&order, 2};
    Note third{&order, 3};
    Gate gate(machine.cuda, held);
    REQUIRE(machine.cuda.stream_launch_host_function(held, take, &second) == Status::success);
    REQUIRE(machine.cuda.event_record(event, held) == Status::success);
    REQUIRE(machine.cuda.stream_wait_event(waiting, event, 0) == Status::success);
    REQUIRE(machine.cuda.stream_launch_host_function(waiting, take, &third) == Status::success);
    REQUIRE(machine.cuda.stream_launch_host_function(free, take, &first) == Status::success);
    REQUIRE(machine.cuda.stream_synchronize(free) == Status::success);
    CHECK(machine.cuda.stream_query(waiting) == Status::not_ready);
    CHECK(machine.cuda.event_query(event) == Status::not_ready);
    CHECK(order == std::vector<int>{1});
    gate.open();
    REQUIRE(machine.cuda.stream_synchronize(waiting) == Status::success);
    CHECK(order == std::vector<int>{1, 2, 3});
    CHECK(machine.cuda.event_query(event) == Status::success);
}

TEST_CASE("a wait is for the record that was there when it was called") {
    Machine machine;
    machine.begin();
    const Stream first = machine.stream();
    const Stream second = machine.stream();
    const Stream waiting = machine.stream();
    const Event event = machine.event();
    REQUIRE(machine.cuda.event_record(event, first) == Status::success);
    REQUIRE(machine.cuda.stream_wait_event(waiting, event, 0) == Status::success);
    Gate gate(machine.cuda, second);
    REQUIRE(machine.cuda.event_record(event, second) == Status::success);
    CHECK(machine.cuda.stream_synchronize(waiting) == Status::success);
    CHECK(machine.cuda.event_query(event) == Status::not_ready);
    gate.open();
    REQUIRE(machine.cuda.event_synchronize(event) == Status::success);
}

TEST_CASE("streams of two devices meet in events") {
    Machine machine({{}, {}});
    machine.begin();
    const Stream here = machine.stream();
    const DevicePointer source = machine.memory(4);
    machine.enter(1);
    const Stream there = machine.stream();
    const Event event = machine.event();
    const DevicePointer target = machine.memory(4);
    REQUIRE(machine.cuda.set_words_async(target, 77, 1, there) == Status::success);
    REQUIRE(machine.cuda.event_record(event, there) == Status::success);
    REQUIRE(machine.cuda.stream_wait_event(here, event, 0) == Status::success);
    REQUIRE(machine.cuda.copy_device_to_device_async(source, target, 4, here) == Status::success);
    REQUIRE(machine.cuda.stream_synchronize(here) == Status::success);
    CHECK(machine.read(source) == 77);
}

TEST_CASE("the null stream and blocking streams wait for one another") {
    Machine machine;
    machine.begin();
    const Stream blocking = machine.stream(StreamFlags::blocking);
    const DevicePointer memory = machine.memory(4);
    auto* const value = machine.pinned<std::uint32_t>(1);
    {
        Gate gate(machine.cuda, blocking);
        REQUIRE(machine.cuda.set_words_async(memory, 1, 1, blocking) == Status::success);
        REQUIRE(machine.cuda.copy_device_to_host_async(value, memory, 4, nullptr) == Status::success);
        REQUIRE(machine.cuda.set_words_async(memory, 2, 1, blocking) == Status::success);
        gate.open();
        REQUIRE(machine.cuda.context_synchronize() == Status::success);
    }
    CHECK(*value == 1);
    CHECK(machine.read(memory) == 2);
}

TEST_CASE("each thread has a default stream of its own") {
    Machine machine;
    const Context context = machine.begin();
    const auto per_thread = reinterpret_cast<Stream>(std::uintptr_t{2});
    Gate gate(machine.cuda, per_thread);
    CHECK(machine.cuda.stream_query(per_thread) == Status::not_ready);
    Status elsewhere{};
    std::thread([&] {
        machine.cuda.context_set_current(context);
        elsewhere = machine.cuda.stream_synchronize(per_thread);
    }).join();
    CHECK(elsewhere == Status::success);
    gate.open();
    CHECK(machine.cuda.stream_synchronize(per_thread) == Status::success);
}

TEST_CASE("elapsed time is that of the work between") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const Event start = machine.event();
    const Event end = machine.event();
    REQUIRE(machine.cuda.event_record(start, stream) == Status::success);
    REQUIRE(machine.cuda.stream_launch_host_function(
                stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr) == Status::success);
    REQUIRE(machine.cuda.event_record(end, stream) == Status::success);
    REQUIRE(machine.cuda.event_synchronize(end) == Status::success);
    float milliseconds = 0;
    REQUIRE(machine.cuda.event_elapsed_time(&milliseconds, start, end) == Status::success);
    CHECK(milliseconds >= 20.0F);
}

TEST_CASE("dead and foreign handles are refused") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const Event event = machine.event();
    const DevicePointer memory = machine.memory(16);
    REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    REQUIRE(machine.cuda.event_destroy(event) == Status::success);
    const auto garbage = reinterpret_cast<Stream>(std::uintptr_t{0x123456});
    for (const Stream wrong : {stream, garbage, reinterpret_cast<Stream>(event)}) {
        CHECK(machine.cuda.stream_destroy(wrong) == Status::invalid_handle);
        CHECK(machine.cuda.stream_query(wrong) == Status::invalid_handle);
        CHECK(machine.cuda.stream_synchronize(wrong) == Status::invalid_handle);
        CHECK(machine.cuda.set_bytes_async(memory, 0, 16, wrong) == Status::invalid_handle);
        CHECK(machine.cuda.stream_launch_host_function(wrong, take, nullptr) == Status::invalid_handle);
    }
    for (const Event wrong : {event, reinterpret_cast<Event>(garbage)}) {
        CHECK(machine.cuda.event_destroy(wrong) == Status::invalid_handle);
        CHECK(machine.cuda.event_query(wrong) == Status::invalid_handle);
        CHECK(machine.cuda.event_record(wrong, nullptr) == Status::invalid_handle);
        CHECK(machine.cuda.stream_wait_event(nullptr, wrong, 0) == Status::invalid_handle);
    }
}

TEST_CASE("a destroyed stream finishes its work") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(4);
    {
        Gate gate(machine.cuda, stream);
        REQUIRE(machine.cuda.set_words_async(memory, 12, 1, stream) == Status::success);
        REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
        gate.open();
        REQUIRE(machine.cuda.context_synchronize() == Status::success);
    }
    CHECK(machine.read(memory) == 12);
    REQUIRE(machine.cuda.memory_free(memory) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}
