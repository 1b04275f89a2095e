#include "programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/graph.hpp>
#include <cupool/driver/library.hpp>
#include <cupool/driver/linker.hpp>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/pitched_buffer.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <cupool/driver/probe.hpp>
#include <cupool/driver/registered_host.hpp>
#include <cupool/driver/stream_capture.hpp>
#include <cupool/driver/virtual_memory.hpp>
#include <cupool/driver/volume_span.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <mutex>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "algorithm_programs.hpp"
#include "msm/device/msm_on_device.hpp"
#include "msm/digit_partitioned_msm.hpp"
#include "simulated_driver.hpp"

namespace cupool::test {

namespace {

constexpr int devices_of_machine = 2;
constexpr std::size_t count = 100;

std::vector<int> rising(int first) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

bool are_equal(std::span<const int> left, const std::vector<int>& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

/// Runs a job that writes to `result` when it succeeds. \throws std::logic_error where it has written although it failed
template <class T, class Job>
void run_unless_failed_write(T& result, const Job& job) {
    const T before = result;
    try {
        job();
    } catch (const Error&) {
        if (std::memcmp(&before, &result, sizeof result) != 0) throw std::logic_error("failed, and wrote a result");
        throw;
    }
}

// open and ask

bool open_driver(World&) {
    const auto driver = Driver::open(simulated_driver());
    const Device first(driver, 0);
    const Device second(driver, 1);
    return driver->version() == 13000 && device_count(*driver) == devices_of_machine && second.name() == "NVIDIA H200" &&
           first.uuid() != second.uuid() && first.pci_bus_id() != second.pci_bus_id() && first.total_memory() == 150'754'820'096 &&
           first.compute_capability() == Device::ComputeCapability{9, 0} && first.multiprocessor_count() == 132 &&
           first.can_access_peer(second);
}

bool probe_devices(World&) {
    const ProbeReport report = probe(simulated_driver());
    if (report.reason != Reason::none) {
        std::ostringstream text;
        text << report;
        throw Error(ErrorCategory::internal, text.str());
    }
    return report.usable_device_count() == devices_of_machine && report.devices[1].name == "NVIDIA H200" && !report.failed;
}

bool open_pool(World& world) {
    const int second_first[] = {1, 0};
    const DevicePool pool = DevicePool::with_devices(world.driver(), second_first);
    return world.pool().device_count() == devices_of_machine && pool.device_at(0) == 1 && pool.context_at(0).device() == 1 &&
           pool.context(0).device() == 0 && pool.next_device() == 1 && pool.next_device() == 0;
}

bool make_context(World& world) {
    const Context created(Device(world.driver(), 0));
    const DeviceContext context = DeviceContext::in(created);
    DeviceBuffer<int> buffer(count, context);
    const auto back = world.host<int>(count);
    copy(buffer.span(), world.host(rising(5)), context.stream());
    copy(back, buffer.span(), context.stream());
    context.context().synchronize();
    return are_equal(back, rising(5)) && context.context().memory_info().total > 0;
}

// allocate

bool allocate(World& world) {
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    const MemoryPool pool(device.context());
    pool.view().set_release_threshold(4096);
    const DeviceContext own = device.with_stream(stream).with_memory_pool(pool);
    DeviceBuffer<int> pooled(count, own);
    DeviceBuffer<int> plain(count, own.with_memory_pool({}));
    PinnedBuffer<int> pinned(count, device.context());
    const bool counted = pool.view().used() >= count * sizeof(int) && pool.view().reserved() >= pool.view().used();
    fill_bytes_async(pooled.span(), 1, stream);
    copy_async(plain.span(), pooled.span(), stream);
    copy(pinned.span(), plain.span(), stream);
    pool.view().trim_to(0);
    return counted && are_equal(pinned.span(), std::vector<int>(count, 0x01010101));
}

bool free_after_use(World& world) {
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    const Stream other(device.context());
    const auto back = world.host<int>(count);
    {
        DeviceBuffer<int> pooled(count, device.with_stream(stream));
        DeviceBuffer<int> plain(count, device.with_stream(stream).with_memory_pool({}));
        PinnedBuffer<int> pinned(count, device.context());
        std::iota(pinned.span().begin(), pinned.span().end(), 9);
        copy_async(pooled.span(), pinned.span(), stream);
        Event copied(device.context());
        copied.record(stream);
        other.wait(copied);
        copy_async(plain.span(), pooled.span(), other);
        copy_async(back, plain.span(), other);
        pooled.record_use(other);
        plain.record_use(other);
        pinned.record_use(other);
    }
    other.synchronize();
    stream.synchronize();
    return are_equal(back, rising(9));
}

bool use_host_and_managed_memory(World& world) {
    const DeviceContext& device = world.device(0);
    const StreamView stream = device.stream();
    const std::span<int> own = world.host(rising(3));
    RegisteredHost<int> registered(own, device.context());
    ManagedBuffer<int> managed(count, device.context());
    managed.advise_location(0);
    managed.prefetch_async(stream);
    PitchedBuffer<int> rows(count / 10, 10, device.context());
    copy_async<int>(rows.span(), registered.span(), stream);
    copy_async<int>(managed.span(), rows.span(), stream);
    copy_async<int>(managed.span(), VolumeSpan<int>(rows.span(), 5), stream);
    fill_async(registered.device_span().subspan(0, 1), 77, stream);
    registered.record_use(stream);
    managed.record_use(stream);
    stream.synchronize();
    const PointerInfo info = pointer_info(device.context(), managed.data());
    return are_equal(managed.span(), rising(3)) && own[0] == 77 && info.kind == MemoryKind::managed && info.device == 0 &&
           managed.advised_location() == 0 && managed.prefetched_location() == 0;
}

/// What is open until this goes.
struct FileDescriptor {
    explicit FileDescriptor(int own_number) : number(own_number) {}
    ~FileDescriptor() { ::close(number); }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    int number;
};

bool map_memory(World& world) {
    const DeviceContext& device = world.device(0);
    const std::size_t unit = allocation_granularity(device.context());
    const AddressRange range(device.context(), 2 * unit);
    const PhysicalMemory shareable(device.context(), unit, {.is_shareable = true});
    const FileDescriptor exported(shareable.export_file_descriptor());
    const MemoryMapping first(range, 0, PhysicalMemory::import_file_descriptor(device.context(), exported.number, unit));
    const MemoryMapping second(range, unit, PhysicalMemory(device.context(), unit));
    first.allow_access(0);
    second.allow_access(0);
    const auto back = world.host<int>(count);
    copy(second.span<int>().subspan(0, count), std::span<const int>(world.host(rising(4))), device.stream());
    copy(first.span<int>().subspan(0, count), second.span<int>().subspan(0, count), device.stream());
    copy(back, first.span<int>().subspan(0, count), device.stream());
    return are_equal(back, rising(4)) && second.access(0) == abi::MemoryAccess::read_write;
}

// copy

bool copy_between_devices(World& world) {
    const DeviceContext& first = world.device(0);
    const DeviceContext& second = world.device(1);
    first.context().enable_peer_access(second.context());
    second.memory_pool().allow_access(0);
    DeviceBuffer<int> here(count, first);
    DeviceBuffer<int> there(count, second);
    const auto back = world.host<int>(count);
    copy(here.span(), world.host(rising(3)), first.stream());
    Event allocated(second.context());
    allocated.record(second.stream());
    first.stream().wait(allocated);
    copy_peer_async(there.span(), second.context(), here.span(), first.context(), first.stream());
    there.record_use(first.stream());
    Event copied(first.context());
    copied.record(first.stream());
    second.stream().wait(copied);
    copy(back, there.span(), second.stream());
    first.stream().synchronize();  // a device that is lost tells so on its own streams
    return are_equal(back, rising(3));
}

// streams and events

bool order_streams(World& world) {
    const DeviceContext& device = world.device(1);
    const Stream first(device.context());
    const Stream second(device.context(), {-1, abi::StreamFlags::non_blocking});
    EventOptions timing;
    timing.timing = true;
    Event start(device.context(), timing);
    Event end(device.context(), timing);
    const auto order = world.host<int>(3);
    first.launch_host_function([order] { order[0] = 1; });
    start.record(first);
    second.wait(start);
    second.launch_host_function([order] { order[1] = order[0] + 1; });
    end.record(second);
    first.wait(end);
    first.launch_host_function([order] { order[2] = order[1] + 1; });
    first.query();
    end.query();
    end.synchronize();
    first.synchronize();
    second.synchronize();
    return order[0] == 1 && order[1] == 2 && order[2] == 3 && elapsed_milliseconds(start, end) >= 0;
}

/// Asks for all that contexts and streams tell, and hands a value from stream to stream.
bool ask_and_hand_over(World& world) {
    const Device device(world.driver(), 1);
    const Context created(device, abi::ContextFlags::schedule_yield);
    const ContextView context = created;
    context.set_limit(abi::ContextLimit::stack_bytes, 2048);
    context.set_cache_config(abi::CacheConfig::prefer_l1);
    const Stream first(context, {-1, abi::StreamFlags::non_blocking});
    const Stream second(context);
    DeviceBuffer<std::uint32_t> word(1, DeviceContext::in(context).with_stream(first));
    fill_bytes_async(word.span(), 0, first);
    first.synchronize();
    first.view().write_value(word.span(), 2);
    second.view().wait_value(word.span(), 2);
    word.record_use(second);
    second.synchronize();
    return context.flags() == static_cast<unsigned>(abi::ContextFlags::schedule_yield) && context.id() > 0 && context.api_version() > 0 &&
           context.limit(abi::ContextLimit::stack_bytes) == 2048 && context.cache_config() == abi::CacheConfig::prefer_l1 &&
           first.view().priority() == -1 && first.view().flags() == abi::StreamFlags::non_blocking && first.view().id() > 0 &&
           first.view().context_by_driver() == context.handle() && PrimaryContext::state(device).flags == abi::ContextFlags::schedule_auto;
}

// modules and launches

constexpr char scale_ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset;
.visible .entry scale(.param .u64 to, .param .u64 from, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %d<7>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra done;
    ld.param.u64 %d1, [to];
    ld.param.u64 %d2, [from];
    mul.wide.u32 %d3, %r4, 4;
    add.s64 %d4, %d2, %d3;
    ld.global.u32 %r6, [%d4];
    ld.global.u32 %r7, [offset];
    mad.lo.u32 %r8, %r6, 3, %r7;
    add.s64 %d5, %d1, %d3;
    st.global.u32 [%d5], %r8;
done:
    ret;
}
)";

bool launch(World& world) {
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    const Module module(device.context(), scale_ptx);
    const auto kernel = module.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale");
    const DeviceSpan<std::byte> offset = module.global("offset");
    fill_bytes_async(offset, 0, stream);
    kernel.set_max_dynamic_shared_bytes(1024);
    const bool can_run = kernel.attribute(abi::FunctionAttribute::max_threads_per_block) >= 32 && kernel.max_active_blocks(32) > 0;
    DeviceBuffer<int> from(count, device.with_stream(stream));
    DeviceBuffer<int> to(count, device.with_stream(stream));
    const auto back = world.host<int>(count);
    copy_async(from.span(), world.host(rising(1)), stream);
    kernel.launch({(count + 31) / 32, 32}, stream, to.span(), from.span(), static_cast<std::uint32_t>(count));
    copy(back, to.span(), stream);
    bool is_right = can_run && offset.size() == sizeof(int);
    for (std::size_t i = 0; i < count; ++i) is_right = is_right && back[i] == 3 * static_cast<int>(i + 1);
    return is_right;
}

// algorithms on one device

constexpr int sum_of_rising = count * (count + 1) / 2;

bool reduce_on_device(World& world) {
    const DeviceContext& device = world.device(0);
    DeviceBuffer<int> input(count, device);
    copy(input.span(), world.host(rising(1)), device.stream());
    int sum = -1;
    run_unless_failed_write(sum, [&] { reduce<int>(Operand<int>(input.span()), ReduceOperation::sum, device, sum); });
    DeviceBuffer<int> doubled(count, device);
    copy_async(doubled.span(), input.span(), device.stream());
    combine_elements<int>(doubled.span(), input.span(), ReduceOperation::sum, device);
    int largest = -1;
    run_unless_failed_write(largest, [&] { reduce<int>(Operand<int>(doubled.span()), ReduceOperation::max, device, largest); });
    return sum == sum_of_rising && largest == 2 * static_cast<int>(count);
}

template <Curve C>
struct MsmInput {
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> points;
    AffinePoint<C> sum;
};

/// Of points (i + 1) * G with scalars i + 2, whose sum has a closed form.
template <Curve C>
const MsmInput<C>& msm_input() {
    static const MsmInput<C> input = [] {
        constexpr std::uint64_t terms = 5;
        MsmInput<C> made;
        made.points = generator_multiples<C>(1, terms);
        Scalar factor;
        for (std::uint64_t i = 0; i < terms; ++i) {
            made.scalars.push_back({{i + 2, 0, 0, 0}});
            factor.limbs[0] += (i + 1) * (i + 2);
        }
        made.sum = multiply(generator<C>(), factor);
        return made;
    }();
    return input;
}

MsmConfig small_config() {
    MsmConfig config;
    config.c = 4;
    config.bitsize = 4;
    return config;
}

template <Curve C>
JacobianPoint<C> no_result() {
    JacobianPoint<C> result;
    result.x.limbs[0] = 12345;
    return result;
}

template <Curve C>
bool msm_on_device(World& world) {
    const MsmInput<C>& input = msm_input<C>();
    MsmConfig config = small_config();
    config.ctx = world.device(0);
    JacobianPoint<C> result = no_result<C>();
    run_unless_failed_write(
        result, [&] { msm<C>(std::span<const Scalar>(input.scalars), std::span<const AffinePoint<C>>(input.points), config, result); });
    return to_affine(result) == input.sum;
}

/// Its operands are fed in several chunks, beside the work.
bool msm_fed(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    MsmConfig config = small_config();
    config.ctx = world.device(0);
    JacobianPoint<C> result = no_result<C>();
    const detail::DeviceMsmJob<C> job{.scalars = std::span<const Scalar>(input.scalars),
                                      .bases = std::span<const AffinePoint<C>>(input.points),
                                      .term_count = input.points.size(),
                                      .width = 4};
    run_unless_failed_write(
        result, [&] { detail::msm_on_device<C>(job, config, std::span(&result, 1), {.min_pipelined_bytes = 1, .min_chunk_terms = 1}); });
    return to_affine(result) == input.sum;
}

/// Its result stays on the device, where a copy queued behind it finds it.
bool msm_queued(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    MsmConfig config = small_config();
    config.ctx = device.with_stream(stream);
    config.are_results_on_device = true;
    config.is_async = true;
    const detail::DeviceMsmJob<C> job{.scalars = std::span<const Scalar>(input.scalars),
                                      .bases = std::span<const AffinePoint<C>>(input.points),
                                      .term_count = input.points.size(),
                                      .width = 4};
    DeviceBuffer<JacobianPoint<C>> result(1, config.ctx);
    const auto back = world.host<JacobianPoint<C>>(1);
    detail::msm_on_device<C>(job, config, result.span());
    copy(back, result.span(), stream);
    return to_affine(back[0]) == input.sum;
}

/// Two MSMs over bases prepared in two tables.
bool msm_over_prepared_bases(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    PrepareConfig prepare;
    prepare.ctx = world.device(0);
    prepare.precompute_factor = 2;
    prepare.c = 4;
    prepare.bitsize = 4;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(input.points), prepare);
    std::vector<Scalar> scalars = input.scalars;
    scalars.insert(scalars.end(), input.scalars.begin(), input.scalars.end());
    MsmConfig config = small_config();
    config.ctx = world.device(0);
    std::vector<JacobianPoint<C>> results(2, no_result<C>());
    run_unless_failed_write(results[1], [&] { msm<C>(std::span<const Scalar>(scalars), bases, config, std::span(results)); });
    return to_affine(results[0]) == input.sum && to_affine(results[1]) == input.sum;
}

/// Two MSMs, for which the points are brought once.
bool msms_over_same_points(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    std::vector<Scalar> scalars = input.scalars;
    scalars.insert(scalars.end(), input.scalars.begin(), input.scalars.end());
    MsmConfig config = small_config();
    config.ctx = world.device(0);
    std::vector<JacobianPoint<C>> results(2, no_result<C>());
    run_unless_failed_write(results[1], [&] {
        msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(input.points), config, std::span(results));
    });
    return to_affine(results[0]) == input.sum && to_affine(results[1]) == input.sum;
}

