#include "algorithm_programs.hpp"

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_attribute.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/printable_text.hpp>
#include <cupool/driver/visible_devices.hpp>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/kernels/vectors.hpp>
#include <cupool/pool/collectives.hpp>
#include <cupool/pool/pool_metrics.hpp>
#include <cupool/pool/pooled_bases.hpp>

#include "ntt/device_ntt.hpp"

namespace cupool::test {

namespace {

constexpr std::size_t devices_of_machine = 2;
constexpr Curve curve = Curve::bn254;

using Ints = std::vector<int>;

/// 1, 2, ... 8
Ints first_numbers() { return {1, 2, 3, 4, 5, 6, 7, 8}; }

bool reduce_segments_by(const ReduceConfig& config, const Operand<int>& input) {
    Ints halves(2);
    reduce_segments<int, int>(input, Segments::equal(2, 4), ReduceOperation::sum, config, std::span(halves));
    Ints parts(2);
    const std::vector<std::uint64_t> offsets{0, 1, 8};
    reduce_segments<int, int>(input, Segments::offsets(std::span(offsets)), ReduceOperation::max, config, std::span(parts));
    IndexedValue<int> largest;
    arg_reduce<int>(input, ArgOperation::max, config, largest);
    std::int64_t wide = 0;
    reduce<int, std::int64_t>(input, ReduceOperation::product, config, wide);
    return halves == Ints{10, 26} && parts == Ints{1, 8} && largest == IndexedValue<int>{8, 7} && wide == 40320;
}

/// The numbers on each device, times its index + 1, in memory of `count` elements.
std::vector<DeviceBuffer<int>> numbers_of_each(World& world, std::size_t count) {
    std::vector<DeviceBuffer<int>> buffers;
    for (std::size_t i = 0; i < devices_of_machine; ++i) {
        const DeviceContext& context = world.pool().context_at(i);
        Ints numbers = first_numbers();
        numbers.resize(count);
        for (int& number : numbers) number *= static_cast<int>(i) + 1;
        buffers.emplace_back(count, context);
        copy(buffers.back().span(), std::span<const int>(world.host(std::move(numbers))), context.stream());
    }
    return buffers;
}

template <class T>
std::vector<DeviceSpan<T>> spans_of(std::vector<DeviceBuffer<int>>& buffers, std::size_t count) {
    std::vector<DeviceSpan<T>> spans;
    for (DeviceBuffer<int>& buffer : buffers) spans.push_back(buffer.span().subspan(0, count));
    return spans;
}

bool all_hold(World& world, std::vector<DeviceBuffer<int>>& buffers, const Ints& expected) {
    bool is_right = true;
    for (DeviceBuffer<int>& buffer : buffers) {
        const auto back = world.host<int>(expected.size());
        copy(back, buffer.span().subspan(0, expected.size()), buffer.stream());
        is_right = is_right && std::equal(back.begin(), back.end(), expected.begin());
    }
    return is_right;
}

}  // namespace

bool reduce_segments_on_device(World& world) {
    const DeviceContext& device = world.device(0);
    DeviceBuffer<int> input(8, device);
    copy(input.span(), std::span<const int>(world.host(first_numbers())), device.stream());
    return reduce_segments_by({.ctx = device}, input.span());
}

/// In three passes, between which elements are in memory of the job.
bool transform_on_device(World& world) {
    constexpr std::size_t count = 8;
    const DeviceContext& device = world.device(0);
    const NttDomain<curve> domain(count, device);
    const NttConfig config{.ctx = device, .coset_gen = Scalar{{7}}};
    std::vector<Scalar> numbers;
    for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(Scalar{{i}});
    const Operand<Scalar> inputs = std::span<const Scalar>(world.host(numbers));
    const std::span<Scalar> outputs = world.host<Scalar>(count);
    detail::ntt_on_device(detail::NttJob<curve>{inputs, NttDirection::forward, domain.state(), config, outputs, {.max_pass_bits = 1}});
    ntt<curve>(std::span<const Scalar>(outputs), NttDirection::inverse, domain, config, outputs);
    return std::equal(outputs.begin(), outputs.end(), numbers.begin());
}

/// a^2 inverted, times a, times a: with operands in host memory, on the device, and in place.
bool operate_on_scalars(World& world) {
    constexpr std::size_t count = 2;
    const DeviceContext& device = world.device(0);
    const VectorConfig config{.ctx = device};
    const std::vector<Scalar> ones(count, Scalar{{1}});
    const Operand<Scalar> numbers = std::span<const Scalar>(world.host(std::vector<Scalar>{Scalar{{2}}, Scalar{{3}}}));
    const std::span<Scalar> results = world.host<Scalar>(count);
    DeviceBuffer<Scalar> squares(count, device);
    multiply_vectors<curve>(numbers, numbers, config, squares.span());
    invert_vector<curve>(squares.span(), config, squares.span());
    multiply_vectors<curve>(squares.span(), numbers, config, results);
    multiply_vectors<curve>(std::span<const Scalar>(results), numbers, config, results);
    return std::equal(results.begin(), results.end(), ones.begin());
}

bool reduce_collectively(World& world) {
    const Collectives collectives(world.pool(), {.chunk_bytes = 16, .chunks = 2, .allows_direct = false});
    std::vector<DeviceBuffer<int>> numbers = numbers_of_each(world, 8);
    collectives.all_reduce<int>(spans_of<int>(numbers, 8), ReduceOperation::sum);
    bool is_right = all_hold(world, numbers, {3, 6, 9, 12, 15, 18, 21, 24});
    std::vector<DeviceBuffer<int>> targets = numbers_of_each(world, 8);
    collectives.reduce_scatter<int>(spans_of<const int>(numbers, 8), spans_of<int>(targets, 4), ReduceOperation::max);
    collectives.all_gather<int>(spans_of<const int>(targets, 4), spans_of<int>(numbers, 8));
    is_right = is_right && all_hold(world, numbers, {3, 6, 9, 12, 15, 18, 21, 24});
    collectives.broadcast<int>(numbers[1].span().subspan(4, 4), spans_of<int>(targets, 4));
    return is_right && all_hold(world, targets, {15, 18, 21, 24});
}

/// A pool of its own, since it quarantines one of the devices.
bool share_out_work(World& world) {
    const DevicePool pool = DevicePool::all(world.driver());
    const std::vector<double> weights{1, 3};
    pool.set_weights(weights);
    bool is_right = pool.weights() == weights && pool.divide(8).slice(1).count == 6;
    pool.check_division(pool.divide(8, Shares::even));
    {
        LoadBalancer& balancer = pool.balancer();
        LoadBalancer::Lease lease = balancer.lease(0, 10);
        std::vector<LoadBalancer::Lease> leases = balancer.select_devices(2);
        for (const Migration& migration : balancer.rebalance()) is_right = is_right && migration.from == 0 && migration.to == 1;
        lease.begin();
        lease.move_to(1);
        lease.complete();
        balancer.report_completion(1, 5);
        balancer.set_policy(std::make_unique<TakingTurns>());
        is_right = is_right && balancer.select_device().device() == 0 && balancer.loads().size() == devices_of_machine;
    }
    pool.quarantine(0, "a test");
    is_right = is_right && pool.quarantined().size() == 1 && pool.next_device() == 1;
    const PoolMetrics metrics = pool.metrics();
    is_right = is_right && metrics.devices[0].quarantined && !to_string(metrics).empty() && !to_prometheus(metrics).empty();
    pool.readmit(0);
    return is_right && pool.quarantined().empty() && !pool.fault() && !pool.identity_at(1).uuid.empty() && !to_string(pool).empty();
}

bool compute_on_host(World&) {
    const Ints numbers = first_numbers();
    bool is_right = reduce_segments_by(ReduceConfig::default_for_host(), std::span(numbers));
    Ints columns(2);
    reduce_middle<int, int>(std::span(numbers), {1, 4, 2}, ReduceOperation::sum, ReduceConfig::default_for_host(), std::span(columns));
    is_right = is_right && columns == Ints{16, 20};
    constexpr std::size_t terms = 5;
    std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
    is_right = is_right && !find_faulty_point<curve>(std::span<const AffinePoint<curve>>(points), true);
    points_to_montgomery_form<curve>(std::span(points));
    points_from_montgomery_form<curve>(std::span(points));
    const std::vector<Scalar> scalars(terms, Scalar{{2}});
    const AffinePoint<curve> expected = multiply(generator<curve>(), Scalar{{terms * (terms + 1)}});
    const DevicePool pool = DevicePool::host(2);
    JacobianPoint<curve> sum;
    pool.msm<curve>(scalars, points, MsmConfig{}, sum);
    is_right = is_right && to_affine(sum) == expected;
    const PooledBases<curve> bases = pool.prepare<curve>(points, PrepareConfig{});
    pool.submit_msm<curve>(scalars, bases, MsmConfig{}, sum).get();
    int largest = 0;
    pool.reduce<int>(std::span(numbers), ReduceOperation::max, largest);
    return is_right && to_affine(sum) == expected && largest == 8;
}

bool describe_devices(World& world) {
    (void)devices(world.driver());
    const Device first(world.driver(), 0);
    const Device second(world.driver(), 1);
    const VisibleDevices visible = visible_devices(world.driver());
    return !to_string(second).empty() && second.attribute(device_attributes().front().attribute) > 0 &&
           Device::with_pci_bus_id(world.driver(), second.pci_bus_id()).ordinal() == 1 && second.peer_link(first).can_access &&
           !second.is_mig_instance() && second.card_uuid() == second.uuid() && !to_string(visible).empty() &&
           printable_text("a\n\xff") == "a\\x0a\\xff";
}

}  // namespace cupool::test
