#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/prepared_bases.hpp>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <Curve C>
struct Terms {
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> points;
    AffinePoint<C> sum;
};

template <Curve C>
Terms<C> random_terms(std::size_t count) {
    Terms<C> terms;
    terms.points = generator_multiples<C>(1, count);
    for (std::size_t i = 0; i < count; ++i) terms.scalars.push_back(random_reduced_scalar<C>());
    terms.sum = closed_form<C>(terms.scalars);
    return terms;
}

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& values, const DeviceContext& context) {
    DeviceBuffer<T> buffer(values.size(), context);
    copy(buffer.span(), std::span<const T>(values), context.stream());
    return buffer;
}

/// (r - 1) / 2.
template <Curve C>
Scalar half_order() {
    Scalar half = group_order<C>();
    for (std::size_t i = 0; i < 4; ++i) half.limbs[i] = half.limbs[i] >> 1 | (i + 1 < 4 ? half.limbs[i + 1] << 63 : 0);
    return half;
}

/// The category of what `action` throws.
template <class Action>
ErrorCategory failure_of(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.category();
    }
    FAIL("nothing was thrown");
    return ErrorCategory::internal;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("buckets of wide digits are placed and summed by several blocks", CUPOOL_CURVES) {
    const auto terms = random_terms<C>(60);
    std::vector<Scalar> scalars;
    auto expected = infinity<C>();
    for (std::size_t i = 0; i < terms.points.size(); ++i) {
        scalars.push_back({{terms.scalars[i].limbs[0] % (1 << 13), 0, 0, 0}});
        expected = add(expected, multiply(terms.points[i], scalars.back()));
    }
    MsmConfig config;
    config.ctx = engine_contexts().front();
    config.c = 14;  // four bins: of two, the second is found by the first one's cursor alone
    config.bitsize = 13;
    CHECK(run_msm<C>(scalars, terms.points, config) == expected);
}

TEMPLATE_TEST_CASE_SIG("every window width gives the same MSM", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    const auto terms = random_terms<C>(60);
    const std::vector<int> widths = is_simulated()
                                        ? std::vector<int>{1, 2, 5, 7}
                                        : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
    for (const DeviceContext& context : engine_contexts()) {
        for (const int width : widths) {
            MsmConfig config;
            config.ctx = context;
            config.c = width;
            INFO("width " << width << " on " << context);
            CHECK(run_msm<C>(terms.scalars, terms.points, config) == terms.sum);
        }
        if (is_simulated()) break;
    }
}

TEMPLATE_TEST_CASE_SIG("scalars and points in Montgomery form", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    const auto terms = random_terms<C>(40);
    auto scalars = terms.scalars;
    auto points = terms.points;
    scalars_to_montgomery_form<C>(scalars);
    points_to_montgomery_form<C>(points);
    for (const DeviceContext& context : sampled_contexts()) {
        MsmConfig config;
        config.ctx = context;
        config.are_scalars_montgomery_form = true;
        CHECK(run_msm<C>(scalars, terms.points, config) == terms.sum);
        config.are_points_montgomery_form = true;
        JacobianPoint<C> sum;
        msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, sum);
        std::vector<AffinePoint<C>> coordinates{{sum.x, sum.y}, {sum.z, {}}};  // the result too is in Montgomery form
        points_from_montgomery_form<C>(coordinates);
        CHECK(to_affine(JacobianPoint<C>{coordinates[0].x, coordinates[0].y, coordinates[1].x}) == terms.sum);
    }
}

