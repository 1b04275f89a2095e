// MSMs of a pool whose results go to memory of a device.
#include "placed_msms.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t terms = 12;

MsmConfig to_device(Place operands = Place::host) {
    MsmConfig config = small_msm(operands, operands);
    config.are_results_on_device = true;
    return config;
}

std::vector<AffinePoint<curve>> read(const DeviceBuffer<JacobianPoint<curve>>& results, const DevicePool& pool) {
    std::vector<JacobianPoint<curve>> here(results.size());
    copy(std::span(here), results.span(), pool.context(results.device()).stream());
    return to_affine(here);
}

}  // namespace

TEST_CASE("results of MSMs go to a chosen device", "[msm_results_on_device]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const std::size_t count : {1, 4}) {
        const SmallMsms<curve> msms(count, terms, false);
        for (const Place place : {Place::host, Place::one_device, Place::slices}) {
            const std::vector<SliceSize> slices{{1, 5}, {2, 7}};
            const PlacedArray<Scalar> scalars(pool, place, msms.scalars, count, slices);
            const PlacedArray<AffinePoint<curve>> points(pool, place, msms.points, 1, slices);
            for (const MsmSpread spread : {MsmSpread::one_device, MsmSpread::all_devices}) {
                for (const int device : {0, 1, 2}) {
                    CAPTURE(count, place, spread, device);
                    DeviceBuffer<JacobianPoint<curve>> results(count, pool.context(device));
                    pool.msm<curve>(scalars.operand(), points.operand(), to_device(place), results.span(), spread);
                    CHECK(read(results, pool) == msms.expected);
                }
            }
        }
    }
}

TEST_CASE("results of MSMs over prepared bases go to a chosen device", "[msm_results_on_device]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(3, terms, false);
    MsmConfig config;
    config.are_results_on_device = true;
    for (const MsmSpread prepared : {MsmSpread::one_device, MsmSpread::all_devices, MsmSpread::digit_partition}) {
        const PooledBases<curve> bases = pool.prepare<curve>(msms.points, small_bases(), prepared);
        for (const int device : {0, 1}) {
            DeviceBuffer<JacobianPoint<curve>> results(3, pool.context(device));
            pool.msm<curve>(msms.scalars, bases, config, results.span(), MsmSpread::one_device);
            CHECK(read(results, pool) == msms.expected);
            const auto first = std::span(msms.scalars).first(terms);
            pool.msm<curve>(first, bases, config, results.span().subspan(1, 1));
            CHECK(read(results, pool)[1] == msms.expected[0]);
        }
    }
}

TEST_CASE("the one device that does an MSM writes its result itself where that is to lie with it", "[msm_results_on_device]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(1, terms, false);
    const PlacedArray<Scalar> scalars(pool, Place::one_device, msms.scalars, 1, {{1, terms}});
    const PlacedArray<AffinePoint<curve>> points(pool, Place::one_device, msms.points, 1, {{1, terms}});
    const auto uploads_to = [&](int device) {
        DeviceBuffer<JacobianPoint<curve>> results(1, pool.context(device));
        const std::uint64_t before = machine.simulator.call_count("cuMemcpyHtoDAsync");
        const RunReport report = pool.msm<curve>(scalars.operand(), points.operand(), to_device(Place::one_device), results.span());
        const std::uint64_t uploads = machine.simulator.call_count("cuMemcpyHtoDAsync") - before;
        CHECK(report.devices == std::vector<int>{1});
        CHECK(read(results, pool) == msms.expected);
        return uploads;
    };
    (void)uploads_to(1);  // kernels are loaded
    CHECK(uploads_to(1) == 0);
    CHECK(uploads_to(0) == 1);
}

TEST_CASE("results are written behind what was given to their device's stream", "[msm_results_on_device]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(1, terms, false);
    DeviceBuffer<JacobianPoint<curve>> results(1, pool.context(0));
    const StreamView stream = pool.context(0).stream();
    stream.launch_host_function([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
    fill_bytes_async(results.span(), 0xff, stream);
    pool.msm<curve>(msms.scalars, msms.points, to_device(), results.span(), MsmSpread::all_devices);
    CHECK(read(results, pool) == msms.expected);
}

TEST_CASE("an MSM whose digits devices share writes its result on a device", "[msm_results_on_device]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(1, terms, false);
    DeviceBuffer<JacobianPoint<curve>> results(1, pool.context(1));
    for (const bool is_way_open : {false, true}) {
        const std::uint64_t copies = machine.simulator.call_count("cuMemcpyPeerAsync");
        pool.msm<curve>(msms.scalars, msms.points, to_device(), results.span(), MsmSpread::digit_partition);
        CHECK(read(results, pool) == msms.expected);
        if (is_way_open) CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") > copies);  // terms were handed on
    }
}

TEST_CASE("results that cannot go where they should are refused by a pool", "[msm_results_on_device]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool all = DevicePool::all(machine.driver);
    const DevicePool pool = DevicePool::with_devices(machine.driver, std::vector<int>{0});
    const SmallMsms<curve> msms(1, terms, false);
    DeviceBuffer<JacobianPoint<curve>> results(2, all.context(1));
    const DeviceSpan<JacobianPoint<curve>> one = results.span().subspan(0, 1);
    const auto failure = [&](const DevicePool& of, const MsmConfig& config, DeviceSpan<JacobianPoint<curve>> there) {
        return error_of([&] { of.msm<curve>(msms.scalars, msms.points, config, there); });
    };
    const Error outside = failure(pool, to_device(), one);
    CHECK(outside.category() == ErrorCategory::wrong_context);
    CHECK_THAT(outside.what(), contains_text("the results are on device 1"));
    CHECK(failure(DevicePool::host(1), to_device(), one).category() == ErrorCategory::unsupported);
    const Error flag = failure(all, small_msm(Place::host, Place::host), one);
    CHECK(flag.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(flag.what(), contains_text("are_results_on_device is not set"));
    JacobianPoint<curve> on_host;
    CHECK(error_of([&] { all.msm<curve>(msms.scalars, msms.points, to_device(), on_host); }).category() == ErrorCategory::invalid_argument);
    CHECK(failure(all, to_device(), {one.pointer() + 8, 1, 1}).category() == ErrorCategory::invalid_argument);
    MsmConfig async = to_device();
    async.is_async = true;
    const Error waits = failure(all, async, one);
    CHECK(waits.category() == ErrorCategory::unsupported);
    CHECK_THAT(waits.what(), contains_text("submit_msm"));
    const PooledBases<curve> bases = all.prepare<curve>(msms.points, small_bases());
    CHECK(error_of([&] { all.msm<curve>(msms.scalars, bases, async, one); }).category() == ErrorCategory::unsupported);
}
