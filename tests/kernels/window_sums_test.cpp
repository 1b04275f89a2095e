#include "window_sums.hpp"

#include "big_integer.hpp"
#include "catch.hpp"
#include "host_curve.hpp"
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
