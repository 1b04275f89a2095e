#include <cupool/pool/device_pool.hpp>
#include <numeric>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// sums[i] += numbers[i] * factor; signs[i] = whether the sum is odd, for i of one block.
const std::string add_scaled_ptx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry add_scaled(.param .u64 sums, .param .u64 numbers, .param .u32 factor, .param .u64 signs)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<6>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    ld.param.u64 %d2, [sums];
    ld.param.u64 %d3, [numbers];
    ld.param.u64 %d4, [signs];
    ld.param.u32 %r2, [factor];
    add.u64 %d2, %d2, %d1;
    add.u64 %d3, %d3, %d1;
    add.u64 %d4, %d4, %d1;
    ld.global.u32 %r3, [%d2];
    ld.global.u32 %r4, [%d3];
    mad.lo.u32 %r3, %r4, %r2, %r3;
    st.global.u32 [%d2], %r3;
    and.b32 %r5, %r3, 1;
    st.global.u32 [%d4], %r5;
    ret;
}
)";

using Numbers = std::vector<std::uint32_t>;

KernelWork add_scaled(const Numbers& sums, const Numbers& numbers, std::uint32_t factor) {
    return {add_scaled_ptx,
            "add_scaled",
            {1, static_cast<unsigned>(sums.size())},
            {KernelOperand::inout(sums), KernelOperand::input(numbers), KernelOperand::value(factor),
             KernelOperand::output<std::uint32_t>(sums.size())}};
}

}  // namespace

TEST_CASE("work that is described by data runs on any device, again and again", "[kernel_work]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const KernelWork work = add_scaled({1, 2, 3}, {10, 20, 31}, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const KernelOutputs outputs = run_kernel(work, pool.context_at(i));
        REQUIRE(outputs.arrays.size() == 2);
        CHECK(outputs.array<std::uint32_t>(0) == Numbers{31, 62, 96});
        CHECK(outputs.array<std::uint32_t>(1) == Numbers{1, 0, 0});
    }
    std::vector<std::future<KernelOutputs>> pending;
    for (std::uint32_t i = 0; i < 6; ++i) pending.push_back(pool.submit_kernel(add_scaled({i}, {5}, i)));
    for (std::uint32_t i = 0; i < 6; ++i) CHECK(pending[i].get().array<std::uint32_t>(0) == Numbers{6 * i});
    std::uint64_t launches = 0;
    for (const DeviceMetrics& device : pool.metrics().devices) launches += device.launches;
    CHECK(launches == 6);  // on which devices is told by who was idle first
}

TEST_CASE("what a work's description lacks is said before it is launched", "[kernel_work]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto category = [&](const KernelWork& work) { return error_of([&] { pool.submit_kernel(work).get(); }).category(); };
    const KernelWork good = add_scaled({1}, {1}, 1);
    KernelWork work = good;
    work.operands.pop_back();
    CHECK(category(work) == ErrorCategory::invalid_argument);
    work = good;
    work.operands[2] = KernelOperand::value(std::uint64_t{1});
    CHECK_THAT(error_of([&] { pool.submit_kernel(work).get(); }).what(), contains_text("4 of 8, 8, 4, 8 bytes, and not 4 of 8, 8, 8, 8"));
    work = good;
    work.kernel = "subtract";
    CHECK(category(work) == ErrorCategory::invalid_argument);
    work = good;
    work.ptx = "no PTX";
    CHECK(category(work) == ErrorCategory::jit_failure);
    CHECK(machine.simulator.call_count("cuLaunchKernel") == 0);
    work = good;
    work.shape.block = 100'000;
    CHECK(category(work) == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)DevicePool::host().submit_kernel(good); }).category() == ErrorCategory::unsupported);
    CHECK(error_of([&] { (void)run_kernel(good, DeviceContext::host()); }).category() == ErrorCategory::unsupported);
}

TEST_CASE("arrays may be empty, and a kernel may have no parameters", "[kernel_work]") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    const DevicePool pool = DevicePool::all(machine.driver);
    const KernelWork work{".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }", "nothing", {1, 1}, {}};
    CHECK(pool.submit_kernel(work).get().arrays.empty());
    const KernelWork empty{".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry ignore(.param .u64 to) { ret; }",
                           "ignore",
                           {1, 1},
                           {KernelOperand::output<int>(0)}};
    CHECK(pool.submit_kernel(empty).get().array<int>(0).empty());
}
