#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/devices_for_msm.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;

/// sum of (i + 1) G, i below the number of terms.
struct SmallMsm {
    explicit SmallMsm(std::size_t terms)
        : points(generator_multiples<curve>(1, terms)),
          scalars(terms, Scalar{{1}}),
          expected(multiply(generator<curve>(), Scalar{{terms * (terms + 1) / 2}})) {}

    RunReport run(const DevicePool& pool, MsmSpread spread) const {
        MsmConfig config;
        config.c = 4;
        config.bitsize = 4;
        JacobianPoint<curve> sum;
        const RunReport report = pool.msm<curve>(scalars, points, config, sum, spread);
        if (to_affine(sum) != expected) throw Error(ErrorCategory::internal, "a wrong sum");  // assertions are for one thread
        return report;
    }

    std::vector<AffinePoint<curve>> points;
    std::vector<Scalar> scalars;
    AffinePoint<curve> expected;
};

std::size_t devices_for_terms(std::size_t terms, std::size_t devices) {
    return devices_for_msm(msm_work<curve>(terms), devices, MsmSpread::automatic);
}

}  // namespace

TEST_CASE("an MSM takes as many devices as it has work for", "[msm_spread]") {
    CHECK(devices_for_terms(0, 4) == 1);
    CHECK(devices_for_terms(1 << 16, 4) == 1);
    CHECK(devices_for_terms((1 << 17) - 1, 4) == 1);
    CHECK(devices_for_terms(1 << 17, 4) == 2);
    CHECK(devices_for_terms(1 << 18, 4) == 4);
    CHECK(devices_for_terms(1 << 18, 8) == 4);
    CHECK(devices_for_terms(std::size_t{1} << 40, 8) == 8);
    CHECK(devices_for_msm(msm_work<Curve::bls12_381>(1 << 16), 4, MsmSpread::automatic) == 2);     // 2.25 times the work
    CHECK(devices_for_msm(msm_work<Curve::bls12_381_g2>(1 << 16), 8, MsmSpread::automatic) == 6);  // 6.75
    CHECK(devices_for_msm(1, 4, MsmSpread::all_devices) == 4);
    CHECK(devices_for_msm(1e12, 4, MsmSpread::one_device) == 1);
}

TEST_CASE("a small MSM is done by one device, and by all where that is asked for", "[msm_spread]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsm msm(5);
    CHECK(msm.run(pool, MsmSpread::automatic).devices.size() == 1);
    CHECK(msm.run(pool, MsmSpread::one_device).devices.size() == 1);
    CHECK(msm.run(pool, MsmSpread::all_devices).devices == std::vector<int>{0, 1, 2});
    CHECK(SmallMsm(2).run(pool, MsmSpread::all_devices).devices.size() == 2);
    CHECK(SmallMsm(0).run(pool, MsmSpread::all_devices).devices.size() == 1);
}

TEST_CASE("a small MSM goes where no other work of the pool is in flight", "[msm_spread]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsm msm(3);
    for (const std::size_t busy : {0, 1}) {
        std::promise<void> go;
        const std::shared_future<void> gone = go.get_future().share();
        auto other = pool.submit_at(busy, [gone](const DeviceContext&) { gone.wait(); });
        const RunReport report = msm.run(pool, MsmSpread::automatic);
        go.set_value();
        other.get();
        CHECK(report.devices == std::vector<int>{1 - static_cast<int>(busy)});
    }
}

TEST_CASE("MSMs of many threads spread over the devices", "[msm_spread]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsm msm(3);
    std::vector<RunReport> reports(12);
    std::vector<std::thread> threads;
    for (RunReport& report : reports) {
        threads.emplace_back([&] { report = msm.run(pool, &report == &reports[0] ? MsmSpread::all_devices : MsmSpread::automatic); });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<int> taken(3);
    for (const RunReport& report : reports) {
        for (const int device : report.devices) ++taken[static_cast<std::size_t>(device)];
    }
    CHECK(taken[0] + taken[1] + taken[2] == 14);
    for (const int times : taken) CHECK(times >= 1);
    CHECK(reports[0].devices.size() == 3);
}

TEST_CASE("an MSM keeps to the devices that are not quarantined", "[msm_spread]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsm msm(3);
    (void)msm.run(pool, MsmSpread::automatic);  // its balancer is there
    pool.quarantine(0, "hot");
    for (int i = 0; i < 3; ++i) CHECK(msm.run(pool, MsmSpread::automatic).devices == std::vector<int>{1});
    CHECK(msm.run(pool, MsmSpread::all_devices).devices == std::vector<int>{1});
    pool.quarantine(1, "too");
    CHECK(error_of([&] { (void)msm.run(pool, MsmSpread::automatic); }).category() == ErrorCategory::no_device);
}
