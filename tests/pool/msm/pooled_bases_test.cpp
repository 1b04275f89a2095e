#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t size = 7;

PrepareConfig small_tables() {
    PrepareConfig config;
    config.c = 4;
    config.bitsize = 8;
    return config;
}

PooledBases<curve> prepared(const DevicePool& pool, MsmSpread spread, const PrepareConfig& config = small_tables()) {
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, size);  // gone when the bases are used
    return pool.prepare<curve>(points, config, spread);
}

/// sum of factor (i + 1) G, i below the number of terms. \throws Error where it is not what it should be
RunReport run(const DevicePool& pool, const PooledBases<curve>& bases, std::size_t terms, std::uint64_t factor) {
    const std::vector<Scalar> scalars(terms, Scalar{{factor}});
    MsmConfig config;
    JacobianPoint<curve> sum;
    const RunReport report = pool.msm<curve>(scalars, bases, config, sum);
    if (to_affine(sum) != multiply(generator<curve>(), Scalar{{factor * terms * (terms + 1) / 2}})) {
        throw Error(ErrorCategory::internal, "a wrong sum");  // assertions are for one thread
    }
    return report;
}

}  // namespace

TEST_CASE("bases that are divided among the devices take all of them", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledBases<curve> bases = prepared(pool, MsmSpread::all_devices);
    CHECK(bases.size() == size);
    CHECK(bases.is_sharded());
    CHECK(bases.devices() == std::vector<int>{0, 1, 2});
    CHECK(bases.device_bytes() >= size * sizeof(AffinePoint<curve>));
    CHECK(run(pool, bases, size, 2).devices == std::vector<int>{0, 1, 2});
    CHECK(run(pool, bases, size, 5).devices == std::vector<int>{0, 1, 2});
    CHECK(run(pool, bases, 4, 3).devices == std::vector<int>{0, 1});  // 3, 2 and 2 bases: the last has none of these
    CHECK(run(pool, bases, 0, 1).devices.size() == 1);
}

TEST_CASE("few bases lie on each device, and each MSM takes one", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledBases<curve> bases = prepared(pool, MsmSpread::automatic);
    CHECK_FALSE(bases.is_sharded());
    CHECK(bases.devices() == std::vector<int>{0, 1});
    for (const std::size_t busy : {0, 1}) {
        std::promise<void> go;
        const std::shared_future<void> gone = go.get_future().share();
        auto other = pool.submit_at(busy, [gone](const DeviceContext&) { gone.wait(); });
        const RunReport report = run(pool, bases, size, 3);
        go.set_value();
        other.get();
        CHECK(report.devices == std::vector<int>{1 - static_cast<int>(busy)});
    }
    pool.quarantine(0, "hot");
    CHECK(run(pool, bases, size, 2).devices == std::vector<int>{1});
    const PooledBases<curve> later = prepared(pool, MsmSpread::automatic);
    pool.readmit(0);
    for (int i = 0; i < 3; ++i) CHECK(run(pool, later, size, 2).devices == std::vector<int>{1});  // the other has them not
    pool.quarantine(1, "too");
    CHECK(error_of([&] { (void)run(pool, later, size, 1); }).category() == ErrorCategory::no_device);
    CHECK(run(pool, bases, size, 2).devices == std::vector<int>{0});
}

TEST_CASE("precomputed tables on the devices of a pool", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    PrepareConfig config = small_tables();
    config.precompute_factor = 2;
    CHECK(run(pool, prepared(pool, MsmSpread::all_devices, config), size, 200).devices.size() == 2);
}

TEST_CASE("many threads use the same bases", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const MsmSpread spread = GENERATE(MsmSpread::all_devices, MsmSpread::one_device);
    const PooledBases<curve> bases = prepared(pool, spread);
    std::vector<RunReport> reports(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < reports.size(); ++i) threads.emplace_back([&, i] { reports[i] = run(pool, bases, size, i + 1); });
    for (std::thread& thread : threads) thread.join();
    for (const RunReport& report : reports) CHECK(report.devices.size() == (spread == MsmSpread::all_devices ? 2 : 1));
}

