// Errors of the pool name the line of the program that called, also those that come out of a future later.
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <cupool/pool/sliced_array.hpp>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;

/// Holds an error against the line on which it was provoked.
#define CHECK_IS_OF_THIS_LINE(statement)                                          \
    do {                                                                          \
        CAPTURE(#statement);                                                      \
        const Error error = error_of([&] { statement; });                         \
        CAPTURE(error.what());                                                    \
        CHECK_THAT(error.location().file, contains_text("caller_location_test")); \
        CHECK(error.location().line == __LINE__);                                 \
    } while (false)

}  // namespace

TEST_CASE("errors of making and asking a pool name the caller's line", "[location]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const auto& driver = machine.driver;
    CHECK_IS_OF_THIS_LINE((void)DevicePool::with_devices(driver, std::vector<int>{}));
    CHECK_IS_OF_THIS_LINE((void)DevicePool::with_devices(driver, std::vector<int>{5}));
    const DevicePool pool = DevicePool::all(driver);
    const DevicePool host = DevicePool::host();
    CHECK_IS_OF_THIS_LINE((void)pool.device_at(2));
    CHECK_IS_OF_THIS_LINE((void)host.device_at(0));
    CHECK_IS_OF_THIS_LINE((void)pool.context_at(2));
    CHECK_IS_OF_THIS_LINE((void)pool.context(2));
    CHECK_IS_OF_THIS_LINE((void)pool.identity_at(2));
    CHECK_IS_OF_THIS_LINE((void)host.next_device());
    CHECK_IS_OF_THIS_LINE((void)host.best_available_device());
    CHECK_IS_OF_THIS_LINE((void)pool.best_available_device(std::size_t{1} << 60));
    CHECK_IS_OF_THIS_LINE(pool.quarantine(7, "?"));
    CHECK_IS_OF_THIS_LINE(pool.readmit(7));
    CHECK_IS_OF_THIS_LINE((void)pool.divide(10, std::vector<double>{1}));
    CHECK_IS_OF_THIS_LINE(pool.set_weights(std::vector<double>{1}));
    CHECK_IS_OF_THIS_LINE((void)pool.submit_at(2, [](const DeviceContext&) {}));
    CHECK_IS_OF_THIS_LINE((void)pool.submit([](const DeviceContext&) {}, -1));
    CHECK_IS_OF_THIS_LINE((void)host.submit_kernel({}));
    CHECK_IS_OF_THIS_LINE((void)pool.submit_kernel({"no PTX", "k", {1, 1}, {}}).get());
    CHECK_IS_OF_THIS_LINE((void)run_kernel({"no PTX", "k", {1, 1}, {}}, pool.context_at(0)));
    const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 32}, std::tuple{}}; };
    CHECK_IS_OF_THIS_LINE((void)host.launch_partitioned("k", "no PTX", 2, configure));
    CHECK_IS_OF_THIS_LINE(pool.launch_partitioned("k", "no PTX", 2, configure).get());
    CHECK_IS_OF_THIS_LINE(pool.launch_partitioned("k", ".version 6.3\n.target sm_75\n.address_size 64\n", 2, configure).get());
    CHECK_IS_OF_THIS_LINE(SlicedArray<int>(host, 10));
    SlicedArray<int> array(pool, 10);
    CHECK_IS_OF_THIS_LINE((void)array.slice(2));
    CHECK_IS_OF_THIS_LINE((void)array.offset(3));
    CHECK_IS_OF_THIS_LINE((void)array.division().slice(2));
    CHECK_IS_OF_THIS_LINE(Division({0}, {}));
}

TEST_CASE("an error of a device that cannot be opened names the caller's line", "[location]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    machine.simulator.set_device_health(0, 46);
    machine.simulator.set_device_health(1, 46);
    CHECK_IS_OF_THIS_LINE((void)pool.context_at(1));
    CHECK_IS_OF_THIS_LINE((void)DevicePool::all(machine.driver, UnusableDevices::fail));
    CHECK_IS_OF_THIS_LINE((void)DevicePool::all(machine.driver, UnusableDevices::exclude));
    CHECK_IS_OF_THIS_LINE(pool.submit_at(1, [](const DeviceContext&) {}).get());
    CHECK_IS_OF_THIS_LINE(pool.submit([](const DeviceContext&) {}).get());
    CHECK_IS_OF_THIS_LINE(pool.for_each_device([](std::size_t, const DeviceContext&) {}));
    CHECK_IS_OF_THIS_LINE(pool.synchronize_all());
    int sum = 0;
    CHECK_IS_OF_THIS_LINE((void)pool.reduce<int>(std::vector<int>{1}, ReduceOperation::sum, sum));
}

