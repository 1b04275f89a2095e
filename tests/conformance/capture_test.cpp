// Stream capture, and what it forbids.
#include <algorithm>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/stream_capture.hpp>
#include <stdexcept>
#include <thread>

#include "kernels.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// The answer of a raw call that must fail.
template <class Call>
abi::Status answer_of(ContextView context, Call&& call) {
    const CurrentContext current(context);
    return call(context.driver().api());
}

/// What ending a capture by force answers.
abi::Status end_of(StreamCapture& capture) {
    try {
        capture.end();
    } catch (const Error& error) {
        return error.code().value_or(abi::Status::success);
    }
    return abi::Status::success;
}

}  // namespace

TEST_CASE("captured work does not run, but becomes a graph that does", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    std::vector<int> values(Bench::count, 5);
    int calls = 0;
    StreamCapture capture(bench.stream);
    CHECK(bench.stream.view().capture_status() == abi::CaptureStatus::active);
    copy_async(bench.values.span(), std::span<const int>(values), bench.stream);
    bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
    bench.stream.launch_host_function([&] { ++calls; });
    const Graph graph = capture.end();
    CHECK(bench.stream.view().capture_status() == abi::CaptureStatus::none);
    CHECK(graph.nodes().size() == 3);
    CHECK(bench.result() == Bench::all(0));
    CHECK(calls == 0);
    const GraphExec exec = graph.instantiate();
    exec.launch(bench.stream);
    CHECK(bench.result() == Bench::all(6));
    values.assign(Bench::count, 8);
    exec.launch(bench.stream);
    CHECK(bench.result() == Bench::all(9));
    CHECK(calls == 2);
}

TEST_CASE("streams join a capture by its events, and are joined again", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream side(bench.context);
    Event forked(bench.context);
    Event joined(bench.context);
    StreamCapture capture(bench.stream);
    fill_bytes_async(bench.values.span(), 1, bench.stream);
    forked.record(bench.stream);
    side.wait(forked);
    CHECK(side.view().capture_status() == abi::CaptureStatus::active);
    bench.add.launch(Bench::shape, side, bench.values.span(), 1, Bench::count);
    joined.record(side);
    bench.stream.wait(joined);
    bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
    const Graph graph = capture.end();
    CHECK(side.view().capture_status() == abi::CaptureStatus::none);
    CHECK(graph.nodes().size() == 3);
    graph.instantiate().launch(bench.stream);
    CHECK(bench.result() == Bench::all(0x01010101 + 2));
}

TEST_CASE("a stream of another device joins a capture by its events, and is joined again", "[capture]") {
    CUPOOL_NEEDS_GPUS(2);
    Bench first(gpus()[0]);
    Bench second(gpus()[1]);
    PinnedBuffer<int> input(Bench::count, first.context);
    PinnedBuffer<int> over(Bench::count, first.context);
    PinnedBuffer<int> back(Bench::count, second.context);
    Event forked(first.context);
    Event joined(second.context);
    StreamCapture capture(first.stream);
    copy_async(first.values.span(), std::span<const int>(input.span()), first.stream);
    first.add.launch(Bench::shape, first.stream, first.values.span(), 1, Bench::count);
    copy_async(over.span(), DeviceSpan<const int>(first.values.span()), first.stream);
    forked.record(first.stream);
    second.stream.wait(forked);
    CHECK(second.stream.view().capture_status() == abi::CaptureStatus::active);
    copy_async(second.values.span(), std::span<const int>(over.span()), second.stream);
    second.add.launch(Bench::shape, second.stream, second.values.span(), 10, Bench::count);
    copy_async(back.span(), DeviceSpan<const int>(second.values.span()), second.stream);
    joined.record(second.stream);
    first.stream.wait(joined);
    copy_async(first.values.span(), std::span<const int>(back.span()), first.stream);
    first.add.launch(Bench::shape, first.stream, first.values.span(), 100, Bench::count);
    const Graph graph = capture.end();
    CHECK(second.stream.view().capture_status() == abi::CaptureStatus::none);
    CHECK(graph.nodes().size() == 8);
    CHECK(second.result() == Bench::all(0));
    const GraphExec exec = graph.instantiate();
    for (const int value : {5, 6}) {  // one launch on a stream of each device
        std::fill(input.span().begin(), input.span().end(), value);
        const Bench& launching = value == 5 ? first : second;
        exec.launch(launching.stream);
        launching.stream.synchronize();
        CHECK(first.result() == Bench::all(value + 111));
        CHECK(second.result() == Bench::all(value + 11));
    }
}