// algorithms over a pool

bool msm_over_pool(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    JacobianPoint<C> result = no_result<C>();
    RunReport report;
    run_unless_failed_write(
        result, [&] { report = world.pool().msm<C>(input.scalars, input.points, small_config(), result, MsmSpread::all_devices); });
    return to_affine(result) == input.sum && report.devices == world.pool().devices();
}

/// Each device sums some of the windows, and hands its terms on to the other.
bool msm_by_windows(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    JacobianPoint<C> result = no_result<C>();
    RunReport report;
    run_unless_failed_write(
        result, [&] { report = world.pool().msm<C>(input.scalars, input.points, small_config(), result, MsmSpread::digit_partition); });
    return to_affine(result) == input.sum && report.devices == world.pool().devices();
}

/// The same in several chunks.
bool msm_by_windows_in_chunks(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    const PeerManager peers(world.pool());
    const auto copy_between = [&](std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                                  std::size_t bytes, StreamView stream) {
        peers.copy_async<std::byte>({to_pointer, bytes, static_cast<int>(to)}, {from_pointer, bytes, static_cast<int>(from)}, stream);
    };
    const std::span<const Scalar> scalars(input.scalars);
    const std::span<const AffinePoint<C>> points(input.points);
    const std::vector<detail::DeviceTerms<C>> terms{{0, world.pool().context_at(0), scalars.first(3), points.first(3)},
                                                    {1, world.pool().context_at(1), scalars.subspan(3), points.subspan(3)}};
    detail::DigitPartitionedMsm<C> msm(terms, copy_between, small_config(), 4, {.max_chunk_terms = 3});
    return to_affine(msm.run()) == input.sum;
}

