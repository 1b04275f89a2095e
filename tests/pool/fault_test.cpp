#include <atomic>
#include <chrono>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <string_view>
#include <thread>

#include "catch.hpp"
#include "fault_latch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// The worker of a device, which is at a piece of work until it is told to finish.
class BusyWorker {
public:
    BusyWorker(const DevicePool& pool, int device) {
        std::promise<void> begun;
        piece_ = pool.submit_at(device, [&begun, gone = go_.get_future().share()](const DeviceContext&) {
            begun.set_value();
            gone.wait();
        });
        begun.get_future().wait();
    }
    void finish() {
        go_.set_value();
        piece_.get();
    }

private:
    std::promise<void> go_;
    std::future<void> piece_;
};

void fault_at_work(const DevicePool& pool, Machine& machine, int device) {
    auto faulting = pool.submit_at(device, [&machine](const DeviceContext& context) {
        machine.simulator.raise_device_fault(700);
        context.stream().synchronize();
    });
    CHECK(error_of([&] { faulting.get(); }).category() == ErrorCategory::device_fault);
}

int occurrences(std::string_view words, std::string_view text) {
    int count = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + words.size())) ++count;
    return count;
}

}  // namespace

TEST_CASE("what is refused after a device fault says once what the fault was, and where", "[fault]") {
    ErrorDetails details;
    details.category = ErrorCategory::device_fault;
    details.code = abi::Status::illegal_address;
    details.call = "cuStreamSynchronize";
    details.device = 1;
    for (const char* const message : {"", "the kernel reads past its buffer"}) {
        details.message = message;
        const Error first(details, {"program.cpp", 42, "run"});
        detail::FaultLatch latch;
        latch.note(first);
        const Error refusal = error_of([&] { latch.check(); });
        CHECK(refusal.category() == ErrorCategory::device_fault);
        CHECK(refusal.code() == first.code());
        CHECK(refusal.call() == first.call());
        CHECK(refusal.device() == 1);
        const std::string_view text = refusal.what();
        INFO(text);
        CHECK(occurrences("on device 1", text) == 1);
        CHECK(occurrences("cuStreamSynchronize answered CUDA_ERROR_ILLEGAL_ADDRESS", text) == 1);
        CHECK(occurrences(result_text(abi::Status::illegal_address), text) == 1);
        CHECK(occurrences("program.cpp:42", text) == 1);
        CHECK(occurrences("start a new process", text) == 1);
        if (*message != '\0') CHECK(occurrences(message, text) == 1);
    }
}

TEST_CASE("a device fault is told to whatever waits and whatever comes later", "[fault]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK_FALSE(pool.fault());
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    auto faulting = pool.submit_at(1, [&machine, gone](const DeviceContext& context) {
        gone.wait();
        machine.simulator.raise_device_fault(700);
        context.stream().synchronize();
    });
    auto waiting = pool.submit_at(1, [](const DeviceContext&) { FAIL("must not run"); });
    go.set_value();
    const Error met = error_of([&] { faulting.get(); });
    CHECK(met.category() == ErrorCategory::device_fault);
    for (const Error& told : {error_of([&] { waiting.get(); }), error_of([&] { (void)pool.next_device(); }),
                              error_of([&] { (void)pool.submit([](const DeviceContext&) {}); }),
                              error_of([&] { pool.for_each_device([](std::size_t, const DeviceContext&) {}); })}) {
        CHECK(told.category() == ErrorCategory::device_fault);
        CHECK(told.code() == abi::Status::illegal_address);
        CHECK(told.call() == met.call());
        CHECK(told.device() == 1);
    }
    REQUIRE(pool.fault());
    CHECK(pool.fault()->device() == 1);
    const std::uint64_t calls = machine.simulator.call_count();
    const auto points = generator_multiples<Curve::bn254>(1, 4);
    const std::vector<Scalar> scalars(4, Scalar{{1}});
    JacobianPoint<Curve::bn254> sum;
    CHECK(error_of([&] { pool.msm<Curve::bn254>(scalars, points, MsmConfig{}, sum); }).category() == ErrorCategory::device_fault);
    CHECK(machine.simulator.call_count() == calls);  // refused without asking a driver that cannot answer
}

TEST_CASE("a device fault is told at once to what waits behind other work", "[fault]") {
    Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    BusyWorker busy(pool, 0);
    std::vector<std::future<void>> waiting;
    for (int i = 0; i < 3; ++i) waiting.push_back(pool.submit_at(0, [](const DeviceContext&) { FAIL("must not run"); }));
    fault_at_work(pool, machine, 1);
    for (auto& piece : waiting) {
        REQUIRE(piece.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
        CHECK(error_of([&] { piece.get(); }).category() == ErrorCategory::device_fault);
    }
    CHECK(pool.metrics().devices[0].in_flight == 1);
    busy.finish();
}

TEST_CASE("threads that give work while a device fault comes are all told, also of what waits behind other work", "[fault]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    BusyWorker busy(pool, 0);
    std::atomic<int> wrong{0};  // assertions are for one thread
    std::atomic<int> begun{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            std::vector<std::future<void>> pieces;
            try {
                while (true) {
                    pieces.push_back(pool.submit_at(0, [&](const DeviceContext&) { ++wrong; }));
                    ++begun;
                }
            } catch (const Error& error) {
                if (error.category() != ErrorCategory::device_fault) ++wrong;
            }
            for (auto& piece : pieces) {
                try {
                    piece.get();  // though the worker never comes to it
                    ++wrong;
                } catch (const Error& error) {
                    if (error.category() != ErrorCategory::device_fault) ++wrong;
                }
            }
        });
    }
    while (begun < 8) std::this_thread::yield();
    fault_at_work(pool, machine, 1);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    busy.finish();
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.in_flight == 0);
}

TEST_CASE("a device that cannot be opened for a memory error of its own is no fault of the others", "[fault]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    machine.simulator.set_device_health(1, 214);
    CHECK(error_of([&] { pool.submit_at(1, [](const DeviceContext&) {}).get(); }).code() == abi::Status::ecc_uncorrectable);
    CHECK_FALSE(pool.fault());
    CHECK(pool.best_available_device() == 0);
    pool.submit_at(0, [](const DeviceContext&) {}).get();
}

TEST_CASE("running out of memory is no device fault", "[fault]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DevicePool pool = DevicePool::all(machine.driver);
    auto greedy = pool.submit_at(0, [](const DeviceContext& context) { DeviceBuffer<std::byte>(1ull << 40, context); });
    CHECK(error_of([&] { greedy.get(); }).category() == ErrorCategory::out_of_memory);
    CHECK_FALSE(pool.fault());
    pool.submit_at(0, [](const DeviceContext&) {}).get();
}
