// MSMs that a pool's workers do, of which the program has a future.
#include <atomic>
#include <thread>

#include "placed_msms.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t terms = 12;

/// Keeps the worker of a device busy until it is let go.
class BusyWorker {
public:
    BusyWorker(const DevicePool& pool, std::size_t index)
        : piece_(pool.submit_at(index, [gone = go_.get_future().share()](const DeviceContext&) { gone.wait(); })) {}
    ~BusyWorker() {
        if (piece_.valid()) finish();
    }
    void finish() {
        go_.set_value();
        piece_.wait();
        piece_ = {};
    }

private:
    std::promise<void> go_;
    std::future<void> piece_;
};

bool is_ready(const std::future<RunReport>& future) { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

void check_idle(const DevicePool& pool) {
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.in_flight == 0);
}

}  // namespace

TEST_CASE("MSMs of every kind are done by the workers", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::vector<SliceSize> slices{{2, 4}, {0, 8}};
    const Place place = GENERATE(Place::host, Place::one_device, Place::slices);
    for (const std::size_t count : {1, 4}) {  // four: a whole one each, and one for all three
        const SmallMsms<curve> msms(count, terms, false);
        const PlacedArray<Scalar> scalars(pool, place, msms.scalars, count, slices);
        const PlacedArray<AffinePoint<curve>> points(pool, place, msms.points, 1, slices);
        for (const MsmSpread spread : {MsmSpread::one_device, MsmSpread::all_devices, MsmSpread::digit_partition}) {
            CAPTURE(place, count, spread);
            auto results = no_results<curve>(count);
            DeviceBuffer<JacobianPoint<curve>> on_device(count, pool.context_at(1));
            MsmConfig config = small_msm(place, place);
            auto here = pool.submit_msm<curve>(scalars.operand(), points.operand(), config, results, spread);
            config.are_results_on_device = true;
            auto there = pool.submit_msm<curve>(scalars.operand(), points.operand(), config, on_device.span(), spread);
            const RunReport report = here.get();
            CHECK(to_affine(results) == msms.expected);
            CHECK(report.engine == Engine::gpu);
            CHECK(report.bytes > 0);
            there.get();
            copy(std::span(results), on_device.span(), pool.context_at(1).stream());
            CHECK(to_affine(results) == msms.expected);
            check_idle(pool);
        }
    }
}

TEST_CASE("MSMs over prepared bases are done by the workers, and keep the bases", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(3, terms, false);
    for (const MsmSpread prepared : {MsmSpread::one_device, MsmSpread::all_devices, MsmSpread::digit_partition}) {
        std::optional<PooledBases<curve>> bases = pool.prepare<curve>(msms.points, small_bases(), prepared);
        auto results = no_results<curve>(3);
        JacobianPoint<curve> first;
        DeviceBuffer<JacobianPoint<curve>> on_device(3, pool.context_at(1));
        BusyWorker busy(pool, 0);
        auto several = pool.submit_msm<curve>(msms.scalars, *bases, MsmConfig{}, results, MsmSpread::all_devices);
        auto one = pool.submit_msm<curve>(std::span(msms.scalars).first(terms), *bases, MsmConfig{}, first);
        MsmConfig config;
        config.are_results_on_device = true;
        auto there = pool.submit_msm<curve>(msms.scalars, *bases, config, on_device.span());
        bases.reset();
        CHECK_FALSE(is_ready(several));
        busy.finish();
        several.get();
        CHECK(to_affine(results) == msms.expected);
        one.get();
        CHECK(cupool::to_affine(first) == msms.expected[0]);
        there.get();
        copy(std::span(results), on_device.span(), pool.context_at(1).stream());
        CHECK(to_affine(results) == msms.expected);
    }
}

TEST_CASE("an MSM that was submitted returns at once and waits behind other work", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(1, terms, false);
    BusyWorker busy(pool, 1);
    auto results = no_results<curve>(1);
    auto future =
        pool.submit_msm<curve>(msms.scalars, msms.points, small_msm(Place::host, Place::host), results[0], MsmSpread::all_devices);
    pool.submit_at(0, [](const DeviceContext&) {}).get();  // the part before it is done
    CHECK_FALSE(is_ready(future));
    CHECK(results[0].x.limbs[0] == 12345);
    CHECK(pool.metrics().devices[1].in_flight == 2);
    busy.finish();
    CHECK(future.get().devices == std::vector<int>{0, 1});
    CHECK(to_affine(results) == msms.expected);
}

TEST_CASE("the last copy of a pool waits for MSMs that were submitted", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const SmallMsms<curve> msms(5, terms, false);
    auto results = no_results<curve>(5);
    std::future<RunReport> future;
    {
        const DevicePool pool = DevicePool::all(machine.driver);
        future =
            pool.submit_msm<curve>(msms.scalars, msms.points, small_msm(Place::host, Place::host), results, MsmSpread::digit_partition);
    }
    CHECK(is_ready(future));
    CHECK(to_affine(results) == msms.expected);
}

TEST_CASE("a hundred MSMs are submitted by four threads", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    constexpr std::size_t of_thread = 25;
    const SmallMsms<curve> msms(1, 6, false);
    std::vector<JacobianPoint<curve>> results(4 * of_thread);
    std::vector<std::future<RunReport>> futures(results.size());
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (std::size_t i = thread * of_thread; i < (thread + 1) * of_thread; ++i) {
                const MsmSpread spread = i % 8 == 0   ? MsmSpread::all_devices
                                         : i % 8 == 1 ? MsmSpread::digit_partition
                                                      : MsmSpread::automatic;
                futures[i] = pool.submit_msm<curve>(msms.scalars, msms.points, small_msm(Place::host, Place::host), results[i], spread);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::future<RunReport>& future : futures) future.get();
    for (const JacobianPoint<curve>& result : results) CHECK(cupool::to_affine(result) == msms.expected[0]);
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.launches > 10);
    check_idle(pool);
}