/// One whole on each device, and one that both share.
bool msms_over_pool(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    std::vector<Scalar> scalars;
    for (int i = 0; i < 3; ++i) scalars.insert(scalars.end(), input.scalars.begin(), input.scalars.end());
    std::vector<JacobianPoint<C>> results(3, no_result<C>());
    run_unless_failed_write(
        results[0], [&] { world.pool().msm<C>(scalars, input.points, small_config(), std::span(results), MsmSpread::all_devices); });
    return std::all_of(results.begin(), results.end(), [&](const JacobianPoint<C>& result) { return to_affine(result) == input.sum; });
}

/// Two MSMs over bases divided among the devices, and whole on each.
bool prepared_msm_over_pool(World& world) {
    constexpr Curve C = Curve::bn254;
    const MsmInput<C>& input = msm_input<C>();
    PrepareConfig config;
    config.c = 4;
    config.bitsize = 4;
    std::vector<Scalar> scalars = input.scalars;
    scalars.insert(scalars.end(), input.scalars.begin(), input.scalars.end());
    bool is_right = true;
    for (const MsmSpread spread : {MsmSpread::all_devices, MsmSpread::one_device}) {
        const PooledBases<C> bases = world.pool().prepare<C>(input.points, config, spread);
        std::vector<JacobianPoint<C>> results(2, no_result<C>());
        run_unless_failed_write(results[0], [&] { world.pool().msm<C>(scalars, bases, MsmConfig{}, std::span(results), spread); });
        for (const JacobianPoint<C>& result : results) is_right = is_right && to_affine(result) == input.sum;
        is_right = is_right && bases.devices() == world.pool().devices();
    }
    return is_right;
}

