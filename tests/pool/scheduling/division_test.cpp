// An array's slices and a launch's parts: they agree, or their disagreement is an error.
#include <atomic>
#include <cmath>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/division.hpp>
#include <cupool/pool/sliced_array.hpp>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// array[i] += offset + i + 1, for i below count.
const std::string add_numbers = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry add_numbers(.param .u64 array, .param .u64 offset, .param .u64 count) {
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [array];
    ld.param.u64 %rd2, [offset];
    ld.param.u64 %rd3, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    cvt.u64.u32 %rd4, %r1;
    setp.ge.u64 %p, %rd4, %rd3;
    @%p ret;
    shl.b64 %rd5, %rd4, 2;
    add.u64 %rd5, %rd1, %rd5;
    ld.global.u32 %r4, [%rd5];
    cvt.u32.u64 %r2, %rd2;
    add.u32 %r4, %r4, %r2;
    add.u32 %r4, %r4, %r1;
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd5], %r4;
    ret;
})";

using Array = SlicedArray<std::uint32_t>;

LaunchShape shape_of(const Partition& part) { return {static_cast<unsigned>((part.count + 127) / 128), 128}; }

void zero(Array& array) {
    for (std::uint32_t& element : array.span()) element = 0;
}

std::size_t wrong_elements(const Array& array) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < array.size(); ++i) wrong += array[i] != i + 1 ? 1 : 0;
    return wrong;
}

/// Every device adds to the array's slice at its index, whatever the launch's parts are.
PendingLaunch launch_over_slices(const DevicePool& pool, Array& array, Shares shares) {
    return pool.launch_partitioned(
        "add_numbers", add_numbers, array.size(),
        [&](const Partition& part) {
            return PartitionLaunch{shape_of(part), std::tuple{array.slice(part.index)}};
        },
        shares);
}

/// Every device adds to its part of the launch.
PendingLaunch launch_over_parts(const DevicePool& pool, Array& array, Shares shares) {
    return pool.launch_partitioned(
        "add_numbers", add_numbers, array.size(),
        [&](const Partition& part) {
            return PartitionLaunch{shape_of(part), std::tuple{array.slice(part)}};
        },
        shares);
}

/// Devices of 120 and 30 multiprocessors.
std::vector<SimulatedDevice> unlike_devices() {
    std::vector<SimulatedDevice> devices(2);
    devices[0].multiprocessor_count = 120;
    devices[1].multiprocessor_count = 30;
    return devices;
}

std::vector<std::uint64_t> counts(const Division& division) {
    std::vector<std::uint64_t> all;
    for (const Slice& slice : division.slices()) all.push_back(slice.count);
    return all;
}

}  // namespace

TEST_CASE("an array whose slices are not the launch's parts is refused, and both divisions are named", "[division]") {
    for (const int quarantined : {0, 1, 2}) {
        CAPTURE(quarantined);
        const Machine machine(std::vector<SimulatedDevice>(3));
        const DevicePool pool = DevicePool::all(machine.driver);
        Array array(pool, 36);
        zero(array);
        pool.quarantine(quarantined, "hot");
        const int line = __LINE__ + 1;
        const Error error = error_of([&] { launch_over_slices(pool, array, Shares::by_speed).get(); });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("argument 1"));
        CHECK_THAT(error.what(),
                   contains_text("36 items: device 0 has items 0 to 11, device 1 has items 12 to 23, device 2 has items 24 to 35"));
        CHECK_THAT(error.what(), contains_text("device " + std::to_string(quarantined) + " has no items"));
        CHECK_THAT(error.location().file, contains_text("division_test.cpp"));
        CHECK(error.location().line < line);  // where it is launched
        CHECK(error.location().function == std::string("launch_over_slices"));

        zero(array);
        launch_over_parts(pool, array, Shares::by_speed).get();
        CHECK(wrong_elements(array) == 0);
    }
}

TEST_CASE("parts by capability cover an array that is divided evenly", "[division]") {
    const Machine machine(unlike_devices());
    const DevicePool pool = DevicePool::all(machine.driver);
    Array array(pool, pool.divide(100, Shares::even));
    CHECK(counts(array.division()) == std::vector<std::uint64_t>{50, 50});
    zero(array);
    CHECK(error_of([&] { launch_over_slices(pool, array, Shares::by_capability).get(); }).category() == ErrorCategory::invalid_argument);
    zero(array);
    const auto report = launch_over_parts(pool, array, Shares::by_capability).get();
    CHECK(report.devices == std::vector<int>{0, 1});
    CHECK(wrong_elements(array) == 0);
}

