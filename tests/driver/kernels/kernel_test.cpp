#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <functional>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr char scale_ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64

.visible .global .align 4 .u32 seen[7];

// Element by element, a thread each: to = factor * from.
.visible .entry scale(.param .u64 to, .param .u64 from, .param .u32 count, .param .f64 factor)
{
    .reg .pred %p<1>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    .reg .f64 %fd<3>;
    ld.param.u64 %rd0, [to];
    ld.param.u64 %rd1, [from];
    ld.param.u32 %r0, [count];
    ld.param.f64 %fd0, [factor];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p0, %r4, %r0;
    @%p0 bra done;
    mul.wide.u32 %rd2, %r4, 8;
    add.u64 %rd3, %rd0, %rd2;
    add.u64 %rd4, %rd1, %rd2;
    ld.global.f64 %fd1, [%rd4];
    mul.rn.f64 %fd2, %fd1, %fd0;
    st.global.f64 [%rd3], %fd2;
done:
    ret;
}

// The shape of the launch.
.visible .entry see()
{
    .reg .b32 %r<7>;
    mov.u32 %r0, %nctaid.x;
    mov.u32 %r1, %nctaid.y;
    mov.u32 %r2, %nctaid.z;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ntid.y;
    mov.u32 %r5, %ntid.z;
    mov.u32 %r6, %dynamic_smem_size;
    st.global.u32 [seen], %r0;
    st.global.u32 [seen+4], %r1;
    st.global.u32 [seen+8], %r2;
    st.global.u32 [seen+12], %r3;
    st.global.u32 [seen+16], %r4;
    st.global.u32 [seen+20], %r5;
    st.global.u32 [seen+24], %r6;
    ret;
}

.visible .entry nothing()
{
    ret;
}
)";

using ScaleKernel = Kernel<DeviceSpan<double>, DeviceSpan<const double>, std::uint32_t, double>;

ScaleKernel scale_kernel(const Module& module) {
    return module.kernel<DeviceSpan<double>, DeviceSpan<const double>, std::uint32_t, double>("scale");
}

}  // namespace

TEST_CASE("a kernel gets its arguments") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 1);
    const Module module(context.context(), scale_ptx);
    const ScaleKernel scale = scale_kernel(module);
    const std::vector<double> in{1, 2, 3, 4, 5};
    DeviceBuffer<double> from(5, context);
    DeviceBuffer<double> to(5, context);
    copy_async(from.span(), in, context.stream());
    scale.launch({1, 32}, context.stream(), to, from, 5, 2.5);
    std::vector<double> out(5);
    copy(out, to.span(), context.stream());
    CHECK(out == std::vector<double>{2.5, 5, 7.5, 10, 12.5});
}

TEST_CASE("a kernel without parameters is launched in three dimensions") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Module module(context.context(), scale_ptx);
    module.kernel<>("see").launch({Extent(2, 3, 4), Extent(8, 4, 2), 512}, context.stream());
    std::vector<std::byte> bytes(7 * sizeof(std::uint32_t));
    copy(bytes, module.global("seen"), context.stream());
    std::vector<std::uint32_t> seen(7);
    std::memcpy(seen.data(), bytes.data(), bytes.size());
    CHECK(seen == std::vector<std::uint32_t>{2, 3, 4, 8, 4, 2, 512});
}

TEST_CASE("spans and streams of other devices are refused, and both devices named") {
    Machine machine;
    const DeviceContext first = DeviceContext::for_device(machine.driver, 0);
    const DeviceContext second = DeviceContext::for_device(machine.driver, 1);
    const Module module(first.context(), scale_ptx);
    const ScaleKernel scale = scale_kernel(module);
    DeviceBuffer<double> here(5, first);
    DeviceBuffer<double> there(5, second);
    const std::uint64_t launches = machine.simulator.call_count("cuLaunchKernel");
    for (const auto& misuse : {std::function<void()>([&] {
                                   scale.launch({1, 32}, first.stream(), here, there, 5, 1.0);
                               }),
                               std::function<void()>([&] {
                                   scale.launch({1, 32}, second.stream(), here, here, 5, 1.0);
                               })}) {
        const Error error = error_of(misuse);
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK_THAT(error.what(), contains_text("device 0"));
        CHECK_THAT(error.what(), contains_text("device 1"));
        CHECK_THAT(error.what(), contains_text("kernel_test.cpp"));
    }
    CHECK(machine.simulator.call_count("cuLaunchKernel") == launches);
    // A span of nothing belongs to no device.
    CHECK_NOTHROW(scale.launch({1, 32}, first.stream(), here, DeviceSpan<const double>(), 0, 1.0));
    // A peer's memory is for those who say so.
    first.context().enable_peer_access(second.context());
    second.memory_pool().allow_access(0);
    const auto peers = module.kernel<DeviceSpan<double>, abi::DevicePointer, std::uint32_t, double>("scale");
    CHECK_NOTHROW(peers.launch({1, 32}, first.stream(), here, there.span().pointer(), 5, 1.0));
    first.stream().synchronize();
}

TEST_CASE("a launch that the driver refuses says what was launched") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Module module(context.context(), scale_ptx);
    machine.simulator.plan_fault("cuLaunchKernel", 1, 701);
    const Error error = error_of([&] { module.kernel<>("nothing").launch({7, 1024, 99}, context.stream()); });
    CHECK(error.category() == ErrorCategory::launch_failure);
    CHECK_THAT(error.what(), contains_text("nothing"));
    CHECK_THAT(error.what(), contains_text("7x1x1"));
    CHECK_THAT(error.what(), contains_text("1024x1x1"));
    CHECK_THAT(error.what(), contains_text("99 bytes"));
}

TEST_CASE("a kernel tells of itself") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Module module(context.context(), scale_ptx);
    const UntypedKernel kernel = module.untyped_kernel("nothing");
    CHECK(kernel.attribute(abi::FunctionAttribute::max_threads_per_block) > 0);
    CHECK(kernel.max_active_blocks(128) > 0);
    CHECK_NOTHROW(kernel.set_max_dynamic_shared_bytes(64 * 1024));
}

TEST_CASE("a device fault is a fault of every device, and the process's objects still go quietly") {
    Machine machine;
    {
        const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
        const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
        DeviceBuffer<int> buffer(10, context);
        buffer.record_use(StreamView(context.context()));
        const Module module(context.context(), scale_ptx);
        const Stream stream(other.context());
        machine.simulator.raise_device_fault(700);
        Error error = error_of([&] { module.kernel<>("nothing").launch({1, 1}, context.stream()); });
        CHECK(error.category() == ErrorCategory::device_fault);
        CHECK(is_sticky(*error.code()));
        error = error_of([&] { stream.synchronize(); });
        CHECK(error.category() == ErrorCategory::device_fault);
        CHECK(error.device() == 1);
    }
    machine.simulator.reset();
}