bool reduce_over_pool(World& world) {
    int smallest = -1;
    const auto input = world.host(rising(-7));
    run_unless_failed_write(
        smallest, [&] { world.pool().reduce<int>(std::span<const int>(input.data(), input.size()), ReduceOperation::min, smallest); });
    return smallest == -7;
}

bool reduce_results_over_pool(World& world) {
    const DeviceContext& first = world.pool().context(0);
    const DeviceContext& second = world.pool().context(1);
    DeviceBuffer<int> here(count, first);
    DeviceBuffer<int> there(count, second);
    copy(here.span(), world.host(rising(1)), first.stream());
    copy(there.span(), world.host(rising(1000)), second.stream());
    const DeviceSpan<const int> buffers[] = {here.span(), there.span()};
    const DeviceBuffer<int> sums = world.pool().reduce_results<int>(buffers, ReduceOperation::sum);
    const auto back = world.host<int>(count);
    copy(back, sums.span(), first.stream());
    bool is_right = sums.device() == 0;
    for (std::size_t i = 0; i < count; ++i) is_right = is_right && back[i] == 1001 + 2 * static_cast<int>(i);
    return is_right;
}

/// Its own pool, which opens the devices: without those that fail, of which it must tell.
bool leave_out_of_pool(World& world) {
    const DevicePool pool = DevicePool::all(world.driver(), UnusableDevices::exclude);
    bool is_right = pool.device_count() + pool.excluded_devices().size() == devices_of_machine && !pool.identities()[0].uuid.empty();
    for (const ExcludedDevice& device : pool.excluded_devices()) is_right = is_right && !device.why.empty();
    return is_right && pool.submit([](const DeviceContext& context) { return context.device(); }).get() < devices_of_machine;
}

