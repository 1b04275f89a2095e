#include "msm/window_sums.hpp"

#include "big_integer.hpp"
#include "catch.hpp"
#include "curve/host_curve.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

TEMPLATE_TEST_CASE_SIG("window sums are joined by their weights", CUPOOL_EACH_CURVE) {
    for (const unsigned width : {1u, 5u, 20u}) {
        for (const std::size_t count : {0, 1, 2, 7}) {
            const auto points = generator_multiples<C>(1, count);
            std::vector<HostXyzz<C>> sums;
            BigInteger factor;
            for (std::size_t window = 0; window < count; ++window) {
                sums.push_back(window == 1 ? HostXyzz<C>::infinity() : HostXyzz<C>::from(load(points[window], false)));
                if (window != 1) factor = factor + BigInteger::power_of_two(width * window) * (window + 1);
            }
            const auto total = store_affine<C>(normalized(combine_windows<HostBaseField<C>>(sums, width)), false);
            CHECK(total == multiply(generator<C>(), factor.limbs<4>()));
        }
    }
}

TEMPLATE_TEST_CASE_SIG("where a window has a sum for each bit of its weights, they are joined by bit", CUPOOL_EACH_CURVE) {
    for (const unsigned width : {1u, 3u, 7u}) {
        for (const unsigned bits : {width, width + 1}) {  // with a bit more, windows overlap
            const auto points = generator_multiples<C>(1, std::size_t{4} * bits);
            std::vector<HostXyzz<C>> sums;
            BigInteger factor;
            for (unsigned i = 0; i < points.size(); ++i) {
                const bool is_infinite = i % 5 == 0 || i >= 3 * bits;
                sums.push_back(is_infinite ? HostXyzz<C>::infinity() : HostXyzz<C>::from(load(points[i], false)));
                if (!is_infinite) factor = factor + BigInteger::power_of_two(width * (i / bits) + i % bits) * (i + 1);
            }
            const auto total = store_affine<C>(normalized(combine_windows<HostBaseField<C>>(sums, width, bits)), false);
            CHECK(total == multiply(generator<C>(), factor.limbs<4>()));
        }
    }
}

TEMPLATE_TEST_CASE_SIG("repeated doublings give the coordinates that single ones give", CUPOOL_EACH_CURVE) {
    using Field = HostBaseField<C>;
    const auto multiples = generator_multiples<C>(3, 2);
    HostXyzz<C> sum = HostXyzz<C>::from(load(multiples[0], false));
    sum += HostXyzz<C>::from(load(multiples[1], false));
    HostXyzz<C> other_infinity = sum.doubled();
    other_infinity.zz = other_infinity.zzz = Field::zero();
    HostXyzz<C> of_order_two = sum.doubled();
    of_order_two.y = Field::zero();
    for (const HostXyzz<C>& point : {sum, sum.doubled(), HostXyzz<C>::infinity(), other_infinity, of_order_two}) {
        HostXyzz<C> expected = point;
        for (unsigned count = 0; count < 20; ++count) {
            const HostXyzz<C> found = doubled_times(point, count);
            CHECK(found.x == expected.x);
            CHECK(found.y == expected.y);
            CHECK(found.zz == expected.zz);
            CHECK(found.zzz == expected.zzz);
            expected = expected.doubled();
        }
    }
}
