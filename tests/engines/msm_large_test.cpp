#include <cupool/driver/device_buffer.hpp>
#include <thread>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

TEMPLATE_TEST_CASE_SIG("MSMs of growing size have their closed form", CUPOOL_CURVES_AND_TWISTS) {
    const std::vector<std::size_t> sizes = is_slow<C>()     ? std::vector<std::size_t>{100}
                                           : is_simulated() ? std::vector<std::size_t>{100, 300}
                                                            : std::vector<std::size_t>{100, 1000, 1 << 12, 50000};
    const auto points = generator_multiples<C>(1, sizes.back());
    std::vector<Scalar> scalars;
    for (const std::size_t size : sizes) {
        while (scalars.size() < size) scalars.push_back(random_scalar());
        const std::vector<AffinePoint<C>> some(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(size));
        const auto expected = closed_form<C>(scalars);
        for (const DeviceContext& context : engine_contexts()) {
            MsmConfig config;
            config.ctx = context;
            CHECK(run_msm<C>(scalars, some, config) == expected);
            if (is_simulated()) break;
        }
    }
}

TEST_CASE("MSMs from several threads at once", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const std::size_t count = is_simulated() ? 30 : 3000;
    const auto points = generator_multiples<C>(1, count);
    std::vector<std::vector<Scalar>> scalars(4);
    for (auto& some : scalars) {
        while (some.size() < count) some.push_back(random_scalar());
    }
    std::vector<AffinePoint<C>> sums(scalars.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        threads.emplace_back([&, i] {
            MsmConfig config;
            config.ctx = engine_pool().context_at(i % engine_pool().device_count());
            for (int round = 0; round < 3; ++round) sums[i] = run_msm<C>(scalars[i], points, config);
        });
    }
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == closed_form<C>(scalars[i]));
}

TEMPLATE_TEST_CASE_SIG("64 MiB of device memory are enough for 2^22 terms", CUPOOL_CURVES_AND_TWISTS) {
    if (engine_pool().is_host() || is_simulated()) CUPOOL_SKIP("skipped: needs a real GPU, as it has 2^22 terms");
    const std::size_t count = std::size_t{1} << 22;
    const auto points = generator_multiples<C>(1, count);
    std::vector<Scalar> scalars;
    while (scalars.size() < count) scalars.push_back(random_scalar());
    MsmConfig config;
    config.ctx = engine_pool().context_at(0);
    config.memory_budget = std::uint64_t{64} << 20;
    JacobianPoint<C> sum;
    const RunReport report = msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, sum);
    CHECK(to_affine(sum) == closed_form<C>(scalars));
    CHECK(report.device_bytes <= config.memory_budget);
}

TEST_CASE("an MSM larger than the memory that is left is done in chunks", "[msm]") {
    if (engine_pool().is_host() || is_simulated()) CUPOOL_SKIP("skipped: needs a real GPU's memory and 2^18 terms");
    constexpr Curve C = Curve::bls12_381;
    const std::size_t count = std::size_t{1} << 18;
    const auto points = generator_multiples<C>(1, count);
    std::vector<Scalar> scalars;
    while (scalars.size() < count) scalars.push_back(random_scalar());
    MsmConfig config;
    config.ctx = engine_pool().context_at(0);
    config.ctx.memory_pool().trim_to(0);
    const std::size_t left = std::size_t{320} << 20;
    const DeviceBuffer<std::byte> hog(config.ctx.context().memory_info().free - left, config.ctx.with_memory_pool({}));
    CHECK(run_msm<C>(scalars, points, config) == closed_form<C>(scalars));
    config.ctx.memory_pool().trim_to(0);
}