bool submit_to_pool(World& world) {
    const DevicePool& pool = world.pool();
    const auto device_of = [](const DeviceContext& context) { return context.device(); };
    std::future<int> last = pool.submit_at(1, device_of);
    std::future<int> chosen = pool.submit(device_of);
    last.wait();
    const int any = chosen.get();
    const auto totals = world.host<int>(devices_of_machine);
    pool.for_each_device([totals, input = world.host(rising(1))](std::size_t index, const DeviceContext& context) {
        DeviceBuffer<int> buffer(count, context);
        copy(buffer.span(), input, context.stream());
        reduce<int>(Operand<int>(buffer.span()), ReduceOperation::sum, context, totals[index]);
    });
    pool.synchronize_all();
    const int roomiest = pool.best_available_device(count);
    return last.get() == 1 && any >= 0 && any < devices_of_machine && roomiest >= 0 && roomiest < devices_of_machine &&
           totals[0] == sum_of_rising && totals[1] == sum_of_rising;
}

/// to[i] = offset + i, for i below count.
constexpr char number_ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry number(.param .u64 to, .param .u64 offset, .param .u64 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<8>;
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %d1, %r1;
    ld.param.u64 %d2, [count];
    setp.ge.u64 %p1, %d1, %d2;
    @%p1 bra done;
    ld.param.u64 %d3, [to];
    ld.param.u64 %d4, [offset];
    add.u64 %d5, %d1, %d4;
    cvt.u32.u64 %r2, %d5;
    shl.b64 %d6, %d1, 2;
    add.u64 %d7, %d3, %d6;
    st.global.u32 [%d7], %r2;
done:
    ret;
}
)";

