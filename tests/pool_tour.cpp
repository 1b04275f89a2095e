#include "pool_tour.hpp"

#include <algorithm>
#include <bit>
#include <cupool/driver/copy.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <cupool/pool/pooled_ntt.hpp>
#include <cupool/pool/pooled_poseidon.hpp>
#include <cupool/pool/sliced_array.hpp>
#include <numeric>
#include <set>
#include <stdexcept>

namespace cupool::test {

namespace {

constexpr std::size_t items = 1001;

/// slice[i] = offset + i, for i below count.
constexpr char number_ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry number(.param .u64 slice, .param .u64 offset, .param .u64 count)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %d<7>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    cvt.u64.u32 %d1, %r3;
    mad.wide.u32 %d1, %r1, %r2, %d1;
    ld.param.u64 %d2, [count];
    setp.ge.u64 %p, %d1, %d2;
    @%p ret;
    ld.param.u64 %d3, [slice];
    ld.param.u64 %d4, [offset];
    add.u64 %d5, %d1, %d4;
    cvt.u32.u64 %r1, %d5;
    shl.b64 %d6, %d1, 2;
    add.u64 %d6, %d3, %d6;
    st.global.u32 [%d6], %r1;
    ret;
}
)";

void expect(bool holds, const std::string& what) {
    if (!holds) throw std::logic_error("not so: " + what);
}

void visit_choices(const DevicePool& pool) {
    for (int round = 0; round < 2; ++round) {
        std::multiset<int> turns;
        for (std::size_t i = 0; i < pool.device_count(); ++i) turns.insert(pool.next_device());
        expect(turns == std::multiset<int>(pool.devices().begin(), pool.devices().end()), "turns are even");
    }
    const auto is_member = [&](int device) {
        return std::find(pool.devices().begin(), pool.devices().end(), device) != pool.devices().end();
    };
    expect(is_member(pool.best_available_device(1 << 20)), "the best device is one of the pool");
    expect(is_member(pool.balancer().select_device(5).device()), "a leased device is one of the pool");
    expect(pool.balancer().select_devices(100).size() == pool.device_count(), "as many devices as there are can be leased at once");
    std::set<std::string> places;
    for (const DeviceIdentity& identity : pool.identities()) places.insert(identity.uuid + identity.pci_bus_id);
    expect(places.size() == pool.device_count(), "devices have identities of their own");
}

void visit_work(const DevicePool& pool) {
    std::vector<int> seen(pool.device_count(), -1);
    pool.for_each_device([&](std::size_t index, const DeviceContext& context) { seen[index] = context.device(); });
    expect(seen == pool.devices(), "for_each_device() comes to each device");
    for (std::size_t i = 0; i < pool.device_count(); ++i) {
        const auto device_of = [](const DeviceContext& context) { return context.device(); };
        expect(pool.submit_at(i, device_of).get() == pool.device_at(i), "submit_at() comes to the device");
    }
    std::vector<DeviceBuffer<std::uint32_t>> slices(pool.device_count());
    for (const std::uint64_t total : {std::uint64_t{items}, std::uint64_t{1}}) {  // also fewer than devices
        std::vector<std::uint32_t> numbers(total);
        pool.launch_partitioned("number", number_ptx, total,
                                [&](const Partition& part) {
                                    slices[part.index] = DeviceBuffer<std::uint32_t>(part.count, part.context);
                                    return PartitionLaunch{LaunchShape{static_cast<unsigned>((part.count + 127) / 128), 128},
                                                           std::tuple{slices[part.index].span()}};
                                })
            .get();
        std::size_t next = 0;
        for (std::size_t i = 0; i < pool.device_count() && next < total; ++i) {
            copy(std::span(numbers).subspan(next, slices[i].size()), slices[i].span(), pool.context_at(i).stream());
            next += slices[i].size();
        }
        std::vector<std::uint32_t> expected(total);
        std::iota(expected.begin(), expected.end(), 0u);
        expect(numbers == expected, "a partitioned launch covers every item once");
    }
    SlicedArray<std::uint32_t> array(pool, items);
    const PendingLaunch launch = pool.launch_partitioned("number", number_ptx, array.division(), [&](const Partition& part) {
        return PartitionLaunch{LaunchShape{static_cast<unsigned>((part.count + 127) / 128), 128}, std::tuple{array.slice(part.index)}};
    });
    for (const PendingPart& part : launch.parts()) part.get();
    expect(launch.is_ready() && launch.get().devices == pool.devices(), "parts end");
    for (std::size_t i = 0; i < items; ++i) expect(array[i] == i, "each device works on its own slice");
    const KernelWork work{
        number_ptx,
        "number",
        {1, 4},
        {KernelOperand::output<std::uint32_t>(4), KernelOperand::value(std::uint64_t{7}), KernelOperand::value(std::uint64_t{4})}};
    expect(pool.submit_kernel(work).get().array<std::uint32_t>(0) == std::vector<std::uint32_t>{7, 8, 9, 10}, "work by data");
    pool.synchronize_all();
}

