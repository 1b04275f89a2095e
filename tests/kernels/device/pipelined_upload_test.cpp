#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <random>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/device/msm_on_device.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t term_count = 120;

/// Every copy is fed, and chunks begin with few terms.
constexpr detail::DeviceMsmLimits small_limits{.min_pipelined_bytes = 1, .min_chunk_terms = 8};

/// Three MSMs over the same bases, each with some of the scalars of a longer one.
struct ScatteredMsms {
    static constexpr Curve curve = Curve::bn254;
    static constexpr std::size_t count = 3;
    static constexpr std::size_t terms = 20;
    static constexpr std::size_t stride = 33;

    explicit ScatteredMsms(const Machine& machine) {
        config.ctx = DeviceContext::for_device(machine.driver, 0);
        config.c = 4;
        config.bitsize = 8;
        std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
        for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = {{(97 * i + 13) % 251}};
        for (std::size_t i = 0; i < count * terms; ++i) {
            expected[i / terms] = add(expected[i / terms], multiply(points[i % terms], scalars[i / terms * stride + i % terms]));
        }
        points_to_montgomery_form<curve>(points);
        bases = DeviceBuffer<AffinePoint<curve>>(terms, config.ctx);
        copy(bases.span(), points, config.ctx.stream());
    }

    std::vector<AffinePoint<curve>> sums(const Operand<Scalar>& operand, const detail::DeviceMsmLimits& limits = small_limits) const {
        const detail::DeviceMsmJob<curve> job{.scalars = operand,
                                              .bases = bases.span(),
                                              .msm_count = count,
                                              .term_count = terms,
                                              .scalars_stride = stride,
                                              .table_stride = terms,
                                              .are_bases_in_montgomery_form = true,
                                              .width = 4};
        std::vector<JacobianPoint<curve>> results(count);
        MsmConfig own = config;
        own.are_scalars_on_device = operand.is_on_device();
        const RunReport report = detail::msm_on_device<curve>(job, own, std::span(results), limits);
        const std::size_t scalar_bytes = operand.is_on_device() ? 0 : count * terms * sizeof(Scalar);
        // 8 bits are three digits of 4, each with a sum for every bit of a bucket's weight: four coordinates of 32 bytes.
        const std::size_t sum_bytes = count * 3 * 4 * (4 * 32);
        CHECK(report.bytes >= scalar_bytes + sum_bytes);
        CHECK(report.bytes <= scalar_bytes + sum_bytes + count * sizeof(std::uint32_t));  // and a word a chunk
        std::vector<AffinePoint<curve>> affine(count);
        std::transform(results.begin(), results.end(), affine.begin(), [](const auto& sum) { return to_affine(sum); });
        return affine;
    }

    MsmConfig config;
    std::vector<Scalar> scalars = std::vector<Scalar>((count - 1) * stride + terms);
    DeviceBuffer<AffinePoint<curve>> bases;
    std::vector<AffinePoint<curve>> expected = std::vector<AffinePoint<curve>>(count, infinity<curve>());
};

template <class T>
PinnedBuffer<T> pinned_copy(const std::vector<T>& values, ContextView context) {
    PinnedBuffer<T> copy(values.size(), context);
    std::copy(values.begin(), values.end(), copy.data());
    return copy;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("an MSM whose operands are uploaded while it works is right", "[msm]", ((Curve C), C), Curve::bn254,
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

TEST_CASE("MSMs whose scalars do not follow each other are right wherever those lie", "[msm]") {
    const Machine machine;
    const ScatteredMsms msms(machine);
    const auto pinned = pinned_copy(msms.scalars, msms.config.ctx.context());
    CHECK(msms.sums(std::span<const Scalar>(msms.scalars)) == msms.expected);
    CHECK(msms.sums(std::span<const Scalar>(msms.scalars), {}) == msms.expected);
    CHECK(msms.sums(pinned.span()) == msms.expected);
    CHECK(msms.sums(pinned.span(), {.max_msms_per_allocation = 2}) == msms.expected);
    DeviceBuffer<Scalar> there(msms.scalars.size(), msms.config.ctx);
    copy(there.span(), std::span<const Scalar>(msms.scalars), msms.config.ctx.stream());
    CHECK(msms.sums(there.span()) == msms.expected);
}

TEST_CASE("a scalar that breaks its promise is named where scalars do not follow each other", "[msm]") {
    const Machine machine;
    ScatteredMsms msms(machine);
    const std::size_t broken = GENERATE(7, 33, 2 * 33 + 19);
    msms.scalars[broken] = {{1 << 9}};
    for (const std::size_t max_msms : {1, 2, 3}) {
        CHECK_THAT(error_of([&] { (void)msms.sums(std::span<const Scalar>(msms.scalars), {.max_msms_per_allocation = max_msms}); }).what(),
                   contains_text("scalar " + std::to_string(broken) + " "));
    }
}

TEST_CASE("where many windows are joined on the device, a smaller chunk takes less memory for the sums of their bits", "[msm]") {
    constexpr Curve C = Curve::bn254;
    constexpr std::size_t msms = 40;
    constexpr std::size_t terms = 3;
    const Machine machine(std::vector<SimulatedDevice>(1));
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.bitsize = 16;
    const auto points = generator_multiples<C>(1, msms * terms);
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> expected(msms, infinity<C>());
    for (std::size_t i = 0; i < msms * terms; ++i) {
        scalars.push_back({{(977 * i + 5) % 65536}});
        expected[i / terms] = add(expected[i / terms], multiply(points[i], scalars[i]));
    }
    const detail::DeviceMsmJob<C> job{.scalars = std::span<const Scalar>(scalars),
                                      .bases = std::span<const AffinePoint<C>>(points),
                                      .msm_count = msms,
                                      .term_count = terms,
                                      .have_own_bases = true,
                                      .width = 4};
    const std::size_t all_bit_sums = msms * 5 * 4 * (4 * 32);  // five digits, four bits, four coordinates
    for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{all_bit_sums * 3 / 4}}) {
        config.memory_budget = budget;
        std::vector<JacobianPoint<C>> sums(msms);
        const RunReport report = detail::msm_on_device<C>(job, config, std::span(sums), {});
        CHECK((budget == 0 || report.device_bytes <= budget));
        for (std::size_t i = 0; i < msms; ++i) CHECK(to_affine(sums[i]) == expected[i]);
    }
}