TEST_CASE("a capture that a stream of another device has not joined again cannot be ended", "[capture]") {
    CUPOOL_NEEDS_GPUS(2);
    const Bench first(gpus()[0]);
    Bench second(gpus()[1]);
    Event forked(first.context);
    StreamCapture capture(first.stream);
    forked.record(first.stream);
    second.stream.wait(forked);
    second.add.launch(Bench::shape, second.stream, second.values.span(), 1, Bench::count);
    CHECK(end_of(capture) == abi::Status::stream_capture_unjoined);
    CHECK(second.stream.view().capture_status() == abi::CaptureStatus::none);
    second.add.launch(Bench::shape, second.stream, second.values.span(), 2, Bench::count);
    CHECK(second.result() == Bench::all(2));
}

TEST_CASE("a graph is not launched into a capture", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Graph inner(bench.context);
    inner.add_fill(bench.values.span(), 3);
    const GraphExec exec = inner.instantiate();
    {
        StreamCapture capture(bench.stream);
        CHECK(error_of([&] { exec.launch(bench.stream); }).code() == abi::Status::stream_capture_unsupported);
    }
    exec.launch(bench.stream);
    CHECK(bench.result() == Bench::all(3));
}

TEST_CASE("an exception ends the capture, and the stream works as before", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    try {
        StreamCapture capture(bench.stream);
        bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
        throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
    }
    CHECK(bench.stream.view().capture_status() == abi::CaptureStatus::none);
    bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 2, Bench::count);
    CHECK(bench.result() == Bench::all(2));
}