void visit_msms(const DevicePool& pool) {
    constexpr Curve curve = Curve::bn254;
    constexpr std::size_t terms = 10;
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
    const std::vector<Scalar> scalars(terms, Scalar{{3}});
    const AffinePoint<curve> expected = multiply(generator<curve>(), Scalar{{3 * terms * (terms + 1) / 2}});
    MsmConfig config;
    config.bitsize = 4;
    config.c = 4;
    PrepareConfig prepare;
    prepare.bitsize = 4;
    prepare.c = 4;
    // By speeds measured on a busy host, a device might be given none of so few terms.
    pool.set_weights(std::vector<double>(pool.device_count(), 1.0));
    for (const MsmSpread spread : {MsmSpread::automatic, MsmSpread::one_device, MsmSpread::all_devices}) {
        const std::size_t devices = spread == MsmSpread::all_devices ? std::min(terms, pool.device_count()) : 1;
        JacobianPoint<curve> sum;
        expect(pool.msm<curve>(scalars, points, config, sum, spread).devices.size() == devices, "an MSM takes its devices");
        expect(to_affine(sum) == expected, "an MSM is right");
        const PooledBases<curve> bases = pool.prepare<curve>(points, prepare, spread);
        sum = {};
        expect(pool.msm<curve>(scalars, bases, config, sum).devices.size() == devices, "an MSM over prepared bases takes their devices");
        expect(to_affine(sum) == expected, "an MSM over prepared bases is right");
    }
    pool.set_weights({});
}

/// Operands and results on devices, and futures.
void visit_placed_msms(const DevicePool& pool) {
    constexpr Curve curve = Curve::bn254;
    constexpr std::size_t terms = 64;
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
    const std::vector<Scalar> scalars(terms, Scalar{{5}});
    const AffinePoint<curve> expected = multiply(generator<curve>(), Scalar{{5 * terms * (terms + 1) / 2}});
    std::vector<DeviceBuffer<Scalar>> slices;
    const Division division = pool.divide(terms);
    for (std::size_t i = 0; i < pool.device_count(); ++i) {
        const Slice& own = division.slice(i);
        const DeviceContext& context = pool.context_at(i);
        slices.emplace_back(own.count, context);
        if (own.count != 0) copy_async(slices[i].span(), std::span(scalars).subspan(own.offset, own.count), context.stream());
    }
    const DeviceContext& last = pool.context_at(pool.device_count() - 1);
    DeviceBuffer<Scalar> whole(terms, last);
    copy_async(whole.span(), std::span<const Scalar>(scalars), last.stream());
    DeviceBuffer<JacobianPoint<curve>> there(1, last);
    MsmConfig config;
    config.are_scalars_on_device = true;
    for (const PoolOperand<Scalar>& operand : {PoolOperand<Scalar>(slices), PoolOperand<Scalar>(whole)}) {
        JacobianPoint<curve> sum;
        pool.msm<curve>(operand, points, config, sum, MsmSpread::all_devices);
        expect(to_affine(sum) == expected, "an MSM of scalars on devices is right");
        sum = {};
        pool.submit_msm<curve>(operand, points, config, sum, MsmSpread::all_devices).get();
        expect(to_affine(sum) == expected, "an MSM that comes as a future is right");
        MsmConfig on_device = config;
        on_device.are_results_on_device = true;
        pool.msm<curve>(operand, points, on_device, there.span(), MsmSpread::all_devices);
        std::vector<JacobianPoint<curve>> back(1);
        copy(std::span(back), there.span(), last.stream());
        expect(to_affine(back[0]) == expected, "a result on a device is right");
    }
}

