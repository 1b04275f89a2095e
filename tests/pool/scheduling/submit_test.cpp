#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/current_device.hpp>
#include <cupool/pool/device_pool.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("submitted work runs on the device's worker thread, in order, and its result comes back", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::vector<int> order;
    std::future<std::thread::id> first = pool.submit_at(1, [&](const DeviceContext& context) {
        CHECK(context.device() == 1);
        order.push_back(1);
        return std::this_thread::get_id();
    });
    std::future<std::thread::id> second = pool.submit_at(1, [&](const DeviceContext&) {
        order.push_back(2);
        return std::this_thread::get_id();
    });
    const std::thread::id worker = first.get();
    CHECK(worker == second.get());
    CHECK(worker != std::this_thread::get_id());
    CHECK(order == std::vector<int>{1, 2});
    CHECK(machine.simulator.call_count("cuDeviceGetPCIBusId") == 1);  // to settle near it, at its start
    CHECK(worker != pool.submit_at(0, [](const DeviceContext&) { return std::this_thread::get_id(); }).get());
}

TEST_CASE("a worker thread has chosen no current device: its work is given the context", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK_FALSE(pool.submit_at(1, [](const DeviceContext&) { return try_get_device().has_value(); }).get());
}

TEST_CASE("what submitted work throws comes out of its future", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DevicePool pool = DevicePool::all(machine.driver);
    auto failing = pool.submit_at(0, [](const DeviceContext&) -> int { throw std::runtime_error("no"); });
    CHECK_THROWS_AS(failing.get(), std::runtime_error);
    CHECK(pool.submit_at(0, [](const DeviceContext&) { return 5; }).get() == 5);
    CHECK(error_of([&] { (void)pool.submit_at(1, [](const DeviceContext&) {}); }).category() == ErrorCategory::invalid_argument);
    const PoolMetrics metrics = pool.metrics();
    CHECK(metrics.devices[0].launches == 2);
    CHECK(metrics.devices[0].errors == 1);
    CHECK(metrics.devices[0].in_flight == 0);
}

TEST_CASE("a context that cannot be had fails the work, not the pool", "[submit]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    machine.simulator.set_device_health(1, 46);
    auto failing = pool.submit_at(1, [](const DeviceContext&) {});
    CHECK(error_of([&] { failing.get(); }).code() == abi::Status::device_unavailable);
    machine.simulator.set_device_health(1, 0);
    pool.submit_at(1, [](const DeviceContext&) {}).get();
}

TEST_CASE("balanced work spreads over idle devices", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    std::vector<std::future<int>> pieces;
    for (int i = 0; i < 6; ++i) {
        pieces.push_back(pool.submit([gone](const DeviceContext& context) {
            gone.wait();
            return context.device();
        }));
    }
    for (const DeviceLoad& load : pool.balancer().loads()) CHECK(load.in_flight == 2);
    go.set_value();
    std::multiset<int> devices;
    for (auto& piece : pieces) devices.insert(piece.get());
    for (const int device : {0, 1, 2}) CHECK(devices.count(device) >= 1);  // a device may take over what waits for another one
    for (const DeviceLoad& load : pool.balancer().loads()) CHECK(load.in_flight == 0);
}

TEST_CASE("a reduction goes where the least work is in flight", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::vector<int> numbers{3, 4, 5};
    const auto device_of_sum = [&] {
        int sum = 0;
        const RunReport report = pool.reduce<int>(numbers, ReduceOperation::sum, sum);
        CHECK(sum == 12);
        return report.devices;
    };
    CHECK(device_of_sum() == std::vector<int>{0});
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    auto busy = pool.submit_at(0, [gone](const DeviceContext&) { gone.wait(); });
    CHECK(device_of_sum() == std::vector<int>{1});
    pool.quarantine(1, "away");
    CHECK(device_of_sum() == std::vector<int>{2});
    go.set_value();
    busy.get();
}

TEST_CASE("for_each_device waits for all, and throws the failure of the lowest index", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(4));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::vector<std::atomic<int>> devices(4);  // assertions are not safe from several threads
    pool.for_each_device([&](std::size_t index, const DeviceContext& context) { devices[index] = 10 + context.device(); });
    for (int index = 0; index < 4; ++index) CHECK(devices[static_cast<std::size_t>(index)] == 10 + index);

    std::atomic<int> ended{0};
    const auto fail_on_odd = [&](std::size_t index, const DeviceContext&) {
        if (index == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++ended;
        if (index % 2 == 1) throw std::runtime_error("index " + std::to_string(index));
    };
    CHECK_THROWS_WITH(pool.for_each_device(fail_on_odd), "index 1");
    CHECK(ended == 4);
}