TEST_CASE("digits of which the last is larger than the others", "[msm]") {
    // Of 252 bits, where r / 2 has a little more: 252 is a multiple of each of these widths.
    constexpr Curve C = Curve::bls12_377;
    const std::vector<int> widths = is_simulated() ? std::vector<int>{4, 12} : std::vector<int>{1, 2, 3, 4, 6, 7, 9, 12, 14, 18, 21};
    const Scalar half = half_order<C>();
    std::vector<Scalar> scalars = {scalar_of(0),      scalar_of(1),    shifted(group_order<C>(), -1), half, shifted(half, 1),
                                   shifted(half, -1), shifted(half, 2)};
    while (scalars.size() < 12) scalars.push_back(random_reduced_scalar<C>());
    for (std::size_t i = 12; i-- > 0;) scalars.push_back(scalars[i]);
    const auto points = generator_multiples<C>(1, 12);
    const std::vector<AffinePoint<C>> expected = {closed_form<C>({scalars.begin(), scalars.begin() + 12}),
                                                  closed_form<C>({scalars.begin() + 12, scalars.end()})};
    auto montgomery_scalars = scalars;
    scalars_to_montgomery_form<C>(montgomery_scalars);
    const DeviceContext context = sampled_contexts().back();
    for (const int width : widths) {
        INFO("width " << width << " on " << context);
        MsmConfig config;
        config.ctx = context;
        config.c = width;
        std::vector<JacobianPoint<C>> sums(2);
        const auto affine_sums = [&sums] { return std::vector<AffinePoint<C>>{to_affine(sums[0]), to_affine(sums[1])}; };
        if (!is_simulated() || width < 9) {
            msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, std::span(sums));
            CHECK(affine_sums() == expected);
        }
        PrepareConfig prepare;
        prepare.ctx = context;
        prepare.c = width;
        prepare.precompute_factor = 64;
        const PreparedBases<C> bases(std::span<const AffinePoint<C>>(points), prepare);
        config.are_scalars_montgomery_form = true;
        msm<C>(std::span<const Scalar>(montgomery_scalars), bases, config, std::span(sums));
        CHECK(affine_sums() == expected);
    }
}

TEMPLATE_TEST_CASE_SIG("short scalars", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    auto terms = random_terms<C>(40);
    for (Scalar& scalar : terms.scalars) scalar = scalar_of(scalar.limbs[0] >> 24);
    for (const DeviceContext& context : engine_contexts()) {
        MsmConfig config;
        config.ctx = context;
        config.bitsize = 40;
        CHECK(run_msm<C>(terms.scalars, terms.points, config) == closed_form<C>(terms.scalars));
        auto broken = terms.scalars;
        broken[17] = scalar_of(std::uint64_t{1} << 40);
        broken[30] = shifted(group_order<C>(), -1);
        try {
            run_msm<C>(broken, terms.points, config);
            FAIL("the scalar was taken");
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::invalid_argument);
            CHECK_THAT(error.what(), contains_text("17"));
        }
    }
}

TEMPLATE_TEST_CASE_SIG("operands on the device, in any mix", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    if (engine_pool().is_host()) return;
    const auto terms = random_terms<C>(40);
    auto montgomery_points = terms.points;
    points_to_montgomery_form<C>(montgomery_points);
    for (const DeviceContext& context : sampled_contexts()) {
        const auto scalars = on_device(terms.scalars, context);
        const auto points = on_device(terms.points, context);
        MsmConfig config;
        config.ctx = context;
        config.are_scalars_on_device = true;
        JacobianPoint<C> sum;
        msm<C>(scalars.span(), std::span<const AffinePoint<C>>(terms.points), config, sum);
        CHECK(to_affine(sum) == terms.sum);
        config.are_points_on_device = true;
        const RunReport report = msm<C>(scalars.span(), points.span(), config, sum);
        CHECK(to_affine(sum) == terms.sum);
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices == std::vector<int>{context.device()});
        config.are_scalars_on_device = false;
        msm<C>(std::span<const Scalar>(terms.scalars), points.span(), config, sum);
        CHECK(to_affine(sum) == terms.sum);
        // The operands are as they were.
        std::vector<AffinePoint<C>> back(terms.points.size());
        copy(std::span(back), points.span(), context.stream());
        CHECK(back == terms.points);
    }
}

