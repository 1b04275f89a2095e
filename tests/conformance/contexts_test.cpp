// Contexts: flags, limits, preferences, numbers, and their green kind.
#include <cupool/driver/green_context.hpp>
#include <cupool/driver/profiler.hpp>
#include <string>

#include "kernels.hpp"
#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// What the driver answers to a call that must fail.
template <class Call>
int code_of(Call&& call) {
    return static_cast<int>(error_of(call).code().value_or(abi::Status::success));
}

}  // namespace

TEST_CASE("a context has the flags that it was made with", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Context context(gpus()[0].device(), abi::ContextFlags::schedule_blocking);
    constexpr unsigned scheduling = 7;
    CHECK((context.view().flags() & scheduling) == static_cast<unsigned>(abi::ContextFlags::schedule_blocking));
    CHECK(context.view().api_version() > 0);
    if (gpus()[0].driver().version() >= 12010) {
        context.view().set_flags(abi::ContextFlags::synchronous_memory_operations);
        constexpr auto synchronous = static_cast<unsigned>(abi::ContextFlags::synchronous_memory_operations);
        CHECK((context.view().flags() & synchronous) == synchronous);
    }
    CHECK(error_of([] { Context(gpus()[0].device(), static_cast<abi::ContextFlags>(3)); }).code() == abi::Status::invalid_value);
}

TEST_CASE("contexts are told apart by a number", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Context one(gpus()[0].device());
    const Context other(gpus()[0].device());
    CHECK(one.view().id() != other.view().id());
    CHECK(one.view().id() != gpus()[0].id());
    CHECK(one.view().id() == one.view().id());
}

TEST_CASE("the primary context's state and flags are told", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    const PrimaryContext::State before = PrimaryContext::state(device);
    CHECK(before.active);
    PrimaryContext::set_flags(device, abi::ContextFlags::schedule_yield);
    constexpr unsigned scheduling = 7;
    CHECK((static_cast<unsigned>(PrimaryContext::state(device).flags) & scheduling) ==
          static_cast<unsigned>(abi::ContextFlags::schedule_yield));
    PrimaryContext::set_flags(device, abi::ContextFlags::schedule_auto);
}

TEST_CASE("limits are told and set", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Context context(gpus()[0].device());
    const ContextView view = context;
    CHECK(view.limit(abi::ContextLimit::stack_bytes) > 0);
    CHECK(view.limit(abi::ContextLimit::malloc_heap_bytes) > 0);
    CHECK(view.limit(abi::ContextLimit::printf_fifo_bytes) > 0);
    view.set_limit(abi::ContextLimit::stack_bytes, 4096);
    CHECK(view.limit(abi::ContextLimit::stack_bytes) == 4096);
    view.set_limit(abi::ContextLimit::malloc_heap_bytes, std::size_t{64} << 20);
    CHECK(view.limit(abi::ContextLimit::malloc_heap_bytes) == std::size_t{64} << 20);
    CHECK(code_of([&] { view.limit(static_cast<abi::ContextLimit>(99)); }) == static_cast<int>(abi::Status::invalid_value));
    CHECK(code_of([&] { view.limit(static_cast<abi::ContextLimit>(3)); }) == static_cast<int>(abi::Status::unsupported_limit));
    CHECK(gpus()[0].limit(abi::ContextLimit::stack_bytes) != 4096);
}

TEST_CASE("a context's cache preference is told and set", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Context context(gpus()[0].device());
    CHECK(context.view().cache_config() == abi::CacheConfig::none);
    context.view().set_cache_config(abi::CacheConfig::prefer_l1);
    CHECK(context.view().cache_config() == abi::CacheConfig::prefer_l1);
    CHECK(error_of([&] { context.view().set_cache_config(static_cast<abi::CacheConfig>(9)); }).code() == abi::Status::invalid_value);
}

TEST_CASE("a green context has some of the multiprocessors", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    const MultiprocessorShare all = multiprocessor_share(device);
    CHECK(all.count == static_cast<unsigned>(device.multiprocessor_count()));
    CHECK(all.smallest > 0);
    try {
        const GreenContext green(device, all.smallest);
        CHECK(green.multiprocessor_count() >= all.smallest);
        CHECK(green.multiprocessor_count() < all.count);
        Bench bench(green);
        bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
        CHECK(bench.result() == Bench::all(1));
    } catch (const Error& error) {
        CHECK(error.category() == ErrorCategory::unsupported);
        CUPOOL_SKIP("skipped: the driver has no green contexts");
    }
}

TEST_CASE("a profiled scope leaves everything as it was", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    {
        const ProfiledScope profiled(bench.context);
        bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 1, Bench::count);
    }
    CHECK(bench.result() == Bench::all(1));
}

TEST_CASE("a context of some multiprocessors is one that the device and MPS offer", "[contexts]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    const auto make = [&] { return Context::with_multiprocessors(device, 8); };
    if (device.supports_multiprocessor_affinity()) {
        const Context context = make();
        CHECK(context.view().multiprocessor_affinity() >= 8);
        return;
    }
    const Error error = error_of([&] { static_cast<void>(make()); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(error.device() == device.ordinal());
    CHECK(gpus()[0].multiprocessor_affinity() == static_cast<unsigned>(device.multiprocessor_count()));
}

TEST_CASE("handles of a destroyed context are dead, and say so", "[contexts][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    if (!is_simulated()) CUPOOL_SKIP("skipped: an H200's driver answers so most of the time, and at others follows the handle to its end");
    const CurrentContext current(gpus()[0]);
    abi::Context doomed = nullptr;
    abi::Stream stream = nullptr;
    abi::Event event = nullptr;
    abi::DevicePointer memory = 0;
    REQUIRE(raw().context_create(&doomed, 0, gpus()[0].device().handle()) == Answer::success);
    REQUIRE(raw().stream_create(&stream, 0, 0) == Answer::success);
    REQUIRE(raw().event_create(&event, 0) == Answer::success);
    REQUIRE(raw().memory_allocate(&memory, 256) == Answer::success);
    REQUIRE(raw().context_pop_current(nullptr) == Answer::success);
    REQUIRE(raw().context_destroy(doomed) == Answer::success);
    CHECK(raw().event_query(event) == Answer::context_is_destroyed);
    CHECK(raw().event_record(event, nullptr) == Answer::context_is_destroyed);
    CHECK(raw().stream_query(stream) == Answer::context_is_destroyed);
    CHECK(raw().stream_synchronize(stream) == Answer::context_is_destroyed);
    CHECK(raw().stream_wait_event(nullptr, event, 0) == Answer::context_is_destroyed);
    CHECK(raw().set_bytes_async(memory, 1, 16, stream) == Answer::context_is_destroyed);
    CHECK(raw().memory_free(memory) == Answer::invalid_value);
    CHECK(raw().event_destroy(event) == Answer::context_is_destroyed);
    CHECK(raw().stream_destroy(stream) == Answer::context_is_destroyed);
    CHECK(raw().context_destroy(doomed) == Answer::context_is_destroyed);
}

TEST_CASE("objects of two contexts are not mixed, though the device is the same", "[contexts][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Context other(gpus()[0].device());
    const Stream stream(other);
    Event event(other);
    const auto check = [](const Error& error) {
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK(error.message().find("the same device, but another context") != std::string::npos);
    };
    check(error_of([&] { bench.add.launch(Bench::shape, stream, bench.values.span(), 1, Bench::count); }));
    check(error_of([&] { event.record(bench.stream); }));
    check(error_of([&] { static_cast<void>(DeviceContext::in(gpus()[0]).with_stream(stream)); }));
    CHECK(bench.result() == Bench::all(0));
}
