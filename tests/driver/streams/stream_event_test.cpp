#include <atomic>
#include <cupool/driver/event.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/stream.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("host functions run on a stream, in order") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Stream stream(context);
    std::string order;
    stream.launch_host_function([&] { order += 'a'; });
    stream.launch_host_function([&] { order += 'b'; });
    stream.synchronize();
    CHECK(order == "ab");
    CHECK(stream.query());
}

TEST_CASE("an exception in a host function is logged and lost") {
    Machine machine;
    std::atomic<int> lines{0};
    set_log_callback([&](LogLevel, std::string_view line) { lines += line.find("oops") != std::string_view::npos ? 1 : 0; });
    set_log_level(LogLevel::error);
    {
        const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
        const Stream stream(context);
        stream.launch_host_function([] { throw std::runtime_error("oops"); });
        CHECK_NOTHROW(stream.synchronize());
    }
    set_log_level(LogLevel::off);
    set_log_callback({});
    CHECK(lines == 1);
}

TEST_CASE("a host function that could not be given to the stream does not leak") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Stream stream(context);
    const auto token = std::make_shared<int>(0);
    machine.simulator.plan_fault("cuLaunchHostFunc", 1, 2);
    CHECK(error_of([&] { stream.launch_host_function([token] {}); }).category() == ErrorCategory::out_of_memory);
    CHECK(token.use_count() == 1);
}

TEST_CASE("a stream waits for an event of another, also on another device") {
    Machine machine;
    const PrimaryContext first = PrimaryContext::retain(Device(machine.driver, 0));
    const PrimaryContext second = PrimaryContext::retain(Device(machine.driver, 1));
    const Stream early(first);
    const Stream late(second);
    std::atomic<bool> open{false};
    std::atomic<bool> done{false};
    early.launch_host_function([&] {
        while (!open) {
        }
        done = true;
    });
    Event event(first);
    event.record(early);
    CHECK_FALSE(event.query());
    CHECK_FALSE(early.query());
    late.wait(event);
    bool was_done = false;
    late.launch_host_function([&] { was_done = done; });
    open = true;
    late.synchronize();
    CHECK(was_done);
    CHECK(event.query());
    CHECK_NOTHROW(event.synchronize());
}

TEST_CASE("events measure, where they are made to") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Stream stream(context);
    EventOptions timing;
    timing.timing = true;
    Event start(context, timing);
    Event end(context, timing);
    start.record(stream);
    end.record(stream);
    end.synchronize();
    CHECK(elapsed_milliseconds(start, end) >= 0);
    const Event untimed(context);
    CHECK(error_of([&] { elapsed_milliseconds(start, untimed); }).category() == ErrorCategory::invalid_argument);
    const PrimaryContext other = PrimaryContext::retain(Device(machine.driver, 1));
    const Event elsewhere(other, timing);
    CHECK(error_of([&] { elapsed_milliseconds(start, elsewhere); }).category() == ErrorCategory::wrong_context);
}

TEST_CASE("an event is recorded on streams of its own context only") {
    Machine machine;
    const PrimaryContext first = PrimaryContext::retain(Device(machine.driver, 0));
    const PrimaryContext second = PrimaryContext::retain(Device(machine.driver, 1));
    const Stream stream(second);
    Event event(first);
    const Error error = error_of([&] { event.record(stream); });
    CHECK(error.category() == ErrorCategory::wrong_context);
    CHECK_THAT(error.what(), contains_text("device 0"));
    CHECK_THAT(error.what(), contains_text("device 1"));

    const Context created(Device(machine.driver, 0));
    const Stream same_device(created);
    CHECK_THAT(error_of([&] { event.record(same_device); }).what(), contains_text("another context"));
}

TEST_CASE("streams and events move") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    Stream stream(context);
    const abi::Stream handle = stream.handle();
    Stream moved = std::move(stream);
    CHECK(moved.handle() == handle);
    moved = Stream(context);
    CHECK(machine.simulator.live_counts().streams == 1);
    Event event(context);
    Event other(context);
    event = std::move(other);
    CHECK(machine.simulator.live_counts().events == 1);
    CHECK_NOTHROW(event.record(moved));
    CHECK(to_string(moved.view()) == "stream of device 0");
    CHECK(to_string(StreamView(context)) == "default stream of device 0");
    CHECK(StreamView(context) == StreamView(context));
    CHECK_FALSE(moved.view() == StreamView(context));
}
