// MSMs of a pool whose operands lie on devices.
#include "placed_msms.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t terms = 24;

/// Not in the pool's order, and a device of the three has nothing.
const std::vector<SliceSize> two_slices{{2, 17}, {0, 7}};

/// Whether MSMs whose operands lie there come out right.
template <Curve C>
void check_places(const DevicePool& pool, const SmallMsms<C>& msms, Place scalars_at, Place points_at, MsmSpread spread) {
    CAPTURE(scalars_at, points_at, spread, msms.count, msms.point_runs());
    const PlacedArray<Scalar> scalars(pool, scalars_at, msms.scalars, msms.count, two_slices);
    const PlacedArray<AffinePoint<C>> points(pool, points_at, msms.points, msms.point_runs(), {{1, 24}});
    const PlacedArray<AffinePoint<C>> sliced_points(pool, points_at, msms.points, msms.point_runs(), two_slices);
    const auto& points_given = points_at == Place::slices ? sliced_points : points;
    auto results = no_results<C>(msms.count);
    const RunReport report = pool.msm<C>(scalars.operand(), points_given.operand(), small_msm(scalars_at, points_at), results, spread);
    CHECK(to_affine(results) == msms.expected);
    if (scalars_at == Place::slices || points_at == Place::slices) CHECK(report.devices == std::vector<int>{0, 2});
}

/// One MSM with its operands on device 1, or with the scalars alone there.
RunReport run_on_device_1(const DevicePool& pool, Place points_at, MsmSpread spread = MsmSpread::automatic) {
    const SmallMsms<curve> msms(1, terms, false);
    const PlacedArray<Scalar> scalars(pool, Place::one_device, msms.scalars, 1, {{1, terms}});
    const PlacedArray<AffinePoint<curve>> points(pool, points_at, msms.points, 1, {{1, terms}});
    JacobianPoint<curve> sum;
    const RunReport report = pool.msm<curve>(scalars.operand(), points.operand(), small_msm(Place::one_device, points_at), sum, spread);
    CHECK(cupool::to_affine(sum) == msms.expected[0]);
    return report;
}

}  // namespace

TEST_CASE("operands of an MSM lie anywhere in a pool, in any mix", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const auto& [count, own_points] : {std::pair{1, false}, std::pair{4, false}, std::pair{4, true}}) {
        const SmallMsms<curve> msms(static_cast<std::size_t>(count), terms, own_points);
        for (const Place scalars_at : {Place::host, Place::one_device, Place::slices}) {
            for (const Place points_at : {Place::host, Place::one_device, Place::slices}) {
                check_places(pool, msms, scalars_at, points_at, MsmSpread::automatic);
                check_places(pool, msms, scalars_at, points_at, MsmSpread::all_devices);
            }
        }
    }
}

TEST_CASE("operands of an MSM over bls12_381 lie on devices", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<Curve::bls12_381> msms(1, terms, false);
    check_places(pool, msms, Place::slices, Place::slices, MsmSpread::automatic);
    check_places(pool, msms, Place::one_device, Place::one_device, MsmSpread::all_devices);
}

TEST_CASE("scalars of MSMs over prepared bases lie anywhere in a pool", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const MsmSpread prepared : {MsmSpread::all_devices, MsmSpread::one_device}) {
        const SmallMsms<curve> one(1, terms, false);
        auto points = one.points;
        points.resize(terms + 6, generator<curve>());  // of which MSMs do not use the last
        const PooledBases<curve> bases = pool.prepare<curve>(points, small_bases(), prepared);
        for (const std::size_t count : {1, 3}) {
            const SmallMsms<curve> msms(count, terms, false);
            for (const Place place : {Place::host, Place::one_device, Place::slices}) {
                CAPTURE(prepared, count, place);
                const std::vector<SliceSize> slices = bases.is_sharded() ? std::vector<SliceSize>{{0, 10}, {1, 10}, {2, 4}} : two_slices;
                const PlacedArray<Scalar> scalars(pool, place, msms.scalars, count, slices);
                MsmConfig config;
                config.are_scalars_on_device = place != Place::host;
                auto results = no_results<curve>(count);
                const RunReport report = pool.msm<curve>(scalars.operand(), bases, config, results);
                CHECK(to_affine(results) == msms.expected);
                if (bases.is_sharded()) CHECK(report.devices == std::vector<int>{0, 1, 2});
                if (!bases.is_sharded() && place == Place::slices) CHECK(report.devices == std::vector<int>{0, 2});
                if (!bases.is_sharded() && place == Place::one_device) CHECK(report.devices == std::vector<int>{2});
            }
        }
    }
}