TEST_CASE("errors of MSMs and reductions of a pool name the caller's line", "[location]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    for (const DevicePool& pool : {DevicePool::all(machine.driver), DevicePool::host(1)}) {
        const auto points = generator_multiples<curve>(1, 8);
        const std::vector<Scalar> scalars(8, Scalar{{3}});
        JacobianPoint<curve> sum;
        MsmConfig wrong;
        wrong.c = 99;
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(scalars, points, wrong, sum));
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(scalars, points, wrong, sum, MsmSpread::all_devices));
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(std::span(scalars).first(7), points, MsmConfig{}, sum));
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(scalars, points, MsmConfig{}, std::span<JacobianPoint<curve>>()));
        MsmConfig broken;
        broken.bitsize = 1;
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(scalars, points, broken, sum));
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(scalars, points, broken, sum, MsmSpread::all_devices));
        PrepareConfig tables;
        tables.precompute_factor = 1000;
        CHECK_IS_OF_THIS_LINE((void)pool.prepare<curve>(points, tables));
        const auto bases = pool.prepare<curve>(std::span(points).first(4), PrepareConfig{});
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(scalars, bases, MsmConfig{}, sum));
        CHECK_IS_OF_THIS_LINE((void)pool.msm<curve>(std::span(scalars).first(4), bases, wrong, sum));
        int number = 0;
        CHECK_IS_OF_THIS_LINE((void)pool.reduce<int>(std::vector<int>{}, ReduceOperation::min, number));
        CHECK_IS_OF_THIS_LINE((void)pool.reduce_results<int>(std::vector<DeviceSpan<const int>>{}, ReduceOperation::sum));
    }
}

TEST_CASE("errors between devices name the caller's line", "[location]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK_IS_OF_THIS_LINE((void)PeerManager(DevicePool::host()));
    CHECK_IS_OF_THIS_LINE(PeerManager(pool, {.chunk_bytes = 0}));
    const PeerManager peers(pool);
    CHECK_IS_OF_THIS_LINE((void)peers.path(0, 5));
    CHECK_IS_OF_THIS_LINE((void)peers.can_access(0, 5));
    CHECK_IS_OF_THIS_LINE((void)peers.create_buffer<int>("a", 5, 7));
    CHECK_IS_OF_THIS_LINE((void)peers.buffer<int>("b", 0));
    CHECK_IS_OF_THIS_LINE(peers.remove_buffer("b"));
}

TEST_CASE("errors of a balancer name the caller's line", "[location]") {
    const LoadBalancer::Candidate one[] = {{0, 1}};
    CHECK_IS_OF_THIS_LINE(LoadBalancer(std::span<const LoadBalancer::Candidate>()));
    LoadBalancer balancer(one);
    CHECK_IS_OF_THIS_LINE((void)balancer.select_device(-1));
    CHECK_IS_OF_THIS_LINE((void)balancer.select_devices(2, -1));
    CHECK_IS_OF_THIS_LINE((void)balancer.lease(5));
    CHECK_IS_OF_THIS_LINE(balancer.lease(0).move_to(5));
    CHECK_IS_OF_THIS_LINE(balancer.report_completion(5, 1));
    CHECK_IS_OF_THIS_LINE(balancer.set_available(5, true));
    CHECK_IS_OF_THIS_LINE(balancer.set_policy(nullptr));
    balancer.set_available(0, false);
    CHECK_IS_OF_THIS_LINE((void)balancer.select_device());
}

TEST_CASE("errors of the program's own functions keep the place that they name", "[location]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const int line = __LINE__ + 1;
    const auto failing = [] { throw Error(ErrorCategory::io, "mine"); };
    const auto line_of = [](auto&& call) { return error_of(call).location().line; };
    CHECK(line_of([&] { pool.submit([&](const DeviceContext&) { failing(); }).get(); }) == line);
    CHECK(line_of([&] { pool.for_each_device([&](std::size_t, const DeviceContext&) { failing(); }); }) == line);
    CHECK(line_of([&] {
              pool.launch_partitioned("k", ".version 6.3\n.target sm_75\n.address_size 64\n", 2,
                                      [&](const Partition&) {
                                          failing();
                                          return PartitionLaunch{LaunchShape{1, 32}, std::tuple{}};
                                      })
                  .get();
          }) == line);
}