bool partition_launch(World& world) {
    const DevicePool& pool = world.pool();
    std::vector<DeviceBuffer<int>> slices;
    for (std::size_t i = 0; i < devices_of_machine; ++i) slices.emplace_back(count, pool.context_at(i));
    std::vector<Partition> parts;
    std::mutex mutex;
    const RunReport report =
        pool.launch_partitioned(
                "number", number_ptx, count,
                [&](const Partition& part) {
                    const std::lock_guard lock(mutex);
                    parts.push_back(part);
                    return PartitionLaunch{LaunchShape{1, static_cast<unsigned>(part.count)}, std::tuple{slices[part.index].span()}};
                })
            .get();
    const auto back = world.host<int>(count);
    for (const Partition& part : parts) {
        copy(back.subspan(part.offset, part.count), slices[part.index].span().subspan(0, part.count), part.context.stream());
    }
    return parts.size() == devices_of_machine && report.devices == pool.devices() && are_equal(back, rising(0));
}

bool submit_kernel_to_pool(World& world) {
    const KernelWork work{
        number_ptx,
        "number",
        {1, count},
        {KernelOperand::output<int>(count), KernelOperand::value(std::uint64_t{5}), KernelOperand::value(std::uint64_t{count})}};
    return world.pool().submit_kernel(work).get().array<int>(0) == rising(5);
}

// graphs and launches with options

/// Captured once, launched twice, given other values and launched again.
bool launch_graph(World& world) {
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    const Module module(device.context(), scale_ptx);
    const auto kernel = module.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale");
    const DeviceContext own = device.with_stream(stream);
    DeviceBuffer<int> from(count, own);
    DeviceBuffer<int> to(count, own);
    const auto input = world.host(rising(0));
    const auto back = world.host<int>(count);
    const auto calls = world.host<int>(1);
    fill_bytes_async(module.global("offset"), 0, stream);
    stream.synchronize();
    const LaunchShape shape{4, 32};
    StreamCapture capture(stream);
    copy_async(from.span(), std::span<const int>(input), stream);
    kernel.launch(shape, stream, to.span(), from.span(), count);
    copy_async(back, to.span(), stream);
    stream.launch_host_function([calls] { ++calls[0]; });
    Graph graph = capture.end();
    GraphExec exec = graph.instantiate();
    exec.upload(stream);
    exec.launch(stream);
    exec.launch(stream);
    stream.synchronize();
    bool is_right = calls[0] == 2 && graph.nodes().size() == 4;
    for (std::size_t i = 0; i < count; ++i) is_right = is_right && back[i] == 3 * static_cast<int>(i);
    std::copy_n(rising(1).begin(), count, input.begin());
    StreamCapture again(stream);
    copy_async(from.span(), std::span<const int>(input), stream);
    kernel.launch(shape, stream, to.span(), from.span(), count - 1);
    copy_async(back, to.span(), stream);
    stream.launch_host_function([calls] { calls[0] += 10; });
    const bool is_updated = static_cast<bool>(exec.try_update(again.end()));
    exec.launch(stream);
    stream.synchronize();
    return is_right && is_updated && back[0] == 3 && back[count - 1] == 3 * static_cast<int>(count - 1) && calls[0] == 12;
}

/// One graph of both devices' work, launched twice with different input.
bool launch_pool_graph(World& world) {
    struct Part {
        Module module;
        Kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t> scale;
        DeviceBuffer<int> from;
        DeviceBuffer<int> to;
        std::span<int> back;
    };
    std::vector<Part> parts;
    for (const DeviceContext& context : world.pool()) {
        Module module(context.context(), scale_ptx);
        auto scale = module.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale");
        fill_bytes_async(module.global("offset"), 0, context.stream());
        parts.push_back({std::move(module), scale, {count, context}, {count, context}, world.host<int>(count)});
        context.stream().synchronize();
    }
    const auto input = world.host<int>(count);
    PoolGraph graph(world.pool(), [&](std::size_t index, const DeviceContext& context) {
        Part& part = parts[index];
        copy_async(part.from.span(), std::span<const int>(input), context.stream());
        part.scale.launch({4, 32}, context.stream(), part.to.span(), part.from.span(), count);
        copy_async(part.back, part.to.span(), context.stream());
    });
    bool is_right = graph.devices() == world.pool().devices();
    for (const int first : {1, 7}) {
        std::copy_n(rising(first).begin(), count, input.begin());
        graph.launch();
        for (Part& part : parts) {
            part.from.record_use(graph.stream());
            part.to.record_use(graph.stream());
        }
        graph.synchronize();
        for (const Part& part : parts) is_right = is_right && part.back[0] == 3 * first && part.back[count - 1] == 3 * (first + 99);
    }
    return is_right;
}