TEST_CASE("each kind of array is an operand of a pool as it is", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    DeviceBuffer<Scalar> first(3, pool.context_at(0));
    DeviceBuffer<Scalar> second(4, pool.context_at(1));
    CHECK(PoolOperand<Scalar>().is_on_host());
    CHECK(PoolOperand<Scalar>(std::vector<Scalar>(5)).size() == 5);
    CHECK(PoolOperand<Scalar>(first).device().device() == 0);
    CHECK(PoolOperand<Scalar>(second.span()).size() == 4);
    const std::vector<DeviceSpan<Scalar>> spans{first.span(), second.span()};
    const std::vector<DeviceSpan<const Scalar>> constant(spans.begin(), spans.end());
    for (const PoolOperand<Scalar>& operand : {PoolOperand<Scalar>(spans), PoolOperand<Scalar>(std::span(constant))}) {
        CHECK(operand.is_sliced());
        CHECK_FALSE(operand.is_on_host());
        CHECK(operand.size() == 7);
        CHECK(operand.slices()[1].device() == 1);
    }
}

TEST_CASE("an MSM for one device goes where its operands lie, unless that device is quarantined", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    for (const Place points_at : {Place::host, Place::one_device}) {
        const std::uint64_t copies = machine.simulator.call_count("cuMemcpyPeerAsync");
        for (int i = 0; i < 3; ++i) CHECK(run_on_device_1(pool, points_at).devices == std::vector<int>{1});
        CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") == copies);
    }
    pool.quarantine(1, "hot");
    CHECK(run_on_device_1(pool, Place::one_device).devices != std::vector<int>{1});
    CHECK(run_on_device_1(pool, Place::one_device, MsmSpread::all_devices).devices == std::vector<int>{0, 2});
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.in_flight == 0);
}

TEST_CASE("an operand on one device is divided by the devices' weights", "[msm_operands]") {
    std::vector<SimulatedDevice> devices(2);
    devices[0].multiprocessor_count = 120;
    devices[1].multiprocessor_count = 30;
    const Machine machine(devices);
    const DevicePool pool = DevicePool::all(machine.driver);
    constexpr std::size_t count = 40;
    const SmallMsms<curve> msms(1, count, false);
    const PlacedArray<Scalar> scalars(pool, Place::one_device, msms.scalars, 1, {{0, count}});
    const PlacedArray<AffinePoint<curve>> points(pool, Place::one_device, msms.points, 1, {{0, count}});
    const auto bytes = [&] { return pool.metrics().devices[0].bytes; };
    JacobianPoint<curve> sum;
    const MsmConfig config = small_msm(Place::one_device, Place::one_device);
    pool.msm<curve>(scalars.operand(), points.operand(), config, sum, MsmSpread::one_device);
    const std::uint64_t of_sums = bytes();
    const RunReport report = pool.msm<curve>(scalars.operand(), points.operand(), config, sum, MsmSpread::all_devices);
    CHECK(cupool::to_affine(sum) == msms.expected[0]);
    CHECK(report.devices == std::vector<int>{0, 1});
    const std::uint64_t brought = count / 5 * (sizeof(Scalar) + sizeof(AffinePoint<curve>));  // device 1 has one of 4 + 1 shares
    CHECK(bytes() == 2 * of_sums + brought);
    CHECK(report.bytes == 2 * of_sums + brought);
    CHECK(report.device_bytes > brought);
}

TEST_CASE("operands are brought through the host's memory where there is no peer access", "[msm_operands]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    machine.simulator.set_peer_reachable(0, 1, false);
    machine.simulator.set_peer_reachable(1, 0, false);
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(run_on_device_1(pool, Place::one_device, MsmSpread::all_devices).devices == std::vector<int>{0, 1});
    CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") == 0);
}

