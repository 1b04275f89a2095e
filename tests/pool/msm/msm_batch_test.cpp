// Several MSMs given to a pool in one call.
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/devices_for_msm.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t terms = 4;

MsmConfig small_config() {
    MsmConfig config;
    config.c = 4;
    config.bitsize = 8;
    return config;
}

PrepareConfig small_tables() {
    PrepareConfig config;
    config.c = 4;
    config.bitsize = 8;
    return config;
}

/// MSM number k has the scalars k + 1, and the first points of all, or those after its predecessor's.
struct SeveralMsms {
    SeveralMsms(std::size_t count, bool own_points) : points(generator_multiples<curve>(1, own_points ? count * terms : terms)) {
        for (std::size_t k = 0; k < count; ++k) {
            scalars.insert(scalars.end(), terms, Scalar{{k + 1}});
            const std::size_t before = own_points ? k * terms : 0;
            sums.push_back(multiply(generator<curve>(), Scalar{{(k + 1) * (terms * before + terms * (terms + 1) / 2)}}));
        }
    }

    std::vector<AffinePoint<curve>> points;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<curve>> sums;
};

std::vector<AffinePoint<curve>> affine(const std::vector<JacobianPoint<curve>>& points) {
    std::vector<AffinePoint<curve>> all;
    for (const JacobianPoint<curve>& point : points) all.push_back(to_affine(point));
    return all;
}

std::vector<JacobianPoint<curve>> no_results(std::size_t count) {
    JacobianPoint<curve> none;
    none.x.limbs[0] = 12345;
    return std::vector<JacobianPoint<curve>>(count, none);
}

}  // namespace

TEST_CASE("MSMs are shared out whole, but for a rest that can occupy more devices than it has MSMs", "[msm_batch]") {
    const auto even = [](std::size_t devices) { return std::vector<double>(devices, 1.0); };
    CHECK(whole_msms(8, even(4), 1) == 8);
    CHECK(whole_msms(8, even(4), 4) == 8);
    CHECK(whole_msms(9, even(4), 1) == 9);
    CHECK(whole_msms(9, even(4), 2) == 8);
    CHECK(whole_msms(11, even(4), 3) == 11);
    CHECK(whole_msms(11, even(4), 4) == 8);
    CHECK(whole_msms(3, even(4), 4) == 0);
    CHECK(whole_msms(3, even(4), 1) == 3);
    CHECK(whole_msms(1, even(2), 2) == 0);
    CHECK(whole_msms(5, even(1), 1) == 5);
    CHECK(whole_msms(10, {4, 1}, 2) == 10);  // 8 and 2
    CHECK(whole_msms(12, {4, 1}, 2) == 11);  // 9 and 2
}

TEST_CASE("several MSMs over the devices of a pool", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const bool own_points = GENERATE(false, true);
    const std::size_t count = GENERATE(1, 2, 3, 4, 8);
    const SeveralMsms msms(count, own_points);
    CAPTURE(own_points, count);
    for (const auto& [spread, devices] : {std::pair{MsmSpread::all_devices, 3}, std::pair{MsmSpread::automatic, 1}}) {
        auto results = no_results(count);
        const RunReport report = pool.msm<curve>(msms.scalars, msms.points, small_config(), results, spread);
        CHECK(affine(results) == msms.sums);
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices.size() == static_cast<std::size_t>(devices));
        CHECK(report.bytes > 0);
    }
}

TEST_CASE("several MSMs over the bases of a pool", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SeveralMsms msms(5, false);
    for (const MsmSpread prepared : {MsmSpread::all_devices, MsmSpread::one_device}) {
        const PooledBases<curve> bases = pool.prepare<curve>(msms.points, small_tables(), prepared);
        for (const MsmSpread spread : {MsmSpread::all_devices, MsmSpread::one_device}) {
            auto results = no_results(5);
            const RunReport report = pool.msm<curve>(msms.scalars, bases, MsmConfig{}, results, spread);
            CHECK(affine(results) == msms.sums);
            const bool takes_all = bases.is_sharded() || spread == MsmSpread::all_devices;
            CHECK(report.devices == (takes_all ? std::vector<int>{0, 1, 2} : report.devices));
            CHECK(report.devices.size() == (takes_all ? 3 : 1));
        }
    }
}

TEST_CASE("of several MSMs over divided bases each device does its part without a wait for the others", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SeveralMsms msms(4, false);
    const PooledBases<curve> bases = pool.prepare<curve>(generator_multiples<curve>(1, terms + 5), small_tables(), MsmSpread::all_devices);
    const PoolMetrics before = pool.metrics();
    auto results = no_results(4);
    const RunReport report = pool.msm<curve>(msms.scalars, bases, MsmConfig{}, results);
    CHECK(affine(results) == msms.sums);
    CHECK(report.devices == std::vector<int>{0, 1});  // 3 bases each: the third device has none of the first 4
    const PoolMetrics after = pool.metrics();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(after.devices[i].launches - before.devices[i].launches == (i < 2 ? 1 : 0));
        bytes += after.devices[i].bytes - before.devices[i].bytes;
    }
    CHECK(report.bytes == bytes);
    results = no_results(2);
    pool.msm<curve>({}, bases, MsmConfig{}, std::span(results));
    CHECK(affine(results) == std::vector<AffinePoint<curve>>(2, infinity<curve>()));
}

