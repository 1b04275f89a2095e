#include <array>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <cupool/pool/sliced_array.hpp>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t count = 10'000;
/// So small that every copy takes several rounds over them.
constexpr PeerOptions small_chunks{.chunk_bytes = 1000, .chunks = 3};

std::vector<std::uint32_t> counted(std::uint32_t first) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

/// Sends numbers from one device to another and reads them there.
std::vector<std::uint32_t> sent(const PeerManager& peers, int from, int to, const std::vector<std::uint32_t>& numbers) {
    const DeviceContext& source_context = peers.pool().context(from);
    const DeviceContext& target_context = peers.pool().context(to);
    DeviceBuffer<std::uint32_t> source(numbers.size(), source_context);
    DeviceBuffer<std::uint32_t> target(numbers.size(), target_context);
    fill(target.span(), 0U, target_context.stream());
    copy<std::uint32_t>(source.span(), numbers, source_context.stream());
    peers.copy<std::uint32_t>(target.span(), source.span());
    std::vector<std::uint32_t> read(numbers.size());
    copy<std::uint32_t>(read, target.span(), target_context.stream());
    return read;
}

/// Collects what is logged while it lives.
class Logged {
public:
    Logged() {
        set_log_level(LogLevel::warning);
        set_log_callback([this](LogLevel, std::string_view line) { lines_ += std::string(line) + '\n'; });
    }
    ~Logged() {
        set_log_callback({});
        set_log_level(LogLevel::off);
    }
    const std::string& lines() const { return lines_; }

private:
    std::string lines_;
};

}  // namespace

TEST_CASE("bytes arrive between any two devices, directly where there is a path") {
    for (const std::size_t devices : {1, 2, 3, 4, 8}) {
        const Machine machine((std::vector<SimulatedDevice>(devices)));
        const PeerManager peers(DevicePool::all(machine.driver));
        const auto numbers = counted(static_cast<std::uint32_t>(devices));
        const int last = static_cast<int>(devices) - 1;
        CHECK(peers.path(0, last).route == (last == 0 ? PeerRoute::local : PeerRoute::direct));
        CHECK(sent(peers, 0, last, numbers) == numbers);
        CHECK(sent(peers, last, 0, numbers) == numbers);
        CHECK(peers.paths().size() == devices * (devices - 1));
        CHECK(peers.can_access(last, 0));
        if (last != 0) CHECK(to_string(peers.path(0, last)) == "0 -> " + std::to_string(last) + ": direct, rank 0, native atomics");
    }
}

TEST_CASE("devices without a path exchange through the host's memory, chunk by chunk") {
    Machine machine;
    machine.simulator.set_peer_reachable(1, 0, false);
    const PeerManager peers(DevicePool::all(machine.driver), small_chunks);
    CHECK(peers.path(0, 1).route == PeerRoute::staged);
    CHECK(peers.path(1, 0).route == PeerRoute::staged);
    CHECK_FALSE(peers.can_access(0, 1));
    CHECK_FALSE(peers.path(0, 1).why.empty());
    for (const std::uint32_t first : {1U, 500'000U}) {
        const auto numbers = counted(first);
        CHECK(sent(peers, 0, 1, numbers) == numbers);
        CHECK(sent(peers, 1, 0, numbers) == numbers);
    }
    CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") == 0);
    CHECK(machine.simulator.call_count("cuCtxEnablePeerAccess") == 0);
}

TEST_CASE("where the canary does not arrive, the pair is staged, and the log and the matrix say so") {
    for (const bool forth : {true, false}) {
        Machine machine;
        machine.simulator.set_peer_writes_lost(forth ? 0 : 1, forth ? 1 : 0, true);
        const Logged logged;
        const PeerManager peers(DevicePool::all(machine.driver), small_chunks);
        const auto numbers = counted(7);
        CHECK(sent(peers, 0, 1, numbers) == numbers);
        CHECK(sent(peers, 1, 0, numbers) == numbers);
        CHECK(peers.path(0, 1).route == PeerRoute::staged);
        CHECK(logged.lines().find("did not arrive") != std::string::npos);
        CHECK(logged.lines().find("did not arrive", logged.lines().find("did not arrive") + 1) == std::string::npos);
        CHECK(to_string(peers).find("0 -> 1: staged") != std::string::npos);
        CHECK(to_string(peers).find("did not arrive") != std::string::npos);
        CHECK(peers.pool().context(0).memory_pool().access(1) == abi::MemoryAccess::none);
    }
}

TEST_CASE("opening a pair twice is nothing new, nor is access that was there before") {
    Machine machine;
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.context(0).context().enable_peer_access(pool.context(1).context());
    const PeerManager peers(pool);
    CHECK(peers.can_access(0, 1));
    const auto enabled = machine.simulator.call_count("cuCtxEnablePeerAccess");
    CHECK(peers.can_access(0, 1));
    CHECK(peers.can_access(1, 0));
    CHECK(machine.simulator.call_count("cuCtxEnablePeerAccess") == enabled);
    CHECK(PeerManager(pool).can_access(0, 1));
}

TEST_CASE("an open pair reaches each other's plain and pooled memory") {
    const Machine machine;
    const PeerManager peers(DevicePool::all(machine.driver));
    REQUIRE(peers.can_access(0, 1));
    for (const int owner : {0, 1}) {
        const DeviceContext& home = peers.pool().context(owner);
        const DeviceContext& other = peers.pool().context(1 - owner);
        for (const DeviceContext& context : {home, home.with_memory_pool({})}) {
            DeviceBuffer<std::uint32_t> buffer(4, context);
            home.stream().synchronize();
            fill(DeviceSpan<std::uint32_t>(buffer.span().pointer(), 4, other.device()), 9U, other.stream());
            std::vector<std::uint32_t> read(4);
            copy<std::uint32_t>(read, buffer.span(), home.stream());
            CHECK(read == std::vector<std::uint32_t>(4, 9));
        }
    }
}

TEST_CASE("a pair that is not asked about is not opened") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const PeerManager peers(DevicePool::all(machine.driver));
    CHECK(peers.can_access(0, 1));
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 2);
}