TEST_CASE("the digits of an MSM are never shared where an operand lies on a device", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::uint64_t before = machine.simulator.call_count("cuMemcpyPeerAsync");
    const SmallMsms<curve> msms(1, terms, false);
    const PlacedArray<Scalar> scalars(pool, Place::slices, msms.scalars, 1, {{0, 12}, {1, 12}});
    JacobianPoint<curve> sum;
    pool.msm<curve>(scalars.operand(), msms.points, small_msm(Place::slices, Place::host), sum, MsmSpread::digit_partition);
    CHECK(cupool::to_affine(sum) == msms.expected[0]);
    CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") == before);
}

TEST_CASE("no terms are no terms wherever they lie", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const DeviceBuffer<Scalar> empty(0, pool.context_at(1));
    for (const PoolOperand<Scalar>& scalars : {PoolOperand<Scalar>(empty), PoolOperand<Scalar>(std::vector<DeviceSpan<const Scalar>>(3))}) {
        auto results = no_results<curve>(2);
        pool.msm<curve>(scalars, {}, small_msm(Place::slices, Place::host), results, MsmSpread::all_devices);
        CHECK(to_affine(results) == std::vector<AffinePoint<curve>>(2, infinity<curve>()));
    }
}

TEST_CASE("a scalar that breaks its promise is named by its place wherever it lies", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    SmallMsms<curve> msms(3, terms, false);
    msms.scalars[terms + 20] = Scalar{{1 << 9}};  // of the second MSM; in the second slice the term 3
    const auto bases = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::one_device);
    const auto divided = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::all_devices);
    for (const Place place : {Place::one_device, Place::slices}) {
        const PlacedArray<Scalar> scalars(pool, place, msms.scalars, 3, two_slices);
        const std::size_t place_of_it = place == Place::slices ? 3 * 17 + 7 + 3 : terms + 20;
        auto results = no_results<curve>(3);
        MsmConfig config = small_msm(place, Place::host);
        const auto check = [&](const auto& run) {
            const Error error = error_of(run);
            CHECK(error.category() == ErrorCategory::invalid_argument);
            CHECK_THAT(error.what(), contains_text("scalar " + std::to_string(place_of_it) + " "));
            for (const auto& result : results) CHECK(result.x.limbs[0] == 12345);
        };
        check([&] { pool.msm<curve>(scalars.operand(), msms.points, config, results, MsmSpread::all_devices); });
        config.c = 0;
        check([&] { pool.msm<curve>(scalars.operand(), bases, config, results); });
        if (place == Place::one_device) check([&] { pool.msm<curve>(scalars.operand(), divided, config, results); });
    }
}

TEST_CASE("operands that do not go together are refused by a pool", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SmallMsms<curve> msms(2, terms, false);
    const PlacedArray<Scalar> scalars(pool, Place::slices, msms.scalars, 2, {{0, 12}, {1, 12}});
    const auto failure = [&](const PoolOperand<Scalar>& own_scalars, const PoolOperand<AffinePoint<curve>>& points, std::size_t count) {
        auto results = no_results<curve>(count);
        MsmConfig config = small_msm(Place::slices, points.is_on_host() ? Place::host : Place::slices);
        return error_of([&] { pool.msm<curve>(own_scalars, points, config, results); });
    };
    for (const std::vector<SliceSize>& others : {std::vector<SliceSize>{{0, 10}, {1, 14}}, {{1, 12}, {0, 12}}, {{0, 12}, {2, 12}}}) {
        const PlacedArray<AffinePoint<curve>> points(pool, Place::slices, msms.points, 1, others);
        const Error error = failure(scalars.operand(), points.operand(), 2);
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("by the scalars 24 items: device 0 has items 0 to 11, device 1 has items 12 to 23"));
        CHECK_THAT(error.what(), contains_text("by the points 24 items: device " + std::to_string(others[0].device)));
    }
    {
        const PlacedArray<Scalar> twice(pool, Place::slices, msms.scalars, 2, {{0, 12}, {0, 12}});
        CHECK_THAT(failure(twice.operand(), msms.points, 2).what(), contains_text("give one slice for each device"));
        const PlacedArray<Scalar> odd(pool, Place::slices, msms.scalars, 1, {{0, 25}, {1, 23}});
        CHECK_THAT(failure(odd.operand(), msms.points, 2).what(), contains_text("25 elements, which do not divide evenly among 2 MSMs"));
    }
    const PooledBases<curve> bases = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::all_devices);
    auto results = no_results<curve>(2);
    MsmConfig config;
    config.are_scalars_on_device = true;
    const Error other_division = error_of([&] { pool.msm<curve>(scalars.operand(), bases, config, results); });
    CHECK(other_division.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(other_division.what(), contains_text("by the scalars 24 items: device 0 has items 0 to 11"));
    CHECK_THAT(other_division.what(), contains_text("by the bases 24 items: device 0 has items 0 to 7"));
    pool.quarantine(1, "hot");
    const Error quarantined = failure(scalars.operand(), msms.points, 2);
    CHECK(quarantined.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(quarantined.what(), contains_text("device 1, which is quarantined (hot)"));
    const PooledBases<curve> of_others = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::one_device);
    pool.readmit(1);
    CHECK_THAT(error_of([&] { pool.msm<curve>(scalars.operand(), of_others, config, results); }).what(),
               contains_text("device 1, where no bases were prepared"));
}

