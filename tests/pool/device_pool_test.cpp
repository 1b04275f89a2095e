#include <algorithm>
#include <cupool/pool/device_pool.hpp>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a pool holds the devices in the order given") {
    const Machine machine(std::vector<SimulatedDevice>(4));
    const std::vector<int> wanted{2, 0, 3};
    const DevicePool pool = DevicePool::with_devices(machine.driver, wanted);
    CHECK_FALSE(pool.is_host());
    CHECK(pool.engine() == Engine::gpu);
    CHECK(pool.devices() == wanted);
    CHECK(pool.device_count() == 3);
    CHECK(pool.device_at(0) == 2);
    CHECK(pool.context_at(2).device() == 3);
    CHECK(pool.context(0).device() == 0);
    CHECK(to_string(pool) == "devices 2, 0, 3");
    CHECK(DevicePool::all(machine.driver).devices() == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("a pool refuses what it cannot hold") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const auto category_of_list = [&](std::vector<int> ordinals) {
        return error_of([&] { (void)DevicePool::with_devices(machine.driver, ordinals); }).category();
    };
    CHECK(category_of_list({}) == ErrorCategory::invalid_argument);
    CHECK(category_of_list({1, 1}) == ErrorCategory::invalid_argument);
    CHECK(category_of_list({0, 2}) == ErrorCategory::invalid_device);
    CHECK(category_of_list({-1}) == ErrorCategory::invalid_device);

    const std::vector<int> one{1};
    const DevicePool pool = DevicePool::with_devices(machine.driver, one);
    CHECK(error_of([&] { (void)pool.device_at(1); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)pool.context_at(1); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)pool.context(0); }).category() == ErrorCategory::invalid_device);
}

TEST_CASE("a pool of all devices where there is none") {
    const Machine machine(std::vector<SimulatedDevice>{});
    CHECK(error_of([&] { (void)DevicePool::all(machine.driver); }).category() == ErrorCategory::no_device);
}

TEST_CASE("a device that is not used costs nothing") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    for (int i = 0; i < 6; ++i) (void)pool.next_device();
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    (void)pool.context_at(1);
    (void)pool.context(1);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 1);
}

TEST_CASE("a device whose context cannot be had fails when it is asked for, and may be asked again") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    machine.simulator.set_device_health(1, 46);
    CHECK(pool.context_at(0).device() == 0);
    const Error error = error_of([&] { (void)pool.context_at(1); });
    CHECK(error.code() == abi::Status::device_unavailable);
    CHECK(error.device() == 1);
    machine.simulator.set_device_health(1, 0);
    CHECK(pool.context_at(1).device() == 1);
}

TEST_CASE("next_device goes round in order, evenly from many threads") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const std::vector<int> order{2, 0, 1};
    const DevicePool pool = DevicePool::with_devices(machine.driver, order);
    for (int i = 0; i < 7; ++i) CHECK(pool.next_device() == order[static_cast<std::size_t>(i) % 3]);

    const DevicePool shared = DevicePool::all(machine.driver);
    std::vector<std::map<int, int>> taken(8);
    std::vector<std::thread> threads;
    for (auto& own : taken) {
        threads.emplace_back([&own, shared] {
            for (int i = 0; i < 300; ++i) ++own[shared.next_device()];
        });
    }
    for (auto& thread : threads) thread.join();
    std::map<int, int> all;
    for (const auto& own : taken) {
        for (const auto& [device, times] : own) all[device] += times;
    }
    CHECK(all == std::map<int, int>{{0, 800}, {1, 800}, {2, 800}});
}

TEST_CASE("a pool is a range of contexts, each made when it is come to") {
    static_assert(std::forward_iterator<DevicePool::Iterator>);
    const Machine machine(std::vector<SimulatedDevice>(3));
    const std::vector<int> order{2, 0};
    const DevicePool pool = DevicePool::with_devices(machine.driver, order);
    auto first = pool.begin();
    CHECK(std::distance(first, pool.end()) == 2);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    CHECK(first++->device() == 2);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 1);
    CHECK(&*first == &pool.context_at(1));
    std::vector<int> devices;
    for (const DeviceContext& context : pool) devices.push_back(context.device());
    CHECK(devices == order);
    const DevicePool host = DevicePool::host();
    CHECK(std::all_of(host.begin(), host.end(), [](const DeviceContext& context) { return context.is_host(); }));
    CHECK(std::distance(host.begin(), host.end()) == 1);
}

TEST_CASE("copies of a pool share its contexts, which go with the last copy") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    {
        const DevicePool pool = DevicePool::all(machine.driver);
        const DevicePool copy = pool;
        CHECK(&pool.context_at(0) == &copy.context_at(0));
        CHECK(machine.simulator.live_counts().primary_context_retains == 1);
    }
    CHECK(machine.simulator.live_counts().primary_context_retains == 0);
}

TEST_CASE("a pool of the host") {
    const DevicePool pool = DevicePool::host(3);
    CHECK(pool.is_host());
    CHECK(pool.engine() == Engine::host);
    CHECK(pool.device_count() == 1);
    CHECK(pool.devices().empty());
    CHECK(pool.context_at(0).is_host());
    CHECK(pool.context_at(0).host_threads() == 3);
    CHECK(error_of([&] { (void)pool.device_at(0); }).category() == ErrorCategory::unsupported);
    CHECK(error_of([&] { (void)pool.next_device(); }).category() == ErrorCategory::unsupported);
    CHECK(error_of([&] { (void)pool.context_at(1); }).category() == ErrorCategory::invalid_argument);
    CHECK(to_string(pool) == "the host's cores");
}