bool build_graph(World& world) {
    const DeviceContext& device = world.device(1);
    const Stream stream(device.context());
    const Module module(device.context(), scale_ptx);
    const auto kernel = module.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale");
    DeviceBuffer<int> from(count, device.with_stream(stream));
    DeviceBuffer<int> to(count, device.with_stream(stream));
    const auto back = world.host<int>(count);
    const auto calls = world.host<int>(1);
    Event done(device.context());
    Graph graph(device.context());
    const GraphNode filled = graph.add_fill(from.span(), 4);
    const GraphNode offset = graph.add_fill(DeviceSpan<int>(module.global("offset").pointer(), 1, 1), 1);
    const GraphNode scaled = graph.add_kernel(kernel, {4, 32}, {filled, offset}, to.span(), from.span(), std::uint32_t{count});
    const GraphNode copied = graph.add_copy(back, to.span(), {scaled});
    const GraphNode called = graph.add_host_function([calls] { ++calls[0]; }, {copied});
    graph.add_event_record(done, {called});
    Graph parent(device.context());
    parent.add_child(graph, {parent.add_empty()});
    GraphExec exec = parent.instantiate();
    exec.launch(stream);
    done.synchronize();
    GraphExec inner = graph.instantiate();
    inner.set_kernel(scaled, kernel, {4, 32}, from.span(), from.span(), std::uint32_t{count});
    inner.launch(stream);
    stream.synchronize();
    return back[0] == 13 && back[count - 1] == 13 && calls[0] == 2 && graph.type_of(scaled) == abi::GraphNodeType::kernel &&
           graph.dependencies_of(scaled).size() == 2;
}

bool launch_with_options(World& world) {
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    const Module module(device.context(), scale_ptx);
    const auto kernel = module.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale");
    DeviceBuffer<int> buffer(count, device.with_stream(stream));
    const auto back = world.host<int>(count);
    fill_bytes_async(module.global("offset"), 0, stream);
    copy_async(buffer.span(), std::span<const int>(world.host(rising(0))), stream);
    LaunchOptions options;
    options.cooperative = true;
    kernel.launch_with(options, {4, 32}, stream, buffer.span(), buffer.span(), count);
    options.priority = -1;
    kernel.launch_with(options, {4, 32}, stream, buffer.span(), buffer.span(), count);
    copy(back, buffer.span(), stream);
    return kernel.potential_block_size().block > 0 && back[1] == 9 && back[count - 1] == 9 * static_cast<int>(count - 1);
}

/// Modules without a context, and links.
bool load_libraries(World& world) {
    const DeviceContext& device = world.device(0);
    const Stream stream(device.context());
    const Library library(world.driver(), scale_ptx);
    Linker linker(device.context());
    linker.add(scale_ptx);
    const Module linked(device.context(), linker.complete());
    DeviceBuffer<int> buffer(count, device.with_stream(stream));
    const auto back = world.host<int>(count);
    fill_bytes_async(library.global("offset", device.context()), 0, stream);
    fill_bytes_async(linked.global("offset"), 0, stream);
    copy_async(buffer.span(), std::span<const int>(world.host(rising(0))), stream);
    library.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale", device.context())
        .launch({4, 32}, stream, buffer.span(), buffer.span(), count);
    linked.kernel<DeviceSpan<int>, DeviceSpan<const int>, std::uint32_t>("scale").launch({4, 32}, stream, buffer.span(), buffer.span(),
                                                                                         count);
    copy(back, buffer.span(), stream);
    return linked.kernel_names().size() == 1 && library.kernel_names().size() == 1 && back[1] == 9;
}

// teardown

/// Objects that are moved, replaced and destroyed in another order than they were made, some while work for them is under way.
bool tear_down(World& world) {
    const DeviceContext& device = world.device(0);
    const auto back = world.host<int>(count);
    auto stream = std::make_unique<Stream>(device.context());
    auto module = std::make_unique<Module>(device.context(), scale_ptx);
    DeviceBuffer<int> kept(count, device.with_stream(*stream));
    {
        DeviceBuffer<int> first(count, device.with_stream(*stream));
        copy_async(first.span(), world.host(rising(2)), *stream);
        copy_async(kept.span(), first.span(), *stream);
        kept = std::move(first);
    }
    copy_async(back, kept.span(), *stream);
    Event before(device.context());
    Event after(device.context());
    before.record(*stream);
    after.record(*stream);
    before = std::move(after);
    PinnedBuffer<int> pinned(count, device.context());
    pinned = PinnedBuffer<int>(2 * count, device.context());
    *module = Module(device.context(), scale_ptx);
    module.reset();
    stream.reset();
    before.synchronize();
    kept = {};
    return are_equal(back, rising(2));
}

