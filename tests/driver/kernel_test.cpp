#include <algorithm>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <functional>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr char scale_ptx[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".visible .entry scale(.param .u64 to, .param .u64 from, .param .u32 count, .param .f64 factor)\n{\nret;\n}\n"
    ".visible .entry nothing()\n{\nret;\n}\n";

/// Runs on a thread of the simulator, where tests must not assert.
template <class T>
T parameter(const CupoolSimLaunch* launch, unsigned index) {
    T value;
    std::memcpy(&value, launch->parameters[index], sizeof(T));
    return value;
}

void run_scale(const CupoolSimLaunch* launch, void*) {
    const auto count = parameter<std::uint32_t>(launch, 2);
    const auto factor = parameter<double>(launch, 3);
    if (count == 0) {
        return;
    }
    auto* to = static_cast<double*>(launch->translate(launch, parameter<std::uint64_t>(launch, 0), count * sizeof(double)));
    const auto* from = static_cast<const double*>(launch->translate(launch, parameter<std::uint64_t>(launch, 1), count * sizeof(double)));
    if (to == nullptr || from == nullptr) {
        return;
    }
    const std::uint32_t threads = launch->grid[0] * launch->block[0];
    for (std::uint32_t index = 0; index < std::min(count, threads); ++index) {
        to[index] = factor * from[index];
    }
}

using ScaleKernel = Kernel<DeviceSpan<double>, DeviceSpan<const double>, std::uint32_t, double>;

ScaleKernel scale_kernel(const Module& module) {
    return module.kernel<DeviceSpan<double>, DeviceSpan<const double>, std::uint32_t, double>("scale");
}

}  // namespace

TEST_CASE("a kernel gets its arguments") {
    Machine machine;
    machine.simulator.register_kernel("scale", run_scale);
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
    static CupoolSimLaunch seen;
    machine.simulator.register_kernel("nothing", [](const CupoolSimLaunch* launch, void*) { seen = *launch; });
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Module module(context.context(), scale_ptx);
    module.kernel<>("nothing").launch({Extent(2, 3, 4), Extent(8, 4, 2), 512}, context.stream());
    context.stream().synchronize();
    CHECK(seen.grid[0] == 2);
    CHECK(seen.grid[1] == 3);
    CHECK(seen.grid[2] == 4);
    CHECK(seen.block[0] == 8);
    CHECK(seen.block[1] == 4);
    CHECK(seen.block[2] == 2);
    CHECK(seen.dynamic_shared_bytes == 512);
    CHECK(seen.parameter_count == 0);
}

TEST_CASE("spans and streams of other devices are refused, and both devices named") {
    Machine machine;
    machine.simulator.register_kernel("scale", run_scale);
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
