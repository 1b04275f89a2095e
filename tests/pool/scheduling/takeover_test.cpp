// Work that waits in a pool goes to other devices: see work_queues_test.cpp for which and when.
#include <atomic>
#include <cupool/pool/device_pool.hpp>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Holds pieces of work up until it is opened.
class Barrier {
public:
    std::shared_future<void> opened() const { return opened_; }
    void open() { open_.set_value(); }

private:
    std::promise<void> open_;
    std::shared_future<void> opened_ = open_.get_future().share();
};

/// A piece that is stuck until the barrier opens; returns when it has begun.
std::future<void> stick(const DevicePool& pool, std::size_t index, const Barrier& barrier) {
    std::promise<void> begun;
    auto has_begun = begun.get_future();
    auto piece = pool.submit_at(
        index, [gone = barrier.opened(), begun = std::make_shared<std::promise<void>>(std::move(begun))](const DeviceContext&) {
            begun->set_value();
            gone.wait();
        });
    has_begun.wait();
    return piece;
}

/// All work to the first available device.
class First final : public BalancingPolicy {
public:
    explicit First(bool allows) : allows_(allows) {}
    std::size_t select(std::span<const DeviceLoad> loads, double) override {
        std::size_t index = 0;
        while (!loads[index].available) ++index;
        return index;
    }
    bool allows_takeover() const override { return allows_; }

private:
    bool allows_;
};

int own_device(const DeviceContext& context) { return context.device(); }

const KernelWork store_seven{
    ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".visible .entry store(.param .u64 to) { .reg .b64 %rd1; .reg .b32 %r1; ld.param.u64 %rd1, [to]; mov.u32 %r1, 7; st.global.u32 "
    "[%rd1], %r1; ret; }\n",
    "store",
    {1, 1},
    {KernelOperand::output<std::uint32_t>(1)}};

}  // namespace

TEST_CASE("an idle device takes over what waits behind a stuck one", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.balancer().set_policy(std::make_unique<First>(true));
    Barrier barrier;
    auto stuck = stick(pool, 0, barrier);
    for (int i = 0; i < 3; ++i) CHECK(pool.submit(own_device).get() == 1);
    const KernelOutputs outputs = pool.submit_kernel(store_seven).get();
    CHECK(outputs.array<std::uint32_t>(0) == std::vector<std::uint32_t>{7});
    const PoolMetrics metrics = pool.metrics();
    CHECK(metrics.devices[0].taken_over == 0);
    CHECK(metrics.devices[1].taken_over == 4);
    CHECK(metrics.devices[0].in_flight == 1);
    CHECK(metrics.devices[1].in_flight == 0);
    CHECK(metrics.devices[1].launches == 4);
    CHECK(metrics.devices[1].bytes == outputs.bytes_moved);
    CHECK(pool.balancer().loads()[0].in_flight == 0);
    CHECK(pool.balancer().loads()[1].in_flight == 0);
    barrier.open();
    stuck.get();
}

TEST_CASE("what waits for a device that is quarantined is done by the others", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    Barrier barrier;
    std::vector<std::future<void>> stuck;
    for (std::size_t index = 0; index < 3; ++index) stuck.push_back(stick(pool, index, barrier));
    std::vector<std::future<int>> pieces;
    for (int i = 0; i < 9; ++i) pieces.push_back(pool.submit(own_device));
    auto given = pool.submit_at(1, own_device);
    CHECK(pool.balancer().loads()[1].in_flight == 3);
    pool.quarantine(1, "hot");
    CHECK(pool.balancer().loads()[1].in_flight == 0);
    CHECK(pool.metrics().devices[1].in_flight == 2);  // the stuck one, and the one that the program gave to it
    CHECK(pool.metrics().devices[0].taken_over + pool.metrics().devices[2].taken_over == 3);
    barrier.open();
    for (auto& piece : pieces) CHECK(piece.get() != 1);
    CHECK(given.get() == 1);
    for (auto& piece : stuck) piece.get();
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.in_flight == 0);
}

