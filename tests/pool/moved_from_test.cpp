// What was moved from says so, on the line that uses it, instead of crashing; and so does an enumerator that there is not.
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <cupool/pool/sliced_array.hpp>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;

#define CHECK_IS(expected, statement)                                        \
    do {                                                                     \
        CAPTURE(#statement);                                                 \
        const Error error = error_of([&] { statement; });                    \
        CAPTURE(error.what());                                               \
        CHECK(error.category() == (expected));                               \
        CHECK_THAT(error.location().file, contains_text("moved_from_test")); \
        CHECK(error.location().line == __LINE__);                            \
    } while (false)

/// Holds a use of what was moved from against the line on which it stands.
#define CHECK_IS_REFUSED(statement) CHECK_IS(ErrorCategory::wrong_context, statement)

/// The same of a value out of range, which the message names.
#define CHECK_IS_NO_ENUMERATOR(statement)                                               \
    do {                                                                                \
        CHECK_IS(ErrorCategory::invalid_argument, statement);                           \
        CHECK_THAT(error_of([&] { statement; }).message(), contains_text("77 is no ")); \
    } while (false)

}  // namespace

// NOLINTBEGIN(bugprone-use-after-move): that is what it is about
TEST_CASE("a pool that was moved from is refused", "[moved]") {
    DevicePool pool = DevicePool::host(1);
    const DevicePool moved = std::move(pool);
    const std::vector<float> numbers(3, 1.0F);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, 3);
    const std::vector<Scalar> scalars(3, Scalar{{2}});
    const PooledBases<curve> bases = moved.prepare<curve>(points, PrepareConfig{});
    const auto nothing = [](const DeviceContext&) {};
    float sum = 0;
    JacobianPoint<curve> point;
    CHECK_IS_REFUSED((void)pool.is_host());
    CHECK_IS_REFUSED((void)pool.engine());
    CHECK_IS_REFUSED((void)pool.device_count());
    CHECK_IS_REFUSED((void)pool.device_at(0));
    CHECK_IS_REFUSED((void)pool.context_at(0));
    CHECK_IS_REFUSED((void)pool.context(0));
    CHECK_IS_REFUSED((void)pool.devices());
    CHECK_IS_REFUSED((void)pool.begin());
    CHECK_IS_REFUSED((void)pool.end());
    CHECK_IS_REFUSED((void)pool.identities());
    CHECK_IS_REFUSED((void)pool.excluded_devices());
    CHECK_IS_REFUSED((void)pool.next_device());
    CHECK_IS_REFUSED((void)pool.best_available_device());
    CHECK_IS_REFUSED((void)pool.balancer());
    CHECK_IS_REFUSED(pool.quarantine(0, ""));
    CHECK_IS_REFUSED(pool.readmit(0));
    CHECK_IS_REFUSED((void)pool.quarantined());
    CHECK_IS_REFUSED((void)pool.fault());
    CHECK_IS_REFUSED((void)pool.metrics());
    CHECK_IS_REFUSED((void)pool.submit(nothing));
    CHECK_IS_REFUSED((void)pool.submit_at(0, nothing));
    CHECK_IS_REFUSED((void)pool.submit_kernel({}));
    CHECK_IS_REFUSED(pool.for_each_device([](std::size_t, const DeviceContext&) {}));
    CHECK_IS_REFUSED((void)pool.divide(10));
    CHECK_IS_REFUSED(pool.check_division(Division({}, {})));
    CHECK_IS_REFUSED((void)pool.weights());
    CHECK_IS_REFUSED(pool.set_weights({}));
    CHECK_IS_REFUSED(pool.synchronize_all());
    CHECK_IS_REFUSED((void)pool.reduce<float>(numbers, ReduceOperation::sum, sum));
    CHECK_IS_REFUSED((void)pool.reduce_results<float>({}, ReduceOperation::sum, sum));
    CHECK_IS_REFUSED((void)pool.msm<curve>(scalars, points, MsmConfig{}, point));
    CHECK_IS_REFUSED((void)pool.submit_msm<curve>(scalars, points, MsmConfig{}, point));
    CHECK_IS_REFUSED((void)pool.prepare<curve>(points, PrepareConfig{}));
    CHECK_IS_REFUSED((void)pool.msm<curve>(scalars, bases, MsmConfig{}, point));
    CHECK_IS_REFUSED(PeerManager{pool});
    CHECK_IS_REFUSED((PoolGraph{pool, [](std::size_t, const DeviceContext&) {}}));
    CHECK_IS_REFUSED((SlicedArray<int>{pool, 10}));
}

TEST_CASE("bases that were moved from are refused", "[moved]") {
    const DevicePool pool = DevicePool::host(1);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, 3);
    const std::vector<Scalar> scalars(3, Scalar{{2}});
    JacobianPoint<curve> point;
    PooledBases<curve> pooled = pool.prepare<curve>(points, PrepareConfig{});
    const PooledBases<curve> moved_pooled = std::move(pooled);
    CHECK_IS_REFUSED((void)pooled.size());
    CHECK_IS_REFUSED((void)pooled.is_sharded());
    CHECK_IS_REFUSED((void)pooled.devices());
    CHECK_IS_REFUSED((void)pooled.device_bytes());
    CHECK_IS_REFUSED((void)pool.msm<curve>(scalars, pooled, MsmConfig{}, point));
    CHECK_IS_REFUSED((void)pool.submit_msm<curve>(scalars, pooled, MsmConfig{}, point));
    PreparedBases<curve> prepared(std::span<const AffinePoint<curve>>(points), PrepareConfig{});
    const PreparedBases<curve> moved_prepared = std::move(prepared);
    CHECK_IS_REFUSED((void)prepared.size());
    CHECK_IS_REFUSED((void)prepared.precompute_factor());
    CHECK_IS_REFUSED((void)prepared.device_bytes());
    CHECK_IS_REFUSED((void)prepared.context());
    CHECK_IS_REFUSED((void)cupool::msm<curve>(Operand<Scalar>(std::span(scalars)), prepared, MsmConfig{}, point));
}