TEST_CASE("a launch with an array's division works on its slices", "[division]") {
    const Machine machine(unlike_devices());
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const Shares shares : {Shares::by_speed, Shares::even, Shares::by_capability}) {
        Array array(pool, pool.divide(101, shares));
        zero(array);
        std::atomic<int> other_parts{0};  // assertions are not safe from several threads
        pool.launch_partitioned("add_numbers", add_numbers, array.division(),
                                [&](const Partition& part) {
                                    if (part.items() != array.division().slice(part.index)) ++other_parts;
                                    return PartitionLaunch{shape_of(part), std::tuple{array.slice(part.index)}};
                                })
            .get();
        CHECK(other_parts == 0);
        CHECK(wrong_elements(array) == 0);
    }
}

TEST_CASE("a division that gives work to a quarantined device is refused when it is launched", "[division]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Division division = pool.divide(7);
    CHECK(counts(division) == std::vector<std::uint64_t>{3, 2, 2});
    pool.quarantine(1, "too hot");
    const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 32}, std::tuple{}}; };
    const Error error = error_of([&] { (void)pool.launch_partitioned("k", add_numbers, division, configure); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(error.what(), contains_text("device 1, which is quarantined (too hot)"));
    CHECK(counts(pool.divide(7)) == std::vector<std::uint64_t>{4, 0, 3});
}

TEST_CASE("divisions are of the pool's own devices", "[division]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const DevicePool two = DevicePool::with_devices(machine.driver, std::vector<int>{0, 2});
    const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 32}, std::tuple{}}; };
    for (const Error& error : {error_of([&] { (void)two.launch_partitioned("k", add_numbers, pool.divide(9), configure); }),
                               error_of([&] { Array(two, pool.divide(9)); })}) {
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("device 1 has items 3 to 5"));
        CHECK_THAT(error.what(), contains_text("devices 0, 2"));
        CHECK_THAT(error.location().file, contains_text("division_test.cpp"));
    }
}

TEST_CASE("the program's weights divide", "[division]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(counts(pool.divide(100, std::vector<double>{1, 0, 3})) == std::vector<std::uint64_t>{25, 0, 75});
    CHECK(counts(pool.divide(100)) == std::vector<std::uint64_t>{34, 33, 33});
    pool.set_weights(std::vector<double>{1, 1, 2});
    CHECK(pool.weights() == std::vector<double>{1, 1, 2});
    CHECK(counts(pool.divide(100)) == std::vector<std::uint64_t>{25, 25, 50});
    CHECK(counts(pool.divide(100, Shares::even)) == std::vector<std::uint64_t>{34, 33, 33});
    pool.set_weights({});
    CHECK(counts(pool.divide(100)) == std::vector<std::uint64_t>{34, 33, 33});
    const auto refused = [&](std::vector<double> weights) {
        return error_of([&] { (void)pool.divide(10, weights); }).category() == ErrorCategory::invalid_argument;
    };
    CHECK(refused({1, 1}));
    CHECK(refused({1, 1, -1}));
    CHECK(refused({1, 1, std::nan("")}));
    CHECK(refused({0, 0, 0}));
    CHECK(error_of([&] { pool.set_weights(std::vector<double>{1, 0, 1}); }).category() == ErrorCategory::invalid_argument);
    pool.quarantine(2, "hot");
    CHECK(refused({0, 0, 1}));
    CHECK(error_of([&] { (void)DevicePool::host().divide(10); }).category() == ErrorCategory::unsupported);
}

TEST_CASE("a division's slices follow each other", "[division]") {
    const auto refused = [](std::vector<int> devices, std::vector<Slice> slices) {
        return error_of([&] { Division(devices, slices); }).category() == ErrorCategory::invalid_argument;
    };
    CHECK(refused({0, 1}, {{0, 3}}));
    CHECK(refused({0, 1}, {{0, 3}, {4, 1}}));
    CHECK(refused({0, 1}, {{0, 3}, {2, 1}}));
    CHECK(refused({0}, {{1, 3}}));
    CHECK(refused({0, 1}, {{0, ~0ull}, {~0ull, 2}}));
    const Division division({4, 7}, {{0, 3}, {3, 0}});
    CHECK(division.total() == 3);
    CHECK(to_string(division) == "3 items: device 4 has items 0 to 2, device 7 has no items");
    CHECK(error_of([&] { (void)division.slice(2); }).category() == ErrorCategory::invalid_argument);
    CHECK(Division({}, {}).total() == 0);
}

TEST_CASE("a part past the end of an array is refused", "[division]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    Array array(pool, 10);
    const Error error = error_of([&] {
        pool.launch_partitioned("add_numbers", add_numbers, 12,
                                [&](const Partition& part) {
                                    return PartitionLaunch{shape_of(part), std::tuple{array.slice(part)}};
                                })
            .get();
    });
    CHECK(error.category() == ErrorCategory::invalid_argument);
}
