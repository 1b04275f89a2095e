// Many threads at once over shared drivers, contexts, modules and kernels.

#include <atomic>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <thread>

#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Runs a function on many threads and waits for them; gives each its number.
template <class Function>
void on_threads(int count, Function function) {
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number) threads.emplace_back(function, number);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("a driver is initialised once, whoever comes first") {
    Machine machine;
    std::atomic<int> counted{0};
    on_threads(8, [&](int) { counted += device_count(*machine.driver); });
    CHECK(counted == 16);
    CHECK(machine.simulator.call_count("cuInit") == 1);
}

TEST_CASE("64 threads may be the first to use the driver, all at once") {
    const Finished child = run_child({"first-use"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    CHECK(child.exit_code == 0);
    CHECK(child.output == "64 work, cuInit was called 1 times\n");
}

TEST_CASE("threads work on devices side by side") {
    constexpr char ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry increment(.param .u64 data, .param .u32 count)
{
    .reg .pred %p<1>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [data];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p0, %r1, %r0;
    @%p0 bra done;
    mul.wide.u32 %rd1, %r1, 4;
    add.u64 %rd0, %rd0, %rd1;
    ld.global.u32 %r2, [%rd0];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd0], %r3;
done:
    ret;
}
)";
    Machine machine;
    const DeviceContext contexts[] = {DeviceContext::for_device(machine.driver, 0), DeviceContext::for_device(machine.driver, 1)};
    const Module modules[] = {Module(contexts[0].context(), ptx), Module(contexts[1].context(), ptx)};
    std::atomic<int> wrong{0};
    on_threads(8, [&](int number) {
        const DeviceContext& device = contexts[number % 2];
        const Stream stream(device.context());
        const DeviceContext context = device.with_stream(stream);
        const auto increment = modules[number % 2].kernel<DeviceSpan<int>, std::uint32_t>("increment");
        for (int round = 0; round < 10; ++round) {
            std::vector<int> values(100, number);
            DeviceBuffer<int> buffer(values.size(), context);
            copy_async(buffer.span(), values, stream);
            increment.launch({1, 128}, stream, buffer, 100);
            copy(values, buffer.span(), stream);
            wrong += values == std::vector<int>(100, number + 1) ? 0 : 1;
        }
    });
    CHECK(wrong == 0);
}
