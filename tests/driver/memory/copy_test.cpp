#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <functional>
#include <numeric>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("bytes go there and back") {
    Machine machine;
    const DeviceContext device = DeviceContext::for_device(machine.driver, 1);
    const Stream stream(device.context());
    const DeviceContext context = device.with_stream(stream);
    std::vector<std::uint32_t> in(1000);
    std::iota(in.begin(), in.end(), 5);
    DeviceBuffer<std::uint32_t> first(1000, context);
    DeviceBuffer<std::uint32_t> second(1000, context);
    copy_async(first.span(), in, stream);
    copy_async(second.span(), first.span(), stream);
    fill_bytes_async(second.span().subspan(10, 5), 0xff, stream);
    PinnedBuffer<std::uint32_t> out(1000, context.context());
    copy_async(out.span(), second.span(), stream);
    stream.synchronize();
    CHECK(out[0] == 5);
    CHECK(out[9] == 14);
    CHECK(out[10] == 0xffffffff);
    CHECK(out[14] == 0xffffffff);
    CHECK(out[15] == 20);
    std::vector<std::uint32_t> part(3);
    const DeviceBuffer<std::uint32_t>& constant = second;
    copy(part, constant.span().subspan(997, 3), stream);
    CHECK(part == std::vector<std::uint32_t>{1002, 1003, 1004});
    copy(first.span().subspan(0, 3), part, stream);
    copy(part, first.span().subspan(0, 3), stream);
    CHECK(part[0] == 1002);
}

TEST_CASE("devices exchange bytes, with peer access and without") {
    const bool with_access = GENERATE(true, false);
    Machine machine;
    const DeviceContext first = DeviceContext::for_device(machine.driver, 0);
    const DeviceContext second = DeviceContext::for_device(machine.driver, 1);
    if (with_access) {
        first.context().enable_peer_access(second.context());
        second.context().enable_peer_access(first.context());
        first.memory_pool().allow_access(1);
        second.memory_pool().allow_access(0);
    }
    const std::vector<int> in{1, 2, 3};
    DeviceBuffer<int> from(3, first);
    DeviceBuffer<int> to(3, second);
    copy(from.span(), in, first.stream());
    copy_peer_async(to.span(), second.context(), from.span(), first.context(), first.stream());
    first.stream().synchronize();
    std::vector<int> out(3);
    copy(out, to.span(), second.stream());
    CHECK(out == in);
}

TEST_CASE("sizes that differ and devices that are mixed are refused, and both devices named") {
    Machine machine(std::vector<SimulatedDevice>(3));
    const DeviceContext first = DeviceContext::for_device(machine.driver, 0);
    const DeviceContext second = DeviceContext::for_device(machine.driver, 1);
    const DeviceContext third = DeviceContext::for_device(machine.driver, 2);
    DeviceBuffer<int> on_first(4, first);
    DeviceBuffer<int> on_second(4, second);
    std::vector<int> host(4);
    const std::uint64_t calls = machine.simulator.call_count();

    Error error = error_of([&] { copy_async(on_first.span(), std::vector<int>(3), first.stream()); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(error.what(), contains_text("3 elements to a place for 4"));
    CHECK(error_of([&] { copy_async(host, on_first.span().subspan(0, 2), first.stream()); }).category() == ErrorCategory::invalid_argument);

    const std::function<void()> misuses[] = {
        [&] { copy_async(on_first.span(), host, second.stream()); },
        [&] { copy_async(host, on_first.span(), second.stream()); },
        [&] { copy_async(on_first.span(), on_second.span(), second.stream()); },
        [&] { copy_async(on_second.span(), on_first.span(), second.stream()); },
        [&] { fill_bytes_async(on_first.span(), 0, second.stream()); },
        [&] { copy_peer_async(on_first.span(), second.context(), on_second.span(), first.context(), first.stream()); },
    };
    for (const auto& misuse : misuses) {
        error = error_of(misuse);
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK_THAT(error.what(), contains_text("device 0"));
        CHECK_THAT(error.what(), contains_text("device 1"));
    }
    error = error_of([&] { copy_peer_async(on_first.span(), first.context(), on_second.span(), second.context(), third.stream()); });
    CHECK(error.category() == ErrorCategory::wrong_context);
    CHECK_THAT(error.what(), contains_text("device 2"));
    CHECK(machine.simulator.call_count() == calls);
}

TEST_CASE("a part of a span lies within it") {
    const DeviceSpan<std::uint64_t> span(0x1000, 10, 3);
    CHECK(span.subspan(2, 8).pointer() == 0x1010);
    CHECK(span.subspan(2, 8).size() == 8);
    CHECK(span.subspan(10, 0).empty());
    CHECK(span.subspan(2, 8).device() == 3);
    CHECK(error_of([&] { span.subspan(2, 9); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { span.subspan(11, 0); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { span.subspan(1, static_cast<std::size_t>(-1)); }).category() == ErrorCategory::invalid_argument);
    const DeviceSpan<const std::uint64_t> constant = span;
    CHECK(constant.size_bytes() == 80);
}
