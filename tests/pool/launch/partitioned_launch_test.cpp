#include <cupool/driver/copy.hpp>
#include <cupool/pool/device_pool.hpp>
#include <mutex>
#include <numeric>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// slice[i] = (offset + i) * factor, for i below count.
const std::string number_items = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry number_items(.param .u64 slice, .param .u64 factor, .param .u64 offset, .param .u64 count) {
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [slice];
    ld.param.u64 %rd2, [factor];
    ld.param.u64 %rd3, [offset];
    ld.param.u64 %rd4, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.wide.u32 %rd5, %r1, %r2, 0;
    cvt.u64.u32 %rd6, %r3;
    add.u64 %rd5, %rd5, %rd6;
    setp.ge.u64 %p, %rd5, %rd4;
    @%p ret;
    add.u64 %rd6, %rd5, %rd3;
    mul.lo.u64 %rd6, %rd6, %rd2;
    shl.b64 %rd5, %rd5, 3;
    add.u64 %rd7, %rd1, %rd5;
    st.global.u64 [%rd7], %rd6;
    ret;
})";

using Numbers = DeviceSpan<std::uint64_t>;
using NumberItems = PartitionLaunch<Numbers, std::uint64_t>;

/// What number_items made of the items, in order, and which part had how many.
struct Numbered {
    std::vector<std::uint64_t> items;
    std::vector<std::uint64_t> counts;
    RunReport report;
};

Numbered number(const DevicePool& pool, std::uint64_t total, Shares shares = Shares::by_speed) {
    std::vector<DeviceBuffer<std::uint64_t>> slices(pool.device_count());
    Numbered numbered;
    numbered.counts.resize(pool.device_count());
    numbered.report = pool.launch_partitioned(
                              "number_items", number_items, total,
                              [&](const Partition& part) {
                                  slices[part.index] = DeviceBuffer<std::uint64_t>(part.count, part.context);
                                  numbered.counts[part.index] = part.count;
                                  const auto blocks = static_cast<unsigned>((part.count + 127) / 128);
                                  return NumberItems{{blocks, 128}, {slices[part.index].span(), 3}};
                              },
                              shares)
                          .get();
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (numbered.counts[i] == 0) continue;
        std::vector<std::uint64_t> part(slices[i].size());
        copy(std::span(part), slices[i].span(), pool.context_at(i).stream());
        numbered.items.insert(numbered.items.end(), part.begin(), part.end());
    }
    return numbered;
}

std::vector<std::uint64_t> multiples_of_3(std::uint64_t count) {
    std::vector<std::uint64_t> list(count);
    for (std::uint64_t i = 0; i < count; ++i) list[i] = 3 * i;
    return list;
}

}  // namespace

TEST_CASE("a partitioned launch covers every item once", "[partition]") {
    for (const std::size_t devices : {1u, 2u, 3u, 4u, 8u}) {
        const Machine machine{std::vector<SimulatedDevice>(devices)};
        const DevicePool pool = DevicePool::all(machine.driver);
        for (const std::uint64_t total : {1u, 3u, 1000u}) {
            CAPTURE(devices, total);
            const Numbered numbered = number(pool, total);
            CHECK(numbered.items == multiples_of_3(total));
            CHECK(numbered.report.devices.size() == std::min<std::uint64_t>(total, devices));
        }
        CHECK(number(pool, 0).report.devices.empty());
        CHECK(machine.simulator.call_count("cuModuleLoadDataEx") == devices);  // once a device, however often it is launched
    }
}

TEST_CASE("shares by capability follow multiprocessors and clock", "[partition]") {
    std::vector<SimulatedDevice> devices(2);
    devices[0].multiprocessor_count = 33;
    devices[1].multiprocessor_count = 99;
    const Machine machine(devices);
    const DevicePool pool = DevicePool::all(machine.driver);
    const Numbered numbered = number(pool, 1000, Shares::by_capability);
    CHECK(numbered.counts == std::vector<std::uint64_t>{250, 750});
    CHECK(numbered.items == multiples_of_3(1000));
}

TEST_CASE("a partitioned launch leaves quarantined devices out", "[partition]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.quarantine(0, "test");
    CHECK(number(pool, 9).counts == std::vector<std::uint64_t>{0, 5, 4});
}