/// Directly, and through the host's memory. A manager of its own each time: what has been found out of a pair is kept.
bool exchange_between_devices(World& world) {
    const auto back = world.host<int>(count);
    bool is_right = true;
    for (const bool allows_direct : {true, false}) {
        const PeerManager peers(world.pool(), {.chunk_bytes = 150, .chunks = 2, .allows_direct = allows_direct});
        DeviceBuffer<int> here(count, world.device(0));
        DeviceBuffer<int> there(count, world.device(1));
        copy(here.span(), std::span<const int>(world.host(rising(6))), here.stream());
        there.stream().synchronize();
        peers.copy<int>(there.span(), here.span());
        copy(back, there.span(), there.stream());
        is_right = is_right && are_equal(back, rising(6));
        peers.create_buffer<int>("numbers", count, 1);
        is_right = is_right && peers.buffer<int>("numbers", 0).size() == count;
    }
    return is_right;
}

constexpr Program all_programs[] = {
    {.name = "open a driver", .run = open_driver},
    {.name = "probe", .run = probe_devices, .explains = true},
    {.name = "open a pool", .run = open_pool},
    {.name = "make a context", .run = make_context},
    {.name = "allocate", .run = allocate},
    {.name = "free after use", .run = free_after_use},
    {.name = "use host and managed memory", .run = use_host_and_managed_memory},
    {.name = "map memory", .run = map_memory},
    {.name = "copy between devices", .run = copy_between_devices},
    {.name = "exchange between devices", .run = exchange_between_devices, .crosses_devices = true},
    {.name = "order streams", .run = order_streams},
    {.name = "ask and hand over", .run = ask_and_hand_over},
    {.name = "launch", .run = launch},
    {.name = "tear down", .run = tear_down},
    {.name = "launch a graph", .run = launch_graph},
    {.name = "build a graph", .run = build_graph},
    {.name = "launch a graph of a pool", .run = launch_pool_graph, .cost = 2},
    {.name = "launch with options", .run = launch_with_options},
    {.name = "load libraries", .run = load_libraries},
    {.name = "reduce", .run = reduce_on_device, .cost = 2},
    {.name = "reduce over a pool", .run = reduce_over_pool, .cost = 2},
    {.name = "reduce_results over a pool", .run = reduce_results_over_pool, .cost = 2},
    {.name = "reduce segments", .run = reduce_segments_on_device, .cost = 6},
    {.name = "transform", .run = transform_on_device, .cost = 12},
    {.name = "operate on scalars", .run = operate_on_scalars, .cost = 6},
    {.name = "reduce over a pool's devices collectively", .run = reduce_collectively, .cost = 4, .crosses_devices = true},
    {.name = "share out work", .run = share_out_work},
    {.name = "compute on the host", .run = compute_on_host},
    {.name = "describe devices", .run = describe_devices},
    {.name = "leave devices out of a pool", .run = leave_out_of_pool, .explains = true},
    {.name = "submit to a pool", .run = submit_to_pool, .cost = 2},
    {.name = "partition a launch", .run = partition_launch, .cost = 2},
    {.name = "submit a kernel's work to a pool", .run = submit_kernel_to_pool, .cost = 2},
    {.name = "msm bn254", .run = msm_on_device<Curve::bn254>, .cost = 15},
    {.name = "msm queued", .run = msm_queued, .cost = 15},
    {.name = "msm fed in chunks", .run = msm_fed, .cost = 30},
    {.name = "msm over prepared bases", .run = msm_over_prepared_bases, .cost = 30},
    {.name = "msms over the same points", .run = msms_over_same_points, .cost = 20},
    {.name = "msm over a pool", .run = msm_over_pool, .cost = 20},
    {.name = "msm by windows", .run = msm_by_windows, .cost = 30, .crosses_devices = true},
    {.name = "msm by windows in chunks", .run = msm_by_windows_in_chunks, .cost = 60, .crosses_devices = true},
    {.name = "msms over a pool", .run = msms_over_pool, .cost = 40},
    {.name = "msm over prepared bases of a pool", .run = prepared_msm_over_pool, .cost = 200},
    {.name = "msm bls12-381", .run = msm_on_device<Curve::bls12_381>, .cost = 40, .on_demand = true},
    {.name = "msm bls12-377", .run = msm_on_device<Curve::bls12_377>, .cost = 40, .on_demand = true},
};

}  // namespace

std::span<const Program> programs() { return all_programs; }

}  // namespace cupool::test
