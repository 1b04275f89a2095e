#include "transfer/readback_buffer.hpp"

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/point.hpp>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;

bool is_pinned(ContextView context, std::span<const std::byte> memory) {
    return pointer_info(context, memory.data()).kind == MemoryKind::host;
}

}  // namespace

TEST_CASE("results are read back into page-locked memory, unless they are many") {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    detail::ReadbackBuffer buffer(context.context());
    std::vector<std::byte> otherwise;
    for (const std::size_t bytes : {1, 1000, 65536, 65537, 1 << 20}) {
        const auto memory = buffer.memory(bytes, otherwise);
        CHECK(memory.size() == bytes);
        CHECK(is_pinned(context.context(), memory));
    }
    CHECK(otherwise.empty());
    const auto allocations = machine.simulator.call_count("cuMemHostAlloc");
    CHECK(buffer.memory(1 << 20, otherwise).size() == 1 << 20);
    CHECK(buffer.memory(5, otherwise).size() == 5);
    CHECK(machine.simulator.call_count("cuMemHostAlloc") == allocations);
    const std::size_t many = std::size_t{17} << 20;
    CHECK(buffer.memory(many, otherwise).size() == many);
    CHECK_FALSE(is_pinned(context.context(), buffer.memory(many, otherwise)));
    CHECK(otherwise.size() == many);
}

TEST_CASE("without page-locked memory results are read back into pageable memory, and other errors are thrown") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    detail::ReadbackBuffer buffer(context.context());
    std::vector<std::byte> otherwise;
    machine.simulator.plan_fault("cuMemHostAlloc", 1, out_of_memory);
    const auto memory = buffer.memory(1000, otherwise);
    CHECK_FALSE(is_pinned(context.context(), memory));
    DeviceBuffer<std::byte> there(1000, context);
    fill_bytes_async(there.span(), 7, context.stream());
    copy_async(memory, there.span(), context.stream());
    context.stream().synchronize();
    CHECK(std::all_of(memory.begin(), memory.end(), [](std::byte byte) { return byte == std::byte{7}; }));
    CHECK(is_pinned(context.context(), buffer.memory(1000, otherwise)));

    machine.simulator.plan_fault("cuMemHostAlloc", 1, invalid_value);
    CHECK_THROWS_AS(buffer.memory(1 << 20, otherwise), Error);
    CHECK(buffer.memory(1000, otherwise).size() == 1000);
}

TEST_CASE("an MSM reads its results back by one copy, and the next one into the same memory") {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const std::vector<Scalar> scalars(3, Scalar{{5}});
    const std::vector<AffinePoint<Curve::bn254>> points(3, generator<Curve::bn254>());
    MsmConfig config;
    config.ctx = context;
    const auto expected = multiply(generator<Curve::bn254>(), Scalar{{15}});
    for (const bool is_first : {true, false}) {
        const auto copies = machine.simulator.call_count("cuMemcpyDtoHAsync_v2");
        const auto allocations = machine.simulator.call_count("cuMemHostAlloc");
        JacobianPoint<Curve::bn254> sum;
        msm<Curve::bn254>(std::span(scalars), std::span(points), config, sum);
        CHECK(to_affine(sum) == expected);
        CHECK(machine.simulator.call_count("cuMemcpyDtoHAsync_v2") == copies + 1);
        CHECK(machine.simulator.call_count("cuMemHostAlloc") == allocations + (is_first ? 1 : 0));
    }
}
