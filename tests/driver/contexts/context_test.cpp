#include <cupool/driver/context.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/stream.hpp>
#include <thread>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

abi::Context current_context(const Driver& driver) {
    abi::Context current = nullptr;
    REQUIRE(driver.api().context_get_current(&current) == abi::Status::success);
    return current;
}

}  // namespace

TEST_CASE("a primary context is retained and released") {
    Machine machine;
    {
        PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 1));
        CHECK(context.view().ordinal() == 1);
        CHECK(machine.simulator.live_counts().primary_context_retains == 1);
        CHECK(current_context(*machine.driver) == nullptr);
        const PrimaryContext moved = std::move(context);
        const PrimaryContext again = PrimaryContext::retain(Device(machine.driver, 1));
        CHECK(again.view() == moved.view());
        CHECK(machine.simulator.live_counts().primary_context_retains == 2);
    }
    CHECK(machine.simulator.live_counts().primary_context_retains == 0);
}

TEST_CASE("creating a context leaves the current one as it was") {
    Machine machine;
    const Context first(Device(machine.driver, 0));
    CHECK(current_context(*machine.driver) == nullptr);
    {
        const CurrentContext current(first);
        const Context second(Device(machine.driver, 1), abi::ContextFlags::schedule_blocking);
        CHECK(current_context(*machine.driver) == first.view().handle());
        CHECK(second.view().handle() != first.view().handle());
        CHECK(second.view().ordinal() == 1);
    }
    CHECK(current_context(*machine.driver) == nullptr);
}

TEST_CASE("a context is made current for a scope, and what was there comes back") {
    Machine machine;
    const PrimaryContext first = PrimaryContext::retain(Device(machine.driver, 0));
    const PrimaryContext second = PrimaryContext::retain(Device(machine.driver, 1));
    {
        const CurrentContext outer(first);
        CHECK(current_context(*machine.driver) == first.view().handle());
        try {
            const CurrentContext inner(second);
            CHECK(current_context(*machine.driver) == second.view().handle());
            throw std::runtime_error("on the way");
        } catch (const std::runtime_error&) {
        }
        CHECK(current_context(*machine.driver) == first.view().handle());
    }
    CHECK(current_context(*machine.driver) == nullptr);
}

TEST_CASE("a context that is current already is neither pushed nor set") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const CurrentContext outer(context);
    const std::uint64_t sets = machine.simulator.call_count("cuCtxSetCurrent");
    {
        const CurrentContext inner(context);
        context.view().synchronize();
        context.view().memory_info();
    }
    CHECK(machine.simulator.call_count("cuCtxSetCurrent") == sets);
    CHECK(machine.simulator.call_count("cuCtxPushCurrent") == 0);
}

TEST_CASE("calls work from a thread that has no context, and leave it so") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 1));
    std::thread([&] {
        const Stream stream(context);
        CHECK(stream.query());
        CHECK(current_context(*machine.driver) == nullptr);
    }).join();
}

TEST_CASE("a context lives as long as anything made in it") {
    Machine machine;
    std::optional<Stream> stream;
    {
        const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
        stream.emplace(context);
    }
    CHECK(machine.simulator.live_counts().primary_context_retains == 1);
    CHECK_NOTHROW(stream->synchronize());
    stream.reset();
    CHECK(machine.simulator.live_counts().primary_context_retains == 0);
}

TEST_CASE("a device's memory is told of") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const ContextView::MemoryInfo info = context.view().memory_info();
    CHECK(info.total == 150'754'820'096);
    CHECK(info.free <= info.total);
}

TEST_CASE("peer access is enabled once and again") {
    Machine machine;
    const PrimaryContext first = PrimaryContext::retain(Device(machine.driver, 0));
    const PrimaryContext second = PrimaryContext::retain(Device(machine.driver, 1));
    first.view().enable_peer_access(second);
    CHECK_NOTHROW(first.view().enable_peer_access(second));
    machine.simulator.set_peer_reachable(1, 0, false);
    const Error error = error_of([&] { second.view().enable_peer_access(first); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(error.device() == 1);
    CHECK_THAT(error.what(), contains_text("device 0"));
}

TEST_CASE("a view of no context is refused, not followed") {
    CHECK(error_of([] { ContextView().synchronize(); }).category() == ErrorCategory::wrong_context);
    CHECK(error_of([] { StreamView().synchronize(); }).category() == ErrorCategory::wrong_context);
    CHECK(ContextView().ordinal() == -1);
    CHECK(to_string(ContextView()) == "no context");
}

TEST_CASE("what lives in a context is not made without one") {
    CHECK(error_of([] { const Stream stream{ContextView()}; }).category() == ErrorCategory::wrong_context);
    CHECK(error_of([] { const Event event{ContextView()}; }).category() == ErrorCategory::wrong_context);
}