TEST_CASE("what an MSM cannot take is refused", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const auto terms = random_terms<C>(4);
    const std::span<const Scalar> scalars(terms.scalars);
    const std::span<const AffinePoint<C>> points(terms.points);
    JacobianPoint<C> sum;
    const auto refused = [&](std::span<const Scalar> some_scalars, const MsmConfig& config) {
        return failure_of([&] { msm<C>(some_scalars, points, config, sum); });
    };
    for (const DeviceContext& context : engine_contexts()) {
        MsmConfig good;
        good.ctx = context;
        CHECK(refused(scalars.first(3), good) == ErrorCategory::invalid_argument);
        for (const int width : {-1, 22}) {
            MsmConfig config = good;
            config.c = width;
            CHECK(refused(scalars, config) == ErrorCategory::invalid_argument);
        }
        for (const int bits : {-1, 257}) {
            MsmConfig config = good;
            config.bitsize = bits;
            CHECK(refused(scalars, config) == ErrorCategory::invalid_argument);
        }
        MsmConfig contradicting = good;
        contradicting.are_scalars_on_device = true;
        CHECK(refused(scalars, contradicting) == ErrorCategory::invalid_argument);
    }
    if (!engine_pool().is_host()) {
        const DeviceContext& context = engine_pool().context_at(0);
        const auto there = on_device(terms.scalars, context);
        const DeviceSpan<const Scalar> misaligned(there.span().pointer() + 8, 3, context.device());
        MsmConfig config;
        config.ctx = context;
        config.are_scalars_on_device = true;
        CHECK(failure_of([&] { msm<C>(misaligned, points.first(3), config, sum); }) == ErrorCategory::invalid_argument);
    }
    if (engine_pool().device_count() > 1) {
        const auto elsewhere = on_device(terms.scalars, engine_pool().context_at(1));
        MsmConfig config;
        config.ctx = engine_pool().context_at(0);
        config.are_scalars_on_device = true;
        CHECK(failure_of([&] { msm<C>(elsewhere.span(), points, config, sum); }) == ErrorCategory::wrong_context);
    }
}

TEST_CASE("a pool names a scalar that breaks bitsize by its place in the whole", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const std::vector<AffinePoint<C>> points(20, generator<C>());
    std::vector<Scalar> scalars(20, scalar_of(3));
    scalars[15] = scalar_of(1 << 9);
    MsmConfig config;
    config.bitsize = 8;
    JacobianPoint<C> sum;
    try {
        engine_pool().msm<C>(scalars, points, config, sum, MsmSpread::all_devices);
        FAIL("the scalar was taken");
    } catch (const Error& error) {
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("scalar 15 "));
    }
}

TEST_CASE("a pool shares several MSMs out", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const std::size_t count = 2 * engine_pool().device_count() + 1;
    constexpr std::size_t terms = 3;
    const auto points = generator_multiples<C>(1, terms);
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> expected;
    for (std::uint64_t k = 0; k < count; ++k) {
        for (std::uint64_t i = 0; i < terms; ++i) scalars.push_back(scalar_of(7 * k + i));
        expected.push_back(closed_form<C>({scalars.end() - terms, scalars.end()}));
    }
    MsmConfig config;
    config.c = 4;
    config.bitsize = 8;
    PrepareConfig prepare;
    prepare.c = 4;
    prepare.bitsize = 8;
    const auto affine = [](const std::vector<JacobianPoint<C>>& sums) {
        std::vector<AffinePoint<C>> all;
        for (const JacobianPoint<C>& sum : sums) all.push_back(to_affine(sum));
        return all;
    };
    for (const MsmSpread spread : {MsmSpread::automatic, MsmSpread::all_devices, MsmSpread::digit_partition}) {
        std::vector<JacobianPoint<C>> sums(count);
        const RunReport report = engine_pool().msm<C>(scalars, points, config, sums, spread);
        CHECK(affine(sums) == expected);
        if (spread != MsmSpread::automatic) CHECK(report.devices == engine_pool().devices());
        const PooledBases<C> bases = engine_pool().prepare<C>(points, prepare, spread);
        std::fill(sums.begin(), sums.end(), JacobianPoint<C>{});
        engine_pool().msm<C>(scalars, bases, MsmConfig{}, sums, spread);
        CHECK(affine(sums) == expected);
    }
}
