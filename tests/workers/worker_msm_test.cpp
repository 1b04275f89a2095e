// The pool's own work in worker processes: MSMs, reductions, kernels.
#include <algorithm>
#include <numeric>

#include "msm_cases.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr const char* double_text = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 from, .param .u64 to)
{
.reg .b32 %r<3>;
.reg .b64 %rd<5>;
ld.param.u64 %rd1, [from];
ld.param.u64 %rd2, [to];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd1, %rd1, %rd3;
add.s64 %rd2, %rd2, %rd3;
ld.global.u32 %r2, [%rd1];
add.u32 %r2, %r2, %r2;
st.global.u32 [%rd2], %r2;
ret;
}
)";

}  // namespace

TEMPLATE_TEST_CASE_SIG("MSMs of workers are those of the host", "", ((Curve C), C), Curve::bn254, Curve::bls12_381) {
    constexpr std::size_t terms = 100;
    const WorkerPool pool = WorkerPool::start(simulated_workers());
    const std::vector<AffinePoint<C>> points = generator_multiples<C>(5, terms);
    const std::vector<Scalar> scalars = scalars_of(2 * terms);
    const auto expect = [&](std::span<const JacobianPoint<C>> results) {
        for (std::size_t i = 0; i < results.size(); ++i) {
            CHECK(to_affine(results[i]) == host_msm<C>(std::span(scalars).subspan(i * terms, terms), points));
        }
    };
    std::vector<JacobianPoint<C>> results(2);
    const auto span = [&](std::size_t count) { return std::span(results).first(count); };

    SECTION("one") {
        const RunReport report = pool.msm<C>(std::span(scalars).first(terms), points, {}, span(1));
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices.size() == 1);
        expect(span(1));
    }
    SECTION("two in a call") {
        pool.msm<C>(scalars, points, {}, span(2));
        expect(span(2));
    }
    SECTION("over prepared bases, on every worker") {
        const WorkerBases<C> bases = pool.prepare<C>(points, {});
        CHECK(bases.size() == terms);
        std::vector<std::future<RunReport>> futures;
        std::vector<std::vector<JacobianPoint<C>>> all(6, std::vector<JacobianPoint<C>>(2));
        for (auto& own : all) futures.push_back(pool.submit_msm<C>(scalars, bases, {}, std::span(own)));
        for (auto& future : futures) future.get();
        for (const auto& own : all) expect(own);
    }
    SECTION("of operands in lent memory") {
        const SharedArray<Scalar> lent = pool.lend<Scalar>(2 * terms + 3);
        std::copy(scalars.begin(), scalars.end(), lent.begin() + 3);
        const SharedArray<AffinePoint<C>> lent_points = pool.lend<AffinePoint<C>>(terms);
        std::copy(points.begin(), points.end(), lent_points.begin());
        pool.msm<C>(lent.span().subspan(3), lent_points.span(), {}, span(2));
        expect(span(2));
        pool.msm<C>(lent.span().subspan(3), lent_points.span(), {}, span(2));
        expect(span(2));
    }
    SECTION("of no terms") {
        pool.msm<C>({}, std::span<const AffinePoint<C>>{}, {}, span(1));
        CHECK(to_affine(results[0]) == AffinePoint<C>{});
    }
    SECTION("errors name the caller's line") {
        const int line = __LINE__ + 1;
        const Error error = error_of([&] { pool.msm<C>(scalars, std::span(points).first(7), {}, span(1)); });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK(error.location().line == line);
        CHECK(error_of([&] { pool.msm<C>(scalars, WorkerBases<C>{}, {}, span(1)); }).category() == ErrorCategory::invalid_argument);
    }
}

TEST_CASE("reductions and kernels run in workers") {
    const WorkerPool pool = WorkerPool::start(simulated_workers());
    std::vector<float> numbers(5000);
    std::iota(numbers.begin(), numbers.end(), 1.0F);
    float sum = 0;
    double wide = 0;
    float expected = 0;
    CHECK(pool.reduce<float>(std::span<const float>(numbers), ReduceOperation::sum, sum).engine == Engine::gpu);
    cupool::reduce<float>(Operand<float>(std::span<const float>(numbers)), ReduceOperation::sum, DeviceContext::host(), expected);
    CHECK(sum == expected);
    pool.reduce<float>(std::span<const float>(numbers), ReduceOperation::sum, wide);
    CHECK(wide == 12502500.0);
    std::int8_t least = 0;
    const std::vector<std::int8_t> small{5, -3, 7};
    pool.reduce<std::int8_t>(std::span<const std::int8_t>(small), ReduceOperation::min, least);
    CHECK(least == -3);
    const Error error = error_of([&] { pool.reduce<float>(std::span<const float>(), ReduceOperation::min, sum); });
    CHECK(error.category() == ErrorCategory::invalid_argument);

    const KernelWork work{double_text,
                          "twice",
                          {1, 4},
                          {KernelOperand::input(std::vector<std::uint32_t>{1, 2, 3, 4}), KernelOperand::output<std::uint32_t>(4)}};
    CHECK(pool.submit_kernel(work).get().array<std::uint32_t>(0) == std::vector<std::uint32_t>{2, 4, 6, 8});
    KernelWork broken = work;
    broken.ptx = "this is no PTX";
    CHECK(error_of([&] { pool.submit_kernel(broken).get(); }).category() == ErrorCategory::jit_failure);
}
