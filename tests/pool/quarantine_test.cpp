#include <atomic>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <stop_token>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a quarantined device gets no work until it is readmitted", "[quarantine]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.quarantine(1, "too hot");
    REQUIRE(pool.quarantined().size() == 1);
    CHECK(pool.quarantined()[0].device == 1);
    CHECK(pool.quarantined()[0].why == "too hot");
    CHECK(pool.metrics().devices[1].quarantined);
    for (int i = 0; i < 3; ++i) {
        CHECK(pool.next_device() == 0);
        CHECK(pool.next_device() == 2);
    }
    for (int i = 0; i < 4; ++i) CHECK(pool.submit([](const DeviceContext& context) { return context.device(); }).get() != 1);
    std::atomic<unsigned> called{0};
    pool.for_each_device([&](std::size_t index, const DeviceContext&) { called |= 1u << index; });
    CHECK(called == 0b101u);

    const auto points = generator_multiples<Curve::bn254>(1, 6);
    const std::vector<Scalar> scalars(6, Scalar{{2}});
    JacobianPoint<Curve::bn254> sum;
    CHECK(pool.msm<Curve::bn254>(scalars, points, MsmConfig{}, sum, MsmSpread::all_devices).devices == std::vector<int>{0, 2});
    CHECK(to_affine(sum) == multiply(generator<Curve::bn254>(), Scalar{{42}}));

    pool.readmit(1);
    CHECK(pool.quarantined().empty());
    CHECK(pool.next_device() == 0);
    CHECK(pool.next_device() == 1);
    CHECK(error_of([&] { pool.quarantine(7, "?"); }).category() == ErrorCategory::invalid_device);
}

TEST_CASE("what a pool divides by itself is done while a device comes and goes", "[quarantine]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::string nothing =
        ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing(.param .u64 offset, .param .u64 count) { ret; }\n";
    const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 1}, std::tuple{}}; };
    const std::vector<AffinePoint<Curve::bn254>> points = generator_multiples<Curve::bn254>(1, 3);
    const std::vector<Scalar> scalars(3, Scalar{{1}});
    MsmConfig small;
    small.c = 4;
    small.bitsize = 4;
    PrepareConfig prepare;
    prepare.c = 4;
    prepare.bitsize = 4;
    const PooledBases<Curve::bn254> bases = pool.prepare<Curve::bn254>(points, prepare, MsmSpread::all_devices);
    const AffinePoint<Curve::bn254> six = multiply(generator<Curve::bn254>(), Scalar{{6}});

    const std::jthread comes_and_goes([&pool](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            pool.quarantine(2, "for a moment");
            pool.readmit(2);
        }
    });
    for (int i = 0; i < 200; ++i) pool.launch_partitioned("nothing", nothing, 3, configure).get();
    for (int i = 0; i < 20; ++i) {
        const std::vector<int> numbers(10, i);
        int total = -1;
        pool.reduce<int>(numbers, ReduceOperation::sum, total);
        REQUIRE(total == 10 * i);
        JacobianPoint<Curve::bn254> sum;
        pool.msm<Curve::bn254>(scalars, points, small, sum, MsmSpread::all_devices);
        REQUIRE(to_affine(sum) == six);
        pool.msm<Curve::bn254>(scalars, bases, MsmConfig{}, sum);
        REQUIRE(to_affine(sum) == six);
        std::vector<JacobianPoint<Curve::bn254>> sums(3);
        pool.msm<Curve::bn254>(std::vector<Scalar>(9, Scalar{{1}}), points, small, std::span(sums));
        for (const auto& one : sums) REQUIRE(to_affine(one) == six);
    }
}

TEST_CASE("turns go on where they were while the same devices are quarantined", "[quarantine]") {
    const Machine machine(std::vector<SimulatedDevice>(4));
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(pool.next_device() == 0);
    pool.readmit(2);  // it was never away
    CHECK(pool.next_device() == 1);
    pool.quarantine(1, "hot");
    CHECK(pool.next_device() == 0);
    pool.quarantine(1, "still hot");
    CHECK(pool.quarantined()[0].why == "still hot");
    CHECK(pool.next_device() == 2);
    pool.readmit(1);
    CHECK(pool.next_device() == 2);  // the turns among all four had come to device 1
    pool.quarantine(1, "again");
    CHECK(pool.next_device() == 3);
}

TEST_CASE("a pool whose devices are all quarantined says so", "[quarantine]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.quarantine(0, "a");
    (void)pool.balancer();
    pool.quarantine(1, "b");
    CHECK(error_of([&] { (void)pool.next_device(); }).category() == ErrorCategory::no_device);
    CHECK(error_of([&] { (void)pool.submit([](const DeviceContext&) {}); }).category() == ErrorCategory::no_device);
    CHECK(error_of([&] { pool.for_each_device([](std::size_t, const DeviceContext&) {}); }).category() == ErrorCategory::no_device);
    pool.submit_at(0, [](const DeviceContext&) {}).get();  // the program's own choice holds
}

TEST_CASE("the best device has the memory, then the least work, then the most memory", "[quarantine]") {
    std::vector<SimulatedDevice> devices(3);
    devices[0].memory_bytes = 4ull << 30;
    devices[1].memory_bytes = 16ull << 30;
    devices[2].memory_bytes = 8ull << 30;
    Machine machine(devices);
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(pool.best_available_device() == 1);
    {
        const DeviceBuffer<std::byte> taken(12ull << 30, pool.context(1));
        CHECK(pool.best_available_device() == 2);  // live free memory, not all there is
    }
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    auto busy = pool.submit_at(1, [gone](const DeviceContext&) { gone.wait(); });
    CHECK(pool.best_available_device(2ull << 30) == 2);
    CHECK(pool.best_available_device(10ull << 30) == 1);  // busy, but the only one that has as much
    auto another = pool.submit_at(1, [](const DeviceContext&) {});
    auto third = pool.submit_at(2, [gone](const DeviceContext&) { gone.wait(); });
    CHECK(pool.best_available_device(6ull << 30) == 2);  // neither is idle, and device 1 has more to do
    go.set_value();
    for (auto* const piece : {&busy, &another, &third}) piece->get();
    machine.simulator.set_device_health(0, 46);
    CHECK(pool.best_available_device() == 1);  // an unused device that cannot be opened is no reason to have none
    machine.simulator.set_device_health(0, 0);
    const Error error = error_of([&] { (void)pool.best_available_device(20ull << 30); });
    CHECK(error.category() == ErrorCategory::out_of_memory);
    CHECK(error.device() == 1);
    pool.context(1).memory_pool().trim_to(0);
}