void visit_peers(const DevicePool& pool) {
    for (const bool allows_direct : {true, false}) {
        const PeerManager peers(pool, {.allows_direct = allows_direct});
        expect(peers.paths().size() == pool.device_count() * (pool.device_count() - 1), "every pair has a path");
        for (const PeerPath& path : peers.paths()) {
            const DeviceContext& here = pool.context(path.device);
            const DeviceContext& there = pool.context(path.peer);
            DeviceBuffer<std::uint32_t> source(items, here);
            DeviceBuffer<std::uint32_t> target(items, there);
            fill(source.span(), static_cast<std::uint32_t>(path.device) + 5, here.stream());
            fill(target.span(), 0U, there.stream());
            peers.copy<std::uint32_t>(target.span(), source.span());
            std::vector<std::uint32_t> back(items);
            copy(std::span(back), target.span(), there.stream());
            expect(back == std::vector<std::uint32_t>(items, static_cast<std::uint32_t>(path.device) + 5),
                   "bytes arrive: " + to_string(path));
        }
        const int home = pool.devices().back();
        (void)peers.create_buffer<std::uint32_t>("tour", items, home);
        for (const int device : pool.devices()) {
            fill(peers.buffer<std::uint32_t>("tour", device), static_cast<std::uint32_t>(device), pool.context(device).stream());
        }
        std::vector<std::uint32_t> back(items);
        copy(std::span(back), peers.buffer<std::uint32_t>("tour", home), pool.context(home).stream());
        expect(back == std::vector<std::uint32_t>(items, static_cast<std::uint32_t>(home)), "a named buffer is everybody's");
        peers.remove_buffer("tour");
    }
    SlicedArray<std::uint32_t> array(pool, items);
    array.prefetch_async();
    pool.for_each_device([&](std::size_t index, const DeviceContext& context) {
        fill(array.slice(index).span(), static_cast<std::uint32_t>(index), context.stream());
    });
    for (std::size_t i = 0; i < pool.device_count(); ++i) expect(array[array.offset(i)] == i, "a slice is its device's");
}

void visit_reductions(const DevicePool& pool) {
    std::vector<std::int64_t> numbers(items);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{1});
    std::int64_t sum = 0;
    pool.reduce<std::int64_t>(numbers, ReduceOperation::sum, sum);
    expect(sum == items * (items + 1) / 2, "a reduction is right");

    std::vector<DeviceBuffer<std::int64_t>> buffers;
    std::vector<DeviceSpan<const std::int64_t>> spans;
    for (std::size_t i = 0; i < pool.device_count(); ++i) {
        buffers.emplace_back(items, pool.context_at(i));
        copy(buffers.back().span(), std::span<const std::int64_t>(numbers), pool.context_at(i).stream());
        spans.push_back(buffers.back().span());
    }
    pool.reduce_results<std::int64_t>(spans, ReduceOperation::sum, sum);
    expect(sum == static_cast<std::int64_t>(pool.device_count() * items * (items + 1) / 2), "all buffers come to one number");
    const DeviceBuffer<std::int64_t> sums = pool.reduce_results<std::int64_t>(spans, ReduceOperation::sum);
    std::vector<std::int64_t> back(items);
    copy(std::span(back), sums.span(), pool.context_at(0).stream());
    for (std::size_t i = 0; i < items; ++i) {
        expect(back[i] == static_cast<std::int64_t>(pool.device_count()) * numbers[i], "results are combined over all devices");
    }
}

