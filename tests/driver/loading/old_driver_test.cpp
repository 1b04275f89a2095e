// What an old driver lacks is a typed error that names what is needed and what was found; all else works.
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/graph.hpp>
#include <cupool/driver/green_context.hpp>
#include <cupool/driver/library.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <cupool/driver/stream_capture.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr char nothing_ptx[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing(.param .u32 p)\n{\nret;\n}\n";

void check_lacks(const Error& error, const std::string& call, const std::string& need, const std::string& found) {
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(error.call() == call);
    CHECK_THAT(error.what(), contains_text(call + " needs a driver of CUDA " + need + " or newer"));
    CHECK_THAT(error.what(), contains_text("is of CUDA " + found));
}

}  // namespace

TEST_CASE("a driver of 11.2 lacks libraries, launch attributes and more, and says so") {
    Machine machine(std::vector<SimulatedDevice>(1), 11020);
    const Device device(machine.driver, 0);
    const PrimaryContext context = PrimaryContext::retain(device);
    const Stream stream(context);
    const Module module(context, nothing_ptx);
    const auto kernel = module.kernel<int>("nothing");
    check_lacks(error_of([&] { Library(machine.driver, nothing_ptx); }), "cuLibraryLoadData", "12.0", "11.2");
    check_lacks(error_of([&] { module.kernel_names(); }), "cuModuleGetFunctionCount", "12.4", "11.2");
    check_lacks(error_of([&] { kernel.parameters(); }), "cuFuncGetParamInfo", "12.4", "11.2");
    check_lacks(error_of([&] { stream.view().id(); }), "cuStreamGetId", "12.0", "11.2");
    check_lacks(error_of([&] { stream.view().write_value(DeviceSpan<std::uint32_t>(256, 1, 0), 1); }), "cuStreamWriteValue32", "11.7",
                "11.2");
    check_lacks(error_of([&] { Context::with_multiprocessors(device, 8); }), "cuCtxCreate", "11.4", "11.2");
    CHECK_FALSE(device.supports_multiprocessor_affinity());
    check_lacks(error_of([&] { multiprocessor_share(device); }), "cuDeviceGetDevResource", "12.4", "11.2");
    LaunchOptions options;
    options.priority = -1;
    check_lacks(error_of([&] { kernel.launch_with(options, {1, 1}, stream, 0); }), "cuLaunchKernelEx", "11.6", "11.2");
    Graph graph(context);
    check_lacks(error_of([&] { graph.add_host_function([] {}); }), "cuUserObjectCreate", "11.3", "11.2");
    CHECK(graph.nodes().empty());
}

TEST_CASE("a driver of 11.2 has graphs, capture and cooperative launches") {
    Machine machine(std::vector<SimulatedDevice>(1), 11020);
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Stream stream(context);
    const Module module(context, nothing_ptx);
    const auto kernel = module.kernel<int, int>("nothing");  // which nobody can check
    LaunchOptions options;
    options.cooperative = true;
    CHECK_NOTHROW(kernel.launch_with(options, {1, 1}, stream, 0, 0));
    StreamCapture capture(stream);
    kernel.launch({1, 1}, stream, 0, 0);
    check_lacks(error_of([&] { stream.launch_host_function([] {}); }), "cuStreamGetCaptureInfo", "11.3", "11.2");
    const Graph graph = capture.end();
    CHECK(graph.nodes().size() == 1);
    graph.instantiate().launch(stream);
    CHECK_NOTHROW(stream.synchronize());
}

TEST_CASE("a driver of 11.2 tells of pointers all but the pool") {
    for (const int version : {11020, 11030}) {
        Machine machine(std::vector<SimulatedDevice>(1), version);
        const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
        const DeviceBuffer<int> pooled(10, context);
        const PointerInfo info = pointer_info(context.context(), pooled.span().pointer());
        CHECK(info.kind == MemoryKind::device);
        CHECK(info.device == 0);
        CHECK(info.start == pooled.span().pointer());
        CHECK(info.pool == (version < 11030 ? nullptr : context.memory_pool().handle()));
    }
}

TEST_CASE("a driver of 12.0 lacks what came with 12.4") {
    Machine machine(std::vector<SimulatedDevice>(1), 12000);
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Library library(machine.driver, nothing_ptx);
    CHECK_NOTHROW(library.kernel<int>("nothing", context));
    check_lacks(error_of([&] { library.kernel_names(); }), "cuLibraryGetKernelCount", "12.4", "12.0");
}

TEST_CASE("resetting the primary context takes along what is in it") {
    Machine machine(std::vector<SimulatedDevice>(1));
    const Device device(machine.driver, 0);
    CHECK_FALSE(PrimaryContext::state(device).active);
    const PrimaryContext context = PrimaryContext::retain(device);
    CHECK(PrimaryContext::state(device).active);
    const Stream stream(context);
    PrimaryContext::reset(device);
    CHECK_FALSE(PrimaryContext::state(device).active);
    CHECK(machine.simulator.live_counts().streams == 0);
    CHECK(error_of([&] { stream.synchronize(); }).category() == ErrorCategory::wrong_context);
}