TEST_CASE("waiting for a captured stream is refused, and spoils the capture", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    {
        StreamCapture capture(bench.stream);
        CHECK(error_of([&] { bench.stream.synchronize(); }).code() == abi::Status::stream_capture_unsupported);
        CHECK(bench.stream.view().capture_status() == abi::CaptureStatus::invalidated);
        CHECK(error_of([&] { bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count); }).code() ==
              abi::Status::stream_capture_invalidated);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    {
        StreamCapture capture(bench.stream);
        CHECK(error_of([&] { bench.stream.query(); }).code() == abi::Status::stream_capture_unsupported);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    {
        StreamCapture capture(bench.stream);
        CHECK(error_of([&] { bench.context.synchronize(); }).code() == abi::Status::stream_capture_unsupported);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    CHECK(bench.result() == Bench::all(0));
}

TEST_CASE("events of a capture tell nothing, and those of outside cannot be waited for", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Event inside(bench.context);
    Event outside(bench.context);
    const Event never(bench.context);
    const Stream side(bench.context);
    outside.record(side);
    {
        StreamCapture capture(bench.stream);
        bench.stream.wait(never);
        inside.record(bench.stream);
        CHECK(error_of([&] { inside.query(); }).code() == abi::Status::captured_event);
        end_of(capture);
    }
    {
        StreamCapture capture(bench.stream);
        inside.record(bench.stream);
        CHECK(error_of([&] { inside.synchronize(); }).code() == abi::Status::captured_event);
        end_of(capture);
    }
    {
        StreamCapture capture(bench.stream);
        CHECK(error_of([&] { bench.stream.wait(outside); }).code() == abi::Status::stream_capture_isolation);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    inside.record(side);
    CHECK_NOTHROW(inside.synchronize());
}

TEST_CASE("a capture ends where it began, with all that joined it", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream side(bench.context);
    const auto fork = [&] {
        Event forked(bench.context);
        bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
        forked.record(bench.stream);
        side.wait(forked);
        bench.add.launch(Bench::shape, side, bench.values.span(), 1, Bench::count);
    };
    {
        StreamCapture capture(bench.stream);
        fork();
        CHECK(end_of(capture) == abi::Status::stream_capture_unjoined);
    }
    CHECK(side.view().capture_status() == abi::CaptureStatus::none);
    {
        StreamCapture capture(bench.stream);
        fork();
        CHECK(answer_of(bench.context, [&](const EntryPoints& api) {
                  abi::Graph graph = nullptr;
                  return api.stream_end_capture(side.handle(), &graph);
              }) == abi::Status::stream_capture_unmatched);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    CHECK(bench.result() == Bench::all(0));
}

TEST_CASE("two captures do not merge", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    const Stream first(gpus()[0]);
    const Stream second(gpus()[0]);
    Event event(gpus()[0]);
    StreamCapture one(first);
    StreamCapture other(second);
    event.record(first);
    CHECK(error_of([&] { second.wait(event); }).code() == abi::Status::stream_capture_merge);
    end_of(one);
    end_of(other);
}

TEST_CASE("a stream is captured once, and the default stream never", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    const Stream stream(gpus()[0]);
    StreamCapture capture(stream);
    CHECK(error_of([&] { StreamCapture again(stream); }).code() == abi::Status::illegal_state);
    CHECK(end_of(capture) == abi::Status::success);
    CHECK(error_of([&] { capture.end(); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { StreamCapture of_default{StreamView(gpus()[0])}; }).code() == abi::Status::stream_capture_unsupported);
    CHECK(answer_of(gpus()[0], [&](const EntryPoints& api) {
              abi::Graph graph = nullptr;
              return api.stream_end_capture(stream.handle(), &graph);
          }) == abi::Status::illegal_state);
}

TEST_CASE("the default stream may not wait for a captured one", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream blocking(bench.context, {0, abi::StreamFlags::blocking});
    const StreamView legacy(bench.context);
    {
        StreamCapture capture(blocking);
        CHECK(error_of([&] { bench.add.launch(Bench::shape, legacy, bench.values.span(), 1, Bench::count); }).code() ==
              abi::Status::stream_capture_implicit);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    {
        StreamCapture capture(bench.stream);  // which knows nothing of the default stream
        bench.add.launch(Bench::shape, legacy, bench.values.span(), 1, Bench::count);
        CHECK(end_of(capture) == abi::Status::success);
    }
    legacy.synchronize();
    CHECK(bench.result() == Bench::all(1));
}

TEST_CASE("what may wait for the device is refused to those whom the capture's mode says", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    const Stream stream(gpus()[0]);
    const auto allocate = [&] {
        return answer_of(gpus()[0], [](const EntryPoints& api) {
            abi::DevicePointer memory = 0;
            const abi::Status result = api.memory_allocate(&memory, 256);
            return result == abi::Status::success ? api.memory_free(memory) : result;
        });
    };
    const auto allocate_elsewhere = [&] {
        abi::Status result{};
        std::thread([&] { result = allocate(); }).join();
        return result;
    };
    {
        StreamCapture capture(stream, abi::CaptureMode::relaxed);
        CHECK(allocate() == abi::Status::success);
        CHECK(allocate_elsewhere() == abi::Status::success);
        CHECK(end_of(capture) == abi::Status::success);
    }
    {
        StreamCapture capture(stream, abi::CaptureMode::this_thread);
        CHECK(allocate_elsewhere() == abi::Status::success);
        CHECK(allocate() == abi::Status::stream_capture_unsupported);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    {
        StreamCapture capture(stream, abi::CaptureMode::global);
        const ThreadCaptureMode relaxed(gpus()[0].driver(), abi::CaptureMode::relaxed);
        CHECK(allocate() == abi::Status::success);
        CHECK(end_of(capture) == abi::Status::success);
    }
    {
        StreamCapture capture(stream, abi::CaptureMode::global);
        CHECK(allocate_elsewhere() == abi::Status::stream_capture_unsupported);
        CHECK(end_of(capture) == abi::Status::stream_capture_invalidated);
    }
    CHECK(allocate() == abi::Status::success);
}

TEST_CASE("a thread that did not begin a capture loses it by ending it, unless it is relaxed", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    const Stream stream(gpus()[0]);
    const auto end_elsewhere = [&](StreamCapture& capture) {
        abi::Status result{};
        std::thread([&] { result = end_of(capture); }).join();
        return result;
    };
    StreamCapture strict(stream);
    CHECK(end_elsewhere(strict) == abi::Status::stream_capture_wrong_thread);
    CHECK(stream.view().capture_status() == abi::CaptureStatus::none);
    StreamCapture relaxed(stream, abi::CaptureMode::relaxed);
    CHECK(end_elsewhere(relaxed) == abi::Status::success);
}

TEST_CASE("events that leave a capture are nodes of it", "[capture]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream other(bench.context);
    Event begun(bench.context);
    Event ended(bench.context);
    CHECK(error_of([&] { ended.record_external(bench.stream); }).code() == abi::Status::illegal_state);
    CHECK(error_of([&] { bench.stream.view().wait_external(begun); }).code() == abi::Status::illegal_state);
    StreamCapture capture(bench.stream);
    bench.stream.view().wait_external(begun);
    bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
    ended.record_external(bench.stream);
    const GraphExec exec = capture.end().instantiate();
    {
        Gate gate(other);
        begun.record(other);
        exec.launch(bench.stream);
        CHECK_FALSE(ended.query());
    }
    ended.synchronize();
    CHECK(bench.result() == Bench::all(1));
}