std::vector<Scalar> scalars_up_to(std::size_t count) {
    std::vector<Scalar> scalars(count);
    for (std::size_t i = 0; i < count; ++i) scalars[i] = Scalar{{i + 1, i * i}};
    return scalars;
}

/// One transform and one tree, both in a slice on each device.
void visit_fields(const DevicePool& pool) {
    constexpr Curve curve = Curve::bn254;
    constexpr std::size_t slice = 2048;
    std::size_t size = slice;
    while (size < slice * pool.device_count()) size *= 2;
    const std::vector<Scalar> elements = scalars_up_to(size);
    std::vector<DeviceBuffer<Scalar>> slices;
    for (std::size_t i = 0, first = 0; i < pool.device_count(); first += slices[i].size(), ++i) {
        const bool is_last = i + 1 == pool.device_count();
        slices.emplace_back(is_last ? size - first : size / std::bit_ceil(pool.device_count()), pool.context_at(i));
        copy(slices[i].span(), std::span(elements).subspan(first, slices[i].size()), pool.context_at(i).stream());
    }
    std::vector<Scalar> expected(size);
    std::vector<Scalar> results(size);
    ntt<curve>(elements, NttDirection::forward, PooledNttDomain<curve>(DevicePool::host(), size), {}, expected);
    ntt<curve>(slices, NttDirection::forward, PooledNttDomain<curve>(pool, size), {.are_inputs_on_device = true}, results);
    expect(results == expected, "a transform in slices is right");

    expected.resize(1);
    results.resize(1);
    const auto poseidon_of = [](const DevicePool& own) { return PooledPoseidon<curve>(own, PoseidonVariant::poseidon2, 3); };
    poseidon_merkle_tree<curve>(elements, poseidon_of(DevicePool::host()), 1, {}, expected);
    poseidon_merkle_tree<curve>(slices, poseidon_of(pool), 1, {.are_inputs_on_device = true}, results);
    expect(results == expected, "a tree over leaves in slices is right");
}

void visit_graph(const DevicePool& pool) {
    std::vector<DeviceBuffer<std::uint32_t>> buffers;
    for (std::size_t i = 0; i < pool.device_count(); ++i) buffers.emplace_back(items, pool.context_at(i));
    pool.synchronize_all();
    PoolGraph graph(pool, [&](std::size_t index, const DeviceContext& context) {
        fill_async(buffers[index].span(), static_cast<std::uint32_t>(index) + 1, context.stream());
    });
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < pool.device_count(); ++i) fill(buffers[i].span(), 0U, pool.context_at(i).stream());
        pool.synchronize_all();
        graph.launch();
        graph.synchronize();
        for (std::size_t i = 0; i < pool.device_count(); ++i) {
            std::vector<std::uint32_t> back(items);
            copy(std::span(back), buffers[i].span(), pool.context_at(i).stream());
            expect(back == std::vector<std::uint32_t>(items, static_cast<std::uint32_t>(i) + 1), "a graph works on all devices");
        }
    }
}

void visit_quarantine(const DevicePool& pool) {
    if (pool.device_count() == 1) return;
    const int away = pool.devices().front();
    pool.quarantine(away, "tour");
    for (std::size_t i = 0; i < 2 * pool.device_count(); ++i) expect(pool.next_device() != away, "a quarantined device has no turn");
    expect(pool.quarantined().size() == 1, "a quarantine is told");
    pool.readmit(away);
    const PoolMetrics metrics = pool.metrics();
    expect(metrics.devices.size() == pool.device_count(), "every device has metrics");
    for (const DeviceMetrics& device : metrics.devices) {
        expect(device.launches > 0 && device.errors == 0 && device.in_flight == 0 && !device.quarantined,
               "metrics tell: " + to_string(metrics));
    }
    expect(!pool.fault(), "there was no fault");
}

}  // namespace

void tour(const DevicePool& pool) {
    visit_choices(pool);
    visit_work(pool);
    visit_msms(pool);
    visit_placed_msms(pool);
    visit_peers(pool);
    visit_reductions(pool);
    visit_fields(pool);
    visit_graph(pool);
    visit_quarantine(pool);
}

}  // namespace cupool::test