TEST_CASE("a partitioned launch reports the first device that failed, the others awaited", "[partition]") {
    Machine machine(std::vector<SimulatedDevice>(4));
    const DevicePool pool = DevicePool::all(machine.driver);
    machine.simulator.set_device_health(1, 46);
    machine.simulator.set_device_health(3, 46);
    std::mutex mutex;
    std::vector<int> configured;
    std::vector<DeviceBuffer<std::uint64_t>> slices(4);
    PendingLaunch launch = pool.launch_partitioned("number_items", number_items, 4, [&](const Partition& part) {
        slices[part.index] = DeviceBuffer<std::uint64_t>(part.count, part.context);
        const std::lock_guard lock(mutex);
        configured.push_back(part.context.device());
        return NumberItems{{1, 32}, {slices[part.index].span(), 1}};
    });
    const Error error = error_of([&] { launch.get(); });
    CHECK(error.device() == 1);
    CHECK(error.code() == abi::Status::device_unavailable);
    CHECK(configured.size() == 2);
}

TEST_CASE("a partitioned launch's failures have faces", "[partition]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 32}, std::tuple{}}; };
    CHECK(error_of([&] { pool.launch_partitioned("k", "not PTX", 2, configure).get(); }).category() == ErrorCategory::jit_failure);
    CHECK(error_of([&] { pool.launch_partitioned("k", number_items, 2, configure).get(); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)DevicePool::host().launch_partitioned("k", number_items, 2, configure); }).category() ==
          ErrorCategory::unsupported);
    // Nobody asks for the result: its end waits all the same.
    { const PendingLaunch dropped = pool.launch_partitioned("k", number_items, 2, configure); }
}

TEST_CASE("each part of a launch can be waited for by itself", "[partition]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::promise<void> open;
    const std::shared_future<void> opened = open.get_future().share();
    std::vector<DeviceBuffer<std::uint64_t>> slices(3);
    const PendingLaunch launch = pool.launch_partitioned("number_items", number_items, 30, [&](const Partition& part) {
        if (part.index == 2) opened.wait();
        if (part.index == 1) throw Error(ErrorCategory::io, "no part for device 1");
        slices[part.index] = DeviceBuffer<std::uint64_t>(part.count, part.context);
        return NumberItems{{1, 32}, {slices[part.index].span(), 1}};
    });
    REQUIRE(launch.parts().size() == 3);
    const PendingPart first = launch.parts()[0];
    first.wait();
    CHECK(first.is_ready());
    CHECK_NOTHROW(first.get());
    CHECK(first.failure() == nullptr);
    CHECK(first.device() == 0);
    CHECK(first.items() == Slice{0, 10});
    CHECK(launch.parts()[1].failure() != nullptr);
    CHECK(error_of([&] { launch.parts()[1].get(); }).category() == ErrorCategory::io);
    CHECK_FALSE(launch.parts()[2].is_ready());
    CHECK_FALSE(launch.is_ready());
    open.set_value();
    launch.parts()[2].get();
    launch.wait();
    CHECK(launch.is_ready());
    for (int i = 0; i < 2; ++i) CHECK(error_of([&] { launch.get(); }).category() == ErrorCategory::io);
}

TEST_CASE("a launch's report may be asked for again", "[partition]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::vector<DeviceBuffer<std::uint64_t>> slices(2);
    PendingLaunch launch = pool.launch_partitioned("number_items", number_items, 10, [&](const Partition& part) {
        slices[part.index] = DeviceBuffer<std::uint64_t>(part.count, part.context);
        return NumberItems{{1, 32}, {slices[part.index].span(), 1}};
    });
    const RunReport first = launch.get();
    const RunReport second = launch.get();
    CHECK(first.devices == std::vector<int>{0, 1});
    CHECK(second.devices == first.devices);
    CHECK(second.milliseconds == first.milliseconds);
    const PendingLaunch moved = std::move(launch);
    CHECK(moved.get().devices == first.devices);
}

TEST_CASE("launches over unlike devices are divided by what was measured", "[partition]") {
    std::vector<SimulatedDevice> devices(2);
    devices[0].multiprocessor_count = 33;
    devices[1].multiprocessor_count = 99;
    const Machine machine(devices);
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(number(pool, 1000).counts == std::vector<std::uint64_t>{250, 750});  // by capability, before anything was measured
    // Device 1 is slow, though its capability says otherwise: its parts take long.
    std::vector<DeviceBuffer<std::uint64_t>> slices(2);
    for (int i = 0; i < 4; ++i) {
        pool.launch_partitioned("number_items", number_items, 100,
                                [&](const Partition& part) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(part.index == 1 ? 60 : 1));
                                    slices[part.index] = DeviceBuffer<std::uint64_t>(part.count, part.context);
                                    return NumberItems{{1, 128}, {slices[part.index].span(), 1}};
                                })
            .get();
    }
    CHECK(pool.weights()[0] > pool.weights()[1]);
}
