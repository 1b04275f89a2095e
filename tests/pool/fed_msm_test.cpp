#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <random>

#include "catch.hpp"
#include "device_msm.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t term_count = 120;

/// Every copy is fed, and portions begin with few terms.
constexpr detail::DeviceMsmLimits small_limits{.least_fed_bytes = 1, .least_portion_terms = 8};

template <class T>
PinnedBuffer<T> pinned_copy(const std::vector<T>& values, ContextView context) {
    PinnedBuffer<T> copy(values.size(), context);
    std::copy(values.begin(), values.end(), copy.data());
    return copy;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("an MSM whose operands are brought while it works is right", "[msm]", ((Curve C), C), Curve::bn254,
                       Curve::bls12_381) {
    const Machine machine;
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.c = 4;
    config.bitsize = 30;
    std::mt19937_64 random(3);
    const auto points = generator_multiples<C>(1, term_count);
    std::vector<Scalar> scalars(2 * term_count);
    std::vector<AffinePoint<C>> expected(2, infinity<C>());
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        scalars[i] = {{random() >> 34, 0, 0, 0}};
        expected[i / term_count] = add(expected[i / term_count], multiply(points[i % term_count], scalars[i]));
    }
    const auto pinned_scalars = pinned_copy(scalars, config.ctx.context());
    const auto pinned_points = pinned_copy(points, config.ctx.context());
    for (const bool is_pinned : {false, true}) {
        const std::span<const Scalar> all = is_pinned ? pinned_scalars.span() : std::span<const Scalar>(scalars);
        detail::DeviceMsmJob<C> job{.scalars = all,
                                    .bases = is_pinned ? pinned_points.span() : std::span<const AffinePoint<C>>(points),
                                    .msm_count = 2,
                                    .term_count = term_count,
                                    .width = 4};
        for (const std::uint64_t budget : {0, 200'000}) {
            config.memory_budget = budget;
            std::vector<JacobianPoint<C>> sums(2);
            const RunReport report = detail::msm_on_device<C>(job, config, std::span(sums), small_limits);
            INFO((is_pinned ? "pinned" : "pageable") << ", budget " << budget << ", took " << report.device_bytes);
            CHECK(to_affine(sums[0]) == expected[0]);
            CHECK(to_affine(sums[1]) == expected[1]);
            MsmConfig to_device = config;
            to_device.are_results_on_device = true;
            to_device.bitsize = 0;
            to_device.is_async = true;
            DeviceBuffer<JacobianPoint<C>> sums_there(2, config.ctx);
            detail::msm_on_device<C>(job, to_device, sums_there.span(), small_limits);
            copy(std::span(sums), sums_there.span(), config.ctx.stream());
            CHECK(to_affine(sums[0]) == expected[0]);
            CHECK(to_affine(sums[1]) == expected[1]);
            CHECK(report.bytes >= std::span(all).size_bytes() + 2 * term_count * sizeof(AffinePoint<C>));
        }
    }
}