TEST_CASE("staged copies are ordered on the stream they are given to") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Machine machine;
        machine.simulator.set_seed(seed);
        const PeerManager peers(DevicePool::all(machine.driver), {.chunk_bytes = 1000, .chunks = 2, .allows_direct = false});
        const DeviceContext& here = peers.pool().context(0);
        const DeviceContext& there = peers.pool().context(1);
        DeviceBuffer<std::uint32_t> source(count, here);
        DeviceBuffer<std::uint32_t> target(count, there);
        here.stream().synchronize();
        there.stream().synchronize();
        for (const DeviceContext& context : {here, there}) {
            const Stream stream(context.context());
            const auto first = counted(1);
            const auto second = counted(2);
            std::vector<std::uint32_t> read(count);
            Stream writing(here.context());
            copy_async<std::uint32_t>(source.span(), first, writing);
            Event written(here.context());
            written.record(writing);
            stream.wait(written);
            peers.copy_async<std::uint32_t>(target.span(), source.span(), stream);
            Event copied(context.context());
            copied.record(stream);
            writing.wait(copied);
            copy_async<std::uint32_t>(source.span(), second, writing);  // not before the copy has read
            writing.synchronize();
            stream.synchronize();
            copy<std::uint32_t>(read, target.span(), there.stream());
            CHECK(read == first);
        }
    }
}

TEST_CASE("of a staged copy one chunk comes out of its source while another goes in to its target") {
    const auto milliseconds_with = [](std::size_t chunks) {
        Machine machine;
        machine.simulator.set_seed(1);
        for (const int device : {0, 1}) machine.simulator.plan_fault({.device = device, .times_slower = 100});  // so that copies are all
        const PeerManager peers(DevicePool::all(machine.driver), {.chunk_bytes = 1 << 20, .chunks = chunks, .allows_direct = false});
        const DeviceContext& here = peers.pool().context(0);
        DeviceBuffer<std::byte> source(16 << 20, here);
        DeviceBuffer<std::byte> target(16 << 20, peers.pool().context(1));
        fill_bytes_async(source.span(), 1, here.stream());
        fill_bytes_async(target.span(), 0, peers.pool().context(1).stream());
        peers.pool().context(1).stream().synchronize();
        peers.copy<std::byte>(target.span().subspan(0, 1), source.span().subspan(0, 1));  // what is made once
        Event start(here.context(), {.timing = true});
        Event end(here.context(), {.timing = true});
        start.record(here.stream());
        peers.copy_async<std::byte>(target.span(), source.span(), here.stream());
        end.record(here.stream());
        end.synchronize();
        return elapsed_milliseconds(start, end);  // by the virtual clock
    };
    CHECK(milliseconds_with(4) < 0.7 * milliseconds_with(1));  // one chunk alone goes out and in, out and in
}

