// Streams: what they are, default streams, and values that they wait for.
#include <cupool/driver/pinned_buffer.hpp>
#include <set>
#include <thread>

#include "kernels.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a stream tells its priority, its flags, its context and its number", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView context = gpus()[0];
    const Stream urgent(context, {-1, abi::StreamFlags::non_blocking});
    const Stream blocking(context, {0, abi::StreamFlags::blocking});
    CHECK(urgent.view().priority() == -1);
    CHECK(blocking.view().priority() == 0);
    CHECK(urgent.view().flags() == abi::StreamFlags::non_blocking);
    CHECK(blocking.view().flags() == abi::StreamFlags::blocking);
    CHECK(urgent.view().context_by_driver() == context.handle());
    CHECK(StreamView(context).context_by_driver() == context.handle());
    CHECK(urgent.view().id() != blocking.view().id());
    CHECK(Stream(context, {-1000, abi::StreamFlags::non_blocking}).view().priority() < -1);
    CHECK(Stream(context, {1000, abi::StreamFlags::non_blocking}).view().priority() == 0);
}

TEST_CASE("the default stream waits for blocking streams, and the per-thread one too", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream blocking(bench.context, {0, abi::StreamFlags::blocking});
    const StreamView legacy = StreamView::legacy(bench.context);
    const StreamView per_thread = StreamView::per_thread(bench.context);
    {
        Gate gate(blocking);
        bench.add.launch(Bench::shape, legacy, bench.values.span(), 1, Bench::count);
        bench.add.launch(Bench::shape, per_thread, bench.values.span(), 1, Bench::count);
        CHECK_FALSE(legacy.query());
        CHECK_FALSE(per_thread.query());
    }
    per_thread.synchronize();
    CHECK(blocking.query());
    CHECK(bench.result() == Bench::all(2));
    {
        Gate gate(bench.stream);  // which is none of theirs
        bench.add.launch(Bench::shape, legacy, bench.values.span(), 1, Bench::count);
        legacy.synchronize();
        CHECK_FALSE(bench.stream.query());
    }
    CHECK(bench.result() == Bench::all(3));
}

TEST_CASE("each thread has a default stream of its own", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    const StreamView per_thread = StreamView::per_thread(gpus()[0]);
    Gate gate(per_thread);
    bool is_idle = false;
    std::thread([&] { is_idle = per_thread.query(); }).join();
    CHECK(is_idle);
    CHECK_FALSE(per_thread.query());
    gate.open();
    per_thread.synchronize();
    CHECK(to_string(per_thread) == "per-thread default stream of device 0");
}

TEST_CASE("a stream waits for a value that the host writes", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    PinnedBuffer<std::uint32_t> flag(1, bench.context);
    flag[0] = 0;
    const DeviceSpan<std::uint32_t> word(reinterpret_cast<abi::DevicePointer>(flag.data()), 1, 0);
    bench.stream.view().wait_value(word, 3, abi::WaitCondition::equal);
    bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
    CHECK_FALSE(bench.stream.query());
    __atomic_store_n(flag.data(), 3U, __ATOMIC_RELEASE);
    CHECK(bench.result() == Bench::all(1));
}

TEST_CASE("streams hand values to each other", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream other(bench.context);
    DeviceBuffer<std::uint64_t> words(2, DeviceContext::in(bench.context).with_stream(bench.stream).with_memory_pool({}));
    fill_bytes_async(words.span(), 0, bench.stream);
    bench.stream.synchronize();
    const auto first = words.span().subspan(0, 1);
    other.view().wait_value(first, 5);
    bench.add.launch(Bench::shape, other, bench.values.span(), 1, Bench::count);
    CHECK_FALSE(other.query());
    bench.stream.view().write_value(first, std::uint64_t{1} << 40);
    other.synchronize();
    CHECK(bench.result() == Bench::all(1));

    bench.stream.view().wait_value(first, std::uint64_t{3} << 40, abi::WaitCondition::any_bit);
    bench.stream.view().wait_value(first, 1, abi::WaitCondition::not_all_bits);
    bench.stream.synchronize();
    const DeviceSpan<std::uint32_t> low(words.span().pointer() + 8, 1, 0);
    bench.stream.view().write_value(low, 77);
    std::uint64_t back[2] = {};
    copy(std::span<std::uint64_t>(back), words.span(), bench.stream);
    CHECK(back[0] == std::uint64_t{1} << 40);
    CHECK(back[1] == 77);
}

TEST_CASE("values are where they can be", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const abi::DevicePointer start = bench.values.span().pointer();
    const StreamView stream = bench.stream;
    CHECK(error_of([&] { stream.write_value(DeviceSpan<std::uint32_t>(start + 2, 1, 0), 1); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { stream.wait_value(DeviceSpan<const std::uint64_t>(start + 4, 1, 0), 1); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { stream.write_value(DeviceSpan<std::uint32_t>(start, 2, 0), 1); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { stream.write_value(DeviceSpan<std::uint32_t>(start, 1, 5), 1); }).category() == ErrorCategory::wrong_context);
    bench.stream.synchronize();
}

TEST_CASE("raw misuse of streams and events gets the driver's answer", "[streams]") {
    CUPOOL_NEEDS_GPUS(1);
    const Stream stream(gpus()[0]);
    const Event event(gpus()[0]);
    const CurrentContext current(gpus()[0]);
    const EntryPoints& api = gpus()[0].driver().api();
    CHECK(api.event_record_with_flags(event.handle(), stream.handle(), 2) == abi::Status::invalid_value);
    CHECK(api.stream_begin_capture(stream.handle(), static_cast<abi::CaptureMode>(3)) == abi::Status::invalid_value);
    CHECK(api.stream_write_value_32(stream.handle(), 0, 1, 0) == abi::Status::invalid_value);
}