TEST_CASE("what fails after an MSM was submitted comes out of its future, at the line of the call", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    SmallMsms<curve> msms(4, terms, false);
    msms.scalars[terms + 2] = Scalar{{1 << 9}};       // in the second whole MSM
    msms.scalars[3 * terms + 11] = Scalar{{1 << 9}};  // in the one that all devices share
    const auto bases = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::all_devices);
    auto results = no_results<curve>(4);
    const MsmConfig config = small_msm(Place::host, Place::host);
    const auto check = [&](int line, std::future<RunReport> future, std::size_t scalar) {
        const Error error = error_of([&] { future.get(); });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("scalar " + std::to_string(scalar) + " "));
        CHECK(error.location().file == std::string(__FILE__));
        CHECK(error.location().line == line);
        for (const auto& result : results) CHECK(result.x.limbs[0] == 12345);
        check_idle(pool);
    };
    check(__LINE__, pool.submit_msm<curve>(msms.scalars, msms.points, config, results, MsmSpread::all_devices), terms + 2);
    check(__LINE__, pool.submit_msm<curve>(msms.scalars, bases, config, results), terms + 2);
    msms.scalars[terms + 2] = Scalar{{1}};
    check(__LINE__, pool.submit_msm<curve>(msms.scalars, msms.points, config, results, MsmSpread::all_devices), 3 * terms + 11);
    check(__LINE__, pool.submit_msm<curve>(msms.scalars, msms.points, config, results, MsmSpread::digit_partition), 3 * terms + 11);
}

TEST_CASE("what is wrong with an MSM from the beginning is thrown where it is submitted", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(1, terms, false);
    auto results = no_results<curve>(1);
    const auto category = [&](const PoolOperand<Scalar>& scalars, const MsmConfig& config) {
        const Error error = error_of([&] { (void)pool.submit_msm<curve>(scalars, msms.points, config, results); });
        CHECK(error.location().file == std::string(__FILE__));
        return error.category();
    };
    MsmConfig config = small_msm(Place::host, Place::host);
    CHECK(category(std::span(msms.scalars).first(3), config) == ErrorCategory::invalid_argument);
    config.c = 99;
    CHECK(category(msms.scalars, config) == ErrorCategory::invalid_argument);
    config = small_msm(Place::one_device, Place::host);
    CHECK(category(msms.scalars, config) == ErrorCategory::invalid_argument);
    pool.quarantine(0, "hot");
    pool.quarantine(1, "hot");
    CHECK(category(msms.scalars, small_msm(Place::host, Place::host)) == ErrorCategory::no_device);
    check_idle(pool);
}

TEST_CASE("a piece of work submits an MSM to its own pool and waits for it", "[submit_msm]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(3, terms, false);
    const MsmSpread spread = GENERATE(MsmSpread::one_device, MsmSpread::all_devices, MsmSpread::digit_partition);
    auto results = no_results<curve>(3);
    BusyWorker busy(pool, 1);  // it would be waited for in vain
    pool.submit_at(0,
                   [&](const DeviceContext&) {
                       pool.submit_msm<curve>(msms.scalars, msms.points, small_msm(Place::host, Place::host), results, spread).get();
                   })
        .get();
    CHECK(to_affine(results) == msms.expected);
}

TEST_CASE("a device fault fails all MSMs that were submitted", "[submit_msm]") {
    Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(4, terms, false);
    const auto bases = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::all_devices);
    std::vector<std::vector<JacobianPoint<curve>>> results(12, no_results<curve>(4));
    const MsmConfig config = small_msm(Place::host, Place::host);
    std::vector<std::future<RunReport>> futures;
    {
        const BusyWorker first(pool, 0);
        BusyWorker second(pool, 1);
        const BusyWorker third(pool, 2);
        machine.simulator.plan_fault("cuLaunchKernel", 10, 700, cupool_sim_sticky);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const MsmSpread spread = i % 2 == 0 ? MsmSpread::all_devices : MsmSpread::digit_partition;
            futures.push_back(i % 3 == 0 ? pool.submit_msm<curve>(msms.scalars, bases, MsmConfig{}, results[i])
                                         : pool.submit_msm<curve>(msms.scalars, msms.points, config, results[i], spread));
        }
        second.finish();
        // All are told although the other devices are at other work.
        for (std::future<RunReport>& future : futures) CHECK(error_of([&] { future.get(); }).category() == ErrorCategory::device_fault);
    }
    for (const auto& of_msms : results) {
        for (const auto& result : of_msms) CHECK(result.x.limbs[0] == 12345);
    }
    CHECK(pool.fault());
    check_idle(pool);
    const Error later = error_of([&] { (void)pool.submit_msm<curve>(msms.scalars, msms.points, config, results[0]); });
    CHECK(later.category() == ErrorCategory::device_fault);
}

TEST_CASE("an MSM is submitted to a pool of the host", "[submit_msm]") {
    const DevicePool pool = DevicePool::host(2);
    const SmallMsms<curve> msms(3, terms, true);
    auto results = no_results<curve>(3);
    CHECK(pool.submit_msm<curve>(msms.scalars, msms.points, small_msm(Place::host, Place::host), results).get().engine == Engine::host);
    CHECK(to_affine(results) == msms.expected);
}