TEST_CASE("many threads copy over the same pair at once") {
    Machine machine;
    const PeerManager peers(DevicePool::all(machine.driver), {.chunk_bytes = 4096, .chunks = 2, .allows_direct = false});
    std::vector<std::thread> threads;
    std::vector<char> right(8);
    for (std::size_t i = 0; i < right.size(); ++i) {
        threads.emplace_back([&, i] {
            const auto numbers = counted(static_cast<std::uint32_t>(1000 * i));
            right[i] = sent(peers, static_cast<int>(i % 2), static_cast<int>(1 - i % 2), numbers) == numbers;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::vector<char>(right.size(), 1));
}

TEST_CASE("a named buffer is the same for every device") {
    for (const bool is_reachable : {true, false}) {
        Machine machine;
        machine.simulator.set_peer_reachable(0, 1, is_reachable);
        const PeerManager peers(DevicePool::all(machine.driver));
        const DeviceSpan<std::uint32_t> made = peers.create_buffer<std::uint32_t>("weights", 100, 1);
        CHECK(made.device() == 1);
        CHECK(made.size() == 100);
        fill(made, 5U, peers.pool().context(1).stream());
        const DeviceSpan<std::uint32_t> seen = peers.buffer<std::uint32_t>("weights", 0);
        CHECK(seen.pointer() == made.pointer());
        fill(seen.subspan(0, 50), 6U, peers.pool().context(0).stream());
        std::vector<std::uint32_t> read(100);
        copy<std::uint32_t>(read, made, peers.pool().context(1).stream());
        CHECK(read[49] == 6);
        CHECK(read[50] == 5);
        const auto category = [](auto function) { return error_of(function).category(); };
        CHECK(category([&] { peers.create_buffer<int>("weights", 1, 0); }) == ErrorCategory::invalid_argument);
        CHECK(category([&] { peers.buffer<int>("no such", 0); }) == ErrorCategory::invalid_argument);
        CHECK(category([&] { peers.buffer<std::array<char, 7>>("weights", 0); }) == ErrorCategory::invalid_argument);
        CHECK(category([&] { peers.buffer<int>("weights", 5); }) == ErrorCategory::invalid_device);
        peers.remove_buffer("weights");
        CHECK(category([&] { peers.remove_buffer("weights"); }) == ErrorCategory::invalid_argument);
    }
}

TEST_CASE("a sliced array has a slice on each device, and the host sees all") {
    for (const std::size_t devices : {1, 3, 8}) {
        const Machine machine((std::vector<SimulatedDevice>(devices)));
        const DevicePool pool = DevicePool::all(machine.driver);
        SlicedArray<std::uint32_t> array(pool, 1000);
        array.prefetch_async();
        CHECK(machine.simulator.call_count("cuMemPrefetchAsync") == devices);
        pool.for_each_device([&](std::size_t index, const DeviceContext& context) {
            fill(array.slice(index).span(), static_cast<std::uint32_t>(index), context.stream());
        });
        std::size_t next = 0;
        for (std::size_t index = 0; index < devices; ++index) {
            CHECK(array.offset(index) == next);
            CHECK(array.slice(index).span().device() == pool.device_at(index));
            CHECK(array[next] == index);
            next += array.slice(index).span().size();
            CHECK(array[next - 1] == index);
        }
        CHECK(next == array.size());
        CHECK(array.slice(0).span().size() - array.slice(devices - 1).span().size() <= 1);
    }
}

TEST_CASE("what makes no sense is refused") {
    const Machine machine;
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto category = [](auto function) { return error_of(function).category(); };
    CHECK(category([] { static_cast<void>(PeerManager(DevicePool::host())); }) == ErrorCategory::unsupported);
    CHECK(category([&] { PeerManager(pool, {.chunk_bytes = 0}); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { PeerManager(pool, {.chunks = 0}); }) == ErrorCategory::invalid_argument);
    const PeerManager peers(pool);
    CHECK(category([&] { peers.path(0, 7); }) == ErrorCategory::invalid_device);
    DeviceBuffer<int> here(10, pool.context(0));
    DeviceBuffer<int> there(5, pool.context(1));
    CHECK(category([&] { peers.copy<int>(there.span(), here.span()); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { peers.copy<int>(there.span(), here.span().subspan(0, 0)); }) == ErrorCategory::invalid_argument);
    peers.copy<int>(there.span().subspan(0, 0), here.span().subspan(0, 0));
    const DevicePool one = DevicePool::with_devices(machine.driver, std::vector<int>{0});
    CHECK(category([&] { PeerManager(one).copy<int>(there.span(), here.span().subspan(0, 5)); }) == ErrorCategory::invalid_device);
}

TEST_CASE("a stream of a third device is refused") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const PeerManager peers(DevicePool::all(machine.driver));
    DeviceBuffer<int> here(10, peers.pool().context(0));
    DeviceBuffer<int> there(10, peers.pool().context(1));
    const Error error = error_of([&] { peers.copy_async<int>(there.span(), here.span(), peers.pool().context(2).stream()); });
    CHECK(error.category() == ErrorCategory::wrong_context);
}

TEST_CASE("a device fault that a copy meets is the pool's") {
    Machine machine;
    const PeerManager peers(DevicePool::all(machine.driver));
    REQUIRE(peers.can_access(0, 1));
    DeviceBuffer<int> here(10, peers.pool().context(0));
    DeviceBuffer<int> there(10, peers.pool().context(1));
    machine.simulator.raise_device_fault(700);
    CHECK(error_of([&] { peers.copy<int>(there.span(), here.span()); }).category() == ErrorCategory::device_fault);
    CHECK(peers.pool().fault().has_value());
    CHECK(error_of([&] { peers.path(0, 1); }).category() == ErrorCategory::device_fault);
}

TEST_CASE("a call that fails amid a staged copy is told, and the next copy is right") {
    for (const char* const call : {"cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuEventRecord", "cuStreamWaitEvent"}) {
        for (const std::uint64_t nth : {1U, 3U}) {
            Machine machine;
            const PeerManager peers(DevicePool::all(machine.driver), {.chunk_bytes = 1000, .chunks = 2, .allows_direct = false});
            const auto numbers = counted(3);
            CHECK(sent(peers, 0, 1, numbers) == numbers);
            DeviceBuffer<std::uint32_t> source(count, peers.pool().context(0));
            DeviceBuffer<std::uint32_t> target(count, peers.pool().context(1));
            machine.simulator.plan_fault(call, nth, 999);
            CHECK(error_of([&] { peers.copy<std::uint32_t>(target.span(), source.span()); }).category() == ErrorCategory::internal);
            CHECK(sent(peers, 0, 1, numbers) == numbers);
        }
    }
}

TEST_CASE("buffers are combined over links where there are any, else staged", "[peers]") {
    const bool is_linked = GENERATE(true, false);
    CAPTURE(is_linked);
    Machine machine(std::vector<SimulatedDevice>(3));
    if (!is_linked) {
        for (const int peer : {1, 2}) {
            machine.simulator.set_peer_reachable(0, peer, false);
            machine.simulator.set_peer_reachable(peer, 0, false);
        }
    }
    const DevicePool pool = DevicePool::all(machine.driver);
    std::vector<DeviceBuffer<std::uint32_t>> buffers;
    std::vector<DeviceSpan<const std::uint32_t>> spans;
    for (std::size_t i = 0; i < 3; ++i) {
        buffers.emplace_back(1000, pool.context_at(i));
        spans.push_back(buffers.back().span());
    }
    for (std::uint32_t again = 0; again < 2; ++again) {
        for (std::uint32_t i = 0; i < 3; ++i) {  // which must be waited for
            const StreamView stream = pool.context_at(i).stream();
            stream.launch_host_function([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
            fill_async(buffers[i].span(), 1U << (i + again), stream);
        }
        const std::uint64_t before = machine.simulator.call_count("cuMemcpyPeerAsync");
        const DeviceBuffer<std::uint32_t> sums = pool.reduce_results<std::uint32_t>(spans, ReduceOperation::sum);
        std::vector<std::uint32_t> back(1000);
        cupool::copy(std::span(back), sums.span(), sums.stream());
        CHECK(back == std::vector<std::uint32_t>(1000, 7U << again));
        const std::uint64_t copies = machine.simulator.call_count("cuMemcpyPeerAsync") - before;
        if (is_linked) {
            CHECK(copies == (again == 0 ? 2 + 4 : 2));  // with the canaries of two pairs, both ways, once
        } else {
            CHECK(copies == 0);
        }
    }
}