TEST_CASE("a scalar that breaks bitsize is named by its place among all", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledBases<curve> bases = prepared(pool, MsmSpread::all_devices);
    std::vector<Scalar> scalars(size, Scalar{{1}});
    scalars[5] = Scalar{{1 << 9}};
    MsmConfig config;
    config.bitsize = 8;
    JacobianPoint<curve> sum;
    const Error error = error_of([&] { (void)pool.msm<curve>(scalars, bases, config, sum); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(error.what(), contains_text("scalar 5 "));
}

TEST_CASE("bases of another pool, and more scalars than bases, are refused", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const DevicePool other = DevicePool::all(machine.driver);
    const PooledBases<curve> bases = prepared(pool, MsmSpread::automatic);
    CHECK(error_of([&] { (void)run(other, bases, 1, 1); }).category() == ErrorCategory::wrong_context);
    CHECK(error_of([&] { (void)run(pool, bases, size + 1, 1); }).category() == ErrorCategory::invalid_argument);
    CHECK(run(DevicePool(pool), bases, size, 1).devices.size() == 1);  // a copy is the same pool
}

TEST_CASE("no bases are prepared as carefully as many", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const MsmSpread spread : {MsmSpread::all_devices, MsmSpread::one_device}) {
        PrepareConfig config = small_tables();
        const PooledBases<curve> bases = pool.prepare<curve>({}, config, spread);
        CHECK(bases.size() == 0);
        CHECK(run(pool, bases, 0, 1).devices.size() == 1);
        config.precompute_factor = 65;
        CHECK(error_of([&] { (void)pool.prepare<curve>({}, config, spread); }).category() == ErrorCategory::invalid_argument);
        MsmConfig of_other_digits;
        of_other_digits.c = 5;
        JacobianPoint<curve> sum;
        CHECK(error_of([&] { (void)pool.msm<curve>({}, bases, of_other_digits, sum); }).category() == ErrorCategory::invalid_argument);
    }
}

TEST_CASE("bases are of one context, not of whatever has the same device", "[bases]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DeviceContext primary = DeviceContext::for_device(machine.driver, 0);
    const Context created(Device(machine.driver, 0));
    PrepareConfig config = small_tables();
    config.ctx = primary;
    const PreparedBases<curve> bases(std::span<const AffinePoint<curve>>(generator_multiples<curve>(1, size)), config);
    const std::vector<Scalar> scalars(size, Scalar{{1}});
    std::vector<JacobianPoint<curve>> sums(1);
    const auto run_in = [&](const DeviceContext& context) {
        MsmConfig msm_config;
        msm_config.ctx = context;
        (void)msm<curve>(std::span<const Scalar>(scalars), bases, msm_config, std::span(sums));
    };
    run_in(DeviceContext::for_device(machine.driver, 0));  // retained anew, but the same
    CHECK(to_affine(sums[0]) == multiply(generator<curve>(), Scalar{{size * (size + 1) / 2}}));
    const Error error = error_of([&] { run_in(DeviceContext::in(created)); });
    CHECK(error.category() == ErrorCategory::wrong_context);
    CHECK_THAT(error.what(), contains_text("another context"));
    CHECK(error_of([&] { run_in(DeviceContext::host()); }).category() == ErrorCategory::wrong_context);
}

TEST_CASE("a host pool prepares bases too", "[bases]") {
    const DevicePool pool = DevicePool::host(2);
    const PooledBases<curve> bases = prepared(pool, MsmSpread::automatic);
    CHECK_FALSE(bases.is_sharded());
    CHECK(bases.devices().empty());
    CHECK(bases.device_bytes() == 0);
    CHECK(run(pool, bases, size, 4).engine == Engine::host);
}