TEST_CASE("a policy keeps work where it is", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.balancer().set_policy(std::make_unique<First>(false));
    Barrier barrier;
    auto stuck = stick(pool, 0, barrier);
    auto piece = pool.submit(own_device);
    pool.submit_at(1, own_device).get();  // device 1 has been awake, and is idle
    pool.quarantine(0, "hot");
    CHECK(piece.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    CHECK(pool.metrics().devices[1].taken_over == 0);
    barrier.open();
    CHECK(piece.get() == 0);
    stuck.get();
}

TEST_CASE("turns are taken by the devices whose they are", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.balancer().set_policy(std::make_unique<TakingTurns>());
    std::vector<std::future<int>> pieces;
    for (int i = 0; i < 8; ++i) pieces.push_back(pool.submit(own_device));
    for (int i = 0; i < 8; ++i) CHECK(pieces[static_cast<std::size_t>(i)].get() == i % 2);
}

TEST_CASE("a device that cannot be opened takes nothing over", "[takeover]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.balancer().set_policy(std::make_unique<First>(true));
    machine.simulator.set_device_health(1, 46);
    Barrier barrier;
    auto stuck = stick(pool, 0, barrier);
    std::vector<std::future<int>> pieces;
    for (int i = 0; i < 4; ++i) pieces.push_back(pool.submit(own_device));
    auto failing = pool.submit_at(1, own_device);  // as it wakes device 1, which fails it and would be idle
    CHECK(error_of([&] { failing.get(); }).code() == abi::Status::device_unavailable);
    barrier.open();
    for (auto& piece : pieces) CHECK(piece.get() == 0);
    stuck.get();
    CHECK(pool.metrics().devices[1].taken_over == 0);
    CHECK(pool.metrics().devices[1].errors == 1);
}

TEST_CASE("a quarantined device is not opened for work that it may not have, and takes some over when it is readmitted", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.balancer().set_policy(std::make_unique<First>(true));
    pool.quarantine(1, "hot");
    Barrier barrier;
    auto stuck = stick(pool, 0, barrier);
    auto piece = pool.submit(own_device);
    CHECK(piece.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 1);
    pool.readmit(1);
    CHECK(piece.get() == 1);
    barrier.open();
    stuck.get();
}

TEST_CASE("a quarantine costs the other devices nothing where no work waits", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(8));
    const DevicePool pool = DevicePool::all(machine.driver);
    (void)pool.balancer();
    pool.quarantine(3, "hot");
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    CHECK(machine.simulator.call_count("cuDeviceGetPCIBusId") == 0);  // what each worker thread begins with
}

TEST_CASE("after a device fault no work that waits is lost or moved", "[takeover]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    Barrier barrier;
    std::vector<std::future<void>> stuck;
    for (std::size_t index = 0; index < 2; ++index) stuck.push_back(stick(pool, index, barrier));
    std::vector<std::future<int>> pieces;
    for (int i = 0; i < 10; ++i) pieces.push_back(pool.submit(own_device));
    ErrorDetails fault;
    fault.category = ErrorCategory::device_fault;
    fault.code = abi::Status::illegal_address;
    fault.call = "cuStreamSynchronize";
    auto faulty = pool.submit_at(0, [&](const DeviceContext&) { throw Error(fault); });
    barrier.open();
    CHECK(error_of([&] { faulty.get(); }).category() == ErrorCategory::device_fault);
    for (auto& piece : pieces) {
        try {
            (void)piece.get();
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::device_fault);
        }
    }
    for (auto& piece : stuck) piece.get();
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.in_flight == 0);
}

TEST_CASE("work of many threads is done once each, whatever moves", "[takeover]") {
    const Machine machine(std::vector<SimulatedDevice>(4));
    std::atomic<int> done{0};
    {
        const DevicePool pool = DevicePool::all(machine.driver);
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (unsigned i = 0; i < 250; ++i) {
                    auto piece = pool.submit([&](const DeviceContext&) { ++done; }, 1 + (i * 7 + t) % 13);
                    // Device 0 stays, since without a device submit() throws.
                    if (t != 0 && i % 50 == t) pool.quarantine(static_cast<int>(t), "now and then");
                    if (t != 0 && i % 50 == t + 5) pool.readmit(static_cast<int>(t));
                    if (i % 16 == 0) piece.get();
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    CHECK(done == 1000);
}