TEST_CASE("what works on a pool's devices is refused where it was moved from", "[moved]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    PeerManager peers(pool);
    const PeerManager moved_peers = std::move(peers);
    CHECK_IS_REFUSED((void)peers.pool());
    CHECK_IS_REFUSED((void)peers.path(0, 1));
    CHECK_IS_REFUSED((void)peers.paths());
    CHECK_IS_REFUSED((void)peers.create_buffer<int>("name", 3, 0));
    CHECK_IS_REFUSED((void)peers.buffer<int>("name", 0));
    CHECK_IS_REFUSED(peers.remove_buffer("name"));
    DeviceBuffer<int> buffer(3, pool.context_at(0));
    CHECK_IS_REFUSED(peers.copy<int>(buffer.span(), buffer.span()));
    PoolGraph graph(pool, [](std::size_t, const DeviceContext&) {});
    const PoolGraph moved_graph = std::move(graph);
    CHECK_IS_REFUSED(graph.launch());
    CHECK_IS_REFUSED(graph.synchronize());
    CHECK_IS_REFUSED((void)graph.stream());
    CHECK_IS_REFUSED((void)graph.devices());
    SlicedArray<int> array(pool, 10);
    SlicedArray<int> moved_array = std::move(array);
    CHECK_IS_REFUSED((void)array.size());
    CHECK_IS_REFUSED((void)array.span());
    CHECK_IS_REFUSED((void)array.division());
    CHECK_IS_REFUSED((void)array.slice_count());
    CHECK_IS_REFUSED((void)array.offset(0));
    CHECK_IS_REFUSED((void)array.slice(0));
    CHECK_IS_REFUSED(array.prefetch_async());
    ArraySlice<int> slice = moved_array.slice(0);
    const ArraySlice<int> moved_slice = std::move(slice);
    CHECK_IS_REFUSED((void)slice.items());
    CHECK_IS_REFUSED((void)slice.division());
    const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 32}, std::tuple{}}; };
    PendingLaunch launch = pool.launch_partitioned("k", "no PTX", 10, configure);
    PendingLaunch moved_launch = std::move(launch);
    CHECK_IS_REFUSED((void)launch.parts());
    CHECK_IS_REFUSED((void)launch.is_ready());
    CHECK_IS_REFUSED(launch.wait());
    CHECK_IS_REFUSED((void)launch.get());
    PendingPart part = moved_launch.parts().at(0);
    const PendingPart moved_part = std::move(part);
    CHECK_IS_REFUSED((void)part.is_ready());
    CHECK_IS_REFUSED(part.wait());
    CHECK_IS_REFUSED((void)part.failure());
    CHECK_IS_REFUSED(part.get());
}
// NOLINTEND(bugprone-use-after-move)

TEST_CASE("an enumerator that there is not is refused, and named", "[moved]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::vector<float> numbers(3, 1.0F);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, 3);
    const std::vector<Scalar> scalars(3, Scalar{{2}});
    const PooledBases<curve> bases = pool.prepare<curve>(points, PrepareConfig{});
    float sum = 0;
    JacobianPoint<curve> point;
    constexpr auto no_operation = static_cast<ReduceOperation>(77);
    constexpr auto no_spread = static_cast<MsmSpread>(77);
    constexpr auto no_choice = static_cast<UnusableDevices>(77);
    CHECK_IS_NO_ENUMERATOR((void)pool.divide(10, static_cast<Shares>(77)));
    CHECK_IS_NO_ENUMERATOR((void)pool.reduce<float>(numbers, no_operation, sum));
    CHECK_IS_NO_ENUMERATOR((void)cupool::reduce<float>(Operand<float>(std::span(numbers)), no_operation, DeviceContext::host(1), sum));
    DeviceBuffer<float> buffer(3, pool.context_at(0));
    const std::vector<DeviceSpan<const float>> buffers{buffer.span()};
    CHECK_IS_NO_ENUMERATOR((void)pool.reduce_results<float>(buffers, no_operation));
    CHECK_IS_NO_ENUMERATOR((void)pool.reduce_results<float>(buffers, no_operation, sum));
    CHECK_IS_NO_ENUMERATOR((void)pool.msm<curve>(scalars, points, MsmConfig{}, point, no_spread));
    CHECK_IS_NO_ENUMERATOR((void)pool.submit_msm<curve>(scalars, points, MsmConfig{}, point, no_spread));
    CHECK_IS_NO_ENUMERATOR((void)pool.prepare<curve>(points, PrepareConfig{}, no_spread));
    CHECK_IS_NO_ENUMERATOR((void)pool.msm<curve>(scalars, bases, MsmConfig{}, std::span(&point, 1), no_spread));
    CHECK_IS_NO_ENUMERATOR((void)DevicePool::all(machine.driver, no_choice));
    CHECK_IS_NO_ENUMERATOR((void)DevicePool::all_or_host(no_choice));
    CHECK(to_string(no_operation) == "unknown");
    CHECK(to_string(static_cast<Curve>(77)) == "unknown");
}