TEST_CASE("operands that do not lie where they must are refused by a pool", "[msm_operands]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool all = DevicePool::all(machine.driver);
    const DevicePool pool = DevicePool::with_devices(machine.driver, std::vector<int>{0, 2});
    const SmallMsms<curve> msms(1, terms, false);
    const PlacedArray<Scalar> scalars(all, Place::one_device, msms.scalars, 1, {{1, terms}});
    const PlacedArray<Scalar> sliced(all, Place::slices, msms.scalars, 1, {{0, 12}, {1, 12}});
    auto results = no_results<curve>(1);
    const auto failure = [&](const DevicePool& of, const PoolOperand<Scalar>& own_scalars, bool flag) {
        MsmConfig config = small_msm(Place::host, Place::host);
        config.are_scalars_on_device = flag;
        return error_of([&] { of.msm<curve>(own_scalars, msms.points, config, results); });
    };
    for (const auto& outside : {&scalars, &sliced}) {
        const Error error = failure(pool, outside->operand(), true);
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK_THAT(error.what(), contains_text("the scalars are on device 1, which is not of the pool; it has devices 0, 2"));
        CHECK(error.location().file == std::string(__FILE__));
        CHECK(failure(all, outside->operand(), false).category() == ErrorCategory::invalid_argument);
        const Error on_host = failure(DevicePool::host(1), outside->operand(), true);
        CHECK(on_host.category() == ErrorCategory::unsupported);
        CHECK_THAT(on_host.what(), contains_text("the pool is the host"));
    }
    CHECK_THAT(failure(all, msms.scalars, true).what(), contains_text("are_scalars_on_device is set"));
    const DeviceSpan<const Scalar> whole = scalars.operand().device();
    const DeviceSpan<const Scalar> misaligned(whole.pointer() + 8, terms - 1, 1);
    const Error error = error_of([&] {
        MsmConfig config = small_msm(Place::one_device, Place::host);
        all.msm<curve>(misaligned, std::span(msms.points).first(terms - 1), config, results);
    });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(error.what(), contains_text("no multiple of 16"));
}

TEST_CASE("nothing of an MSM is in use after a copy of its operands failed", "[msm_operands]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    (void)run_on_device_1(pool, Place::one_device, MsmSpread::all_devices);  // the way between the devices is open
    const SmallMsms<curve> msms(2, terms, false);
    const PooledBases<curve> bases = pool.prepare<curve>(msms.points, small_bases(), MsmSpread::all_devices);
    auto results = no_results<curve>(2);
    {
        const PlacedArray<Scalar> scalars(pool, Place::one_device, msms.scalars, 2, {{1, terms}});
        MsmConfig config;
        config.are_scalars_on_device = true;
        machine.simulator.plan_fault("cuMemcpyPeerAsync", 2, 1);  // of two runs
        CHECK(error_of([&] { pool.msm<curve>(scalars.operand(), bases, config, results); }).category() == ErrorCategory::invalid_argument);
    }  // freed on device 1's stream: the check of ordering looks whether the first run's copy was waited for
    pool.synchronize_all();
    CHECK(machine.simulator.device_fault_report().empty());
    for (const auto& result : results) CHECK(result.x.limbs[0] == 12345);
    for (const DeviceMetrics& device : pool.metrics().devices) CHECK(device.in_flight == 0);
}
