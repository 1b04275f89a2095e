#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <Curve C>
MsmConfig config_on(const DeviceContext& context) {
    MsmConfig config;
    config.ctx = context;
    return config;
}

/// Scalars at every border: zero, one, around r, and the largest there is.
template <Curve C>
std::vector<Scalar> border_scalars() {
    const Scalar r = group_order<C>();
    Scalar largest;
    largest.limbs.fill(~std::uint64_t{0});
    Scalar high_bit;
    high_bit.limbs[3] = std::uint64_t{1} << 63;
    return {scalar_of(0), scalar_of(1), scalar_of(2), shifted(r, -1), r, shifted(r, 1), largest, high_bit};
}

/// Coordinates of the numbers 1, (p - 1) / 2 and p - 1, which fill a quadratic extension's element in turn.
template <Curve C>
std::vector<BaseFieldElement<C>> border_coordinates() {
    PrimeFieldElement<C> one{{1}};
    PrimeFieldElement<C> last = base_field_modulus<C>();
    last.limbs[0] -= 1;
    PrimeFieldElement<C> half = last;
    for (std::size_t i = 0; i < half.limbs.size(); ++i)
        half.limbs[i] = last.limbs[i] >> 1 | (i + 1 < half.limbs.size() ? last.limbs[i + 1] << 63 : 0);
    if constexpr (base_field_degree<C> == 2) {
        return {{last, last}, {one, last}, {last, one}, {half, {}}, {{}, last}};
    } else {
        return {one, half, last};
    }
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("an MSM of no, one and two terms", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    const AffinePoint<C> g = generator<C>();
    for (const DeviceContext& context : sampled_contexts()) {
        const auto config = config_on<C>(context);
        CHECK(is_infinity(run_msm<C>({}, {}, config)));
        for (const Scalar& scalar : border_scalars<C>()) CHECK(run_msm<C>({scalar}, {g}, config) == multiply(g, scalar));
        CHECK(is_infinity(run_msm<C>({random_scalar()}, {infinity<C>()}, config)));
        const Scalar any = random_scalar();
        CHECK(run_msm<C>({any, any}, {g, g}, config) == multiply(add(g, g), any));
        CHECK(is_infinity(run_msm<C>({any, any}, {g, negate(g)}, config)));
        CHECK(run_msm<C>({any, scalar_of(1)}, {infinity<C>(), g}, config) == g);
    }
}

TEMPLATE_TEST_CASE_SIG("an MSM of every border scalar, repeated, opposite and infinite points", CUPOOL_CURVES_AND_TWISTS) {
    const auto multiples = generator_multiples<C>(1, 5);
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> points;
    for (const Scalar& scalar : border_scalars<C>()) {
        for (const AffinePoint<C>& point : {multiples[0], multiples[4], negate(multiples[4]), infinity<C>(), multiples[0]}) {
            scalars.push_back(scalar);
            points.push_back(point);
        }
    }
    const auto expected = sum_term_by_term<C>(scalars, points);
    for (const DeviceContext& context : engine_contexts()) {
        CHECK(run_msm<C>(scalars, points, config_on<C>(context)) == expected);
        if (is_slow<C>()) return;
    }
}

TEMPLATE_TEST_CASE_SIG("MSMs of points whose coordinates are at the field's borders", CUPOOL_CURVES_AND_TWISTS) {
    // No formula knows b, so any two coordinates make a point of some curve of the form.
    std::vector<AffinePoint<C>> points;
    for (const auto& x : border_coordinates<C>()) {
        for (const auto& y : border_coordinates<C>()) points.push_back({x, y});
    }
    std::vector<Scalar> scalars;
    while (scalars.size() < points.size()) scalars.push_back(scalar_of(2 + scalars.size()));
    for (const DeviceContext& context : sampled_contexts()) {
        auto config = config_on<C>(context);
        config.bitsize = 8;
        std::vector<JacobianPoint<C>> sums(points.size());
        msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, std::span(sums));
        for (std::size_t i = 0; i < sums.size(); ++i) CHECK(to_affine(sums[i]) == multiply(points[i], scalars[i]));
        if (is_slow<C>()) return;
    }
}

TEMPLATE_TEST_CASE_SIG("an MSM whose scalars are all alike", CUPOOL_CURVES_AND_TWISTS) {
    const std::size_t count = 400;  // more shares than one thread joins
    const auto points = generator_multiples<C>(1, count);
    for (const Scalar& scalar : {random_scalar(), scalar_of(0), scalar_of(1), shifted(group_order<C>(), -1)}) {
        const std::vector<Scalar> scalars(count, scalar);
        const auto expected = closed_form<C>(scalars);
        for (const DeviceContext& context : sampled_contexts()) {
            auto config = config_on<C>(context);
            for (const int width : {0, 8}) {  // with 8 bits there are fewer shares than buckets, and one bucket spans them all
                config.c = width;
                CHECK(run_msm<C>(scalars, points, config) == expected);
                if (is_slow<C>()) return;
            }
        }
    }
}

TEMPLATE_TEST_CASE_SIG("an MSM whose points are all alike", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    const std::size_t count = 400;
    const std::vector<AffinePoint<C>> points(count, generator<C>());
    std::vector<Scalar> scalars;
    Scalar factor;
    for (std::size_t i = 0; i < count; ++i) {
        scalars.push_back(random_scalar());
        factor = add_scaled<C>(factor, scalars.back(), 1);
    }
    const auto expected = multiply(generator<C>(), factor);
    for (const DeviceContext& context : sampled_contexts()) {
        CHECK(run_msm<C>(scalars, points, config_on<C>(context)) == expected);
        CHECK(run_msm<C>(std::vector<Scalar>(count, scalar_of(1)), points, config_on<C>(context)) ==
              multiply(generator<C>(), scalar_of(count)));
    }
}

TEMPLATE_TEST_CASE_SIG("an MSM over a pool's devices equals the one on each", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    for (const std::size_t count : {0, 1, 2, 3, 5, 100}) {
        const auto points = generator_multiples<C>(1, count);
        std::vector<Scalar> scalars;
        for (std::size_t i = 0; i < count; ++i) scalars.push_back(random_scalar());
        for (const MsmSpread spread : {MsmSpread::all_devices, MsmSpread::digit_partition}) {
            JacobianPoint<C> sum;
            const RunReport report = engine_pool().template msm<C>(scalars, points, MsmConfig{}, sum, spread);
            CHECK(to_affine(sum) == closed_form<C>(scalars));
            CHECK(report.engine == engine_pool().engine());
            if (count >= 5) CHECK(report.devices == engine_pool().devices());
        }
    }
}