TEST_CASE("MSMs over the bases of a pool are those of one device, whatever has which bases", "[msm_batch]") {
    const std::size_t devices = GENERATE(1, 2, 3, 4, 8);
    const std::size_t own_terms = GENERATE(1, 7, 40);
    const Machine machine{std::vector<SimulatedDevice>(devices)};
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, own_terms + 5);  // the last ones are not used
    constexpr std::size_t count = 5;
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < count * own_terms; ++i) scalars.push_back({{(97 * i + 13) % 251}});
    auto expected = no_results(count);
    msm<curve>(std::span<const Scalar>(scalars), std::span(points).first(own_terms), MsmConfig::default_for_host(), std::span(expected));
    for (const MsmSpread prepared : {MsmSpread::all_devices, MsmSpread::one_device}) {
        const PooledBases<curve> bases = pool.prepare<curve>(points, small_tables(), prepared);
        CAPTURE(devices, own_terms, bases.is_sharded());
        const PoolMetrics before = pool.metrics();
        auto results = no_results(count);
        const RunReport report = pool.msm<curve>(scalars, bases, MsmConfig{}, results, MsmSpread::all_devices);
        CHECK(affine(results) == affine(expected));
        const PoolMetrics after = pool.metrics();
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < devices; ++i) bytes += after.devices[i].bytes - before.devices[i].bytes;
        CHECK(report.bytes == bytes);
        CHECK(report.bytes > count * own_terms * sizeof(Scalar));
    }
}

TEST_CASE("over divided bases a device does its part of several MSMs in one batch", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto launches_of = [&](std::size_t count) {
        const SeveralMsms msms(count, false);
        const PooledBases<curve> bases = pool.prepare<curve>(msms.points, small_tables(), MsmSpread::all_devices);
        auto results = no_results(count);
        pool.msm<curve>(msms.scalars, bases, MsmConfig{}, results);  // kernels are loaded
        const std::uint64_t before = machine.simulator.call_count("cuLaunchKernel");
        pool.msm<curve>(msms.scalars, bases, MsmConfig{}, results);
        CHECK(affine(results) == msms.sums);
        return machine.simulator.call_count("cuLaunchKernel") - before;
    };
    const std::uint64_t of_one = launches_of(1);
    CHECK(of_one > 0);
    CHECK(launches_of(8) == of_one);
}

TEST_CASE("of the MSMs that are left over each device does its part without a wait for the others", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(4));
    const DevicePool pool = DevicePool::all(machine.driver);
    const bool own_points = GENERATE(false, true);
    const SeveralMsms msms(6, own_points);
    auto results = no_results(6);
    CHECK(pool.msm<curve>(msms.scalars, msms.points, small_config(), results, MsmSpread::all_devices).devices.size() == 4);
    CHECK(affine(results) == msms.sums);
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.launches == 2);  // one whole MSM, and a term of each of two
}

TEST_CASE("several MSMs on a pool of the host", "[msm_batch]") {
    const DevicePool pool = DevicePool::host(2);
    const SeveralMsms msms(3, true);
    auto results = no_results(3);
    CHECK(pool.msm<curve>(msms.scalars, msms.points, small_config(), results, MsmSpread::all_devices).engine == Engine::host);
    CHECK(affine(results) == msms.sums);
    const SeveralMsms shared(3, false);
    CHECK(pool.msm<curve>(shared.scalars, pool.prepare<curve>(shared.points, small_tables()), MsmConfig{}, results).devices.empty());
    CHECK(affine(results) == shared.sums);
}

TEST_CASE("a scalar that breaks its promise is named by its place among those of all MSMs, and no result is written", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    SeveralMsms msms(3, false);
    const std::size_t broken = GENERATE(1, 6, 11);  // in a whole MSM of either device, and in the one that both share
    msms.scalars[broken] = Scalar{{1 << 9}};
    const auto bases = pool.prepare<curve>(msms.points, small_tables(), MsmSpread::all_devices);
    for (const bool are_prepared : {false, true}) {
        auto results = no_results(3);
        const Error error = error_of([&] {
            if (are_prepared) {
                (void)pool.msm<curve>(msms.scalars, bases, MsmConfig{}, results);
            } else {
                (void)pool.msm<curve>(msms.scalars, msms.points, small_config(), results, MsmSpread::all_devices);
            }
        });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("scalar " + std::to_string(broken) + " "));
        for (const JacobianPoint<curve>& result : results) CHECK(result.x.limbs[0] == 12345);
    }
}

TEST_CASE("what does not divide evenly is refused by a pool too", "[msm_batch]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SeveralMsms msms(3, true);
    const PooledBases<curve> bases = pool.prepare<curve>(msms.points, small_tables(), MsmSpread::one_device);
    const auto category = [&](std::size_t scalars, std::size_t points, std::size_t results, const MsmConfig& config) {
        auto sums = no_results(results);
        const auto given = std::span(msms.scalars).first(scalars);
        return error_of([&] { (void)pool.msm<curve>(given, std::span(msms.points).first(points), config, std::span(sums)); }).category();
    };
    CHECK(category(11, 11, 3, small_config()) == ErrorCategory::invalid_argument);
    CHECK(category(12, 8, 3, small_config()) == ErrorCategory::invalid_argument);
    CHECK(category(12, 12, 0, small_config()) == ErrorCategory::invalid_argument);
    MsmConfig config = small_config();
    config.batch_size = 2;
    CHECK(category(12, 12, 3, config) == ErrorCategory::invalid_argument);
    config.batch_size = 3;
    config.points_size = 4;
    CHECK(category(12, 12, 3, config) == ErrorCategory::invalid_argument);
    auto sums = no_results(5);
    CHECK(error_of([&] { (void)pool.msm<curve>(msms.scalars, bases, MsmConfig{}, std::span(sums)); }).category() ==
          ErrorCategory::invalid_argument);
}