TEST_CASE("work that asks for all devices does not wait for itself", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::atomic<int> calls{0};
    pool.for_each_device(
        [&](std::size_t, const DeviceContext&) { pool.for_each_device([&](std::size_t, const DeviceContext&) { ++calls; }); });
    CHECK(calls == 4);
    pool.synchronize_all();
}

TEST_CASE("the last copy of a pool waits for the work given to it, also where that work holds it", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    std::atomic<int> done{0};
    {
        const DevicePool pool = DevicePool::all(machine.driver);
        for (int i = 0; i < 3; ++i) {
            (void)pool.submit_at(0, [&](const DeviceContext&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                ++done;
            });
        }
    }
    CHECK(done == 3);

    std::future<int> inside;
    std::promise<void> dropped;
    {
        const DevicePool pool = DevicePool::all(machine.driver);
        const std::shared_future<void> alone = dropped.get_future().share();
        (void)pool.submit_at(0, [pool, alone](const DeviceContext&) { alone.wait(); });
        inside = pool.submit_at(0, [](const DeviceContext&) { return 7; });
    }
    dropped.set_value();
    CHECK(inside.get() == 7);
    // The worker thread, which nobody waits for now, is about to let go of its context.
    while (machine.simulator.live_counts().primary_context_retains > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_CASE("the last copy of a pool may go in the middle of a piece of its own work", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    std::promise<void> dropped;
    const std::shared_future<void> alone = dropped.get_future().share();
    std::future<int> inside;
    std::future<void> other;
    {
        DevicePool pool = DevicePool::all(machine.driver);
        inside = pool.submit_at(1, [pool, alone](const DeviceContext& context) mutable {
            alone.wait();
            { const DevicePool last = std::move(pool); }
            context.stream().synchronize();  // its context is still there
            return context.device();
        });
        // Another device's work waits for that one, which must not wait for it in turn.
        other = pool.submit_at(0, [&inside](const DeviceContext&) { inside.wait(); });
    }
    dropped.set_value();
    other.get();
    CHECK(inside.get() == 1);
    while (machine.simulator.live_counts().primary_context_retains > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_CASE("waiting for all costs an unused device nothing", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.submit_at(1, [](const DeviceContext&) {}).get();
    pool.synchronize_all();
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 1);
}

TEST_CASE("waiting for all waits for what the program itself gave to the devices' streams", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::atomic<bool> done{false};
    pool.context_at(2).stream().launch_host_function([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        done = true;
    });
    pool.synchronize_all();
    CHECK(done);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 1);
}

TEST_CASE("a pool in a forked child says so", "[submit]") {
    std::optional<DevicePool> pool = DevicePool::host();
    pool->submit_at(0, [](const DeviceContext&) {}).get();
    const pid_t child = ::fork();
    if (child == 0) {
        bool told = false;
        try {
            (void)pool->submit_at(0, [](const DeviceContext&) {});
        } catch (const Error& error) {
            told = error.category() == ErrorCategory::forked;
        }
        ::alarm(10);   // ends the child where it hangs
        pool.reset();  // whose thread stayed in the parent
        ::_exit(told ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a host pool takes submitted work too", "[submit]") {
    const DevicePool pool = DevicePool::host(2);
    CHECK(pool.submit([](const DeviceContext& context) { return context.host_threads(); }).get() == 2);
    pool.for_each_device([](std::size_t index, const DeviceContext& context) {
        CHECK(index == 0);
        CHECK(context.is_host());
    });
    pool.synchronize_all();
    CHECK(pool.metrics().devices.at(0).launches == 3);
    CHECK(pool.metrics().devices.at(0).device == -1);
}

TEST_CASE("many threads submit at once", "[submit]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&pool, &sum] {
            std::vector<std::future<void>> pieces;
            for (int j = 0; j < 20; ++j) pieces.push_back(pool.submit([&sum](const DeviceContext&) { ++sum; }));
            for (auto& piece : pieces) piece.get();
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(sum == 320);
}
