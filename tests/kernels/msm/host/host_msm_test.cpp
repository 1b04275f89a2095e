#include "msm/host/host_msm.hpp"

#include <cupool/driver/error.hpp>
#include <cupool/kernels/point.hpp>

#include "big_integer.hpp"
#include "catch.hpp"
#include "inputs.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

MsmConfig on_threads(unsigned threads) {
    MsmConfig config;
    config.ctx = DeviceContext::host(threads);
    return config;
}

/// G2 costs three times as much: a sample does there.
template <Curve C>
constexpr bool is_costly = base_field_degree<C> == 2;

std::vector<Scalar> random_scalars(std::size_t count) {
    std::mt19937_64 bits(count);
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < count; ++i) scalars.push_back(random_limbs<4>(bits));
    return scalars;
}

/// (sum of scalars[i] * (i + 1) modulo r) * G: the MSM over the points (i + 1) * G.
template <Curve C>
AffinePoint<C> closed_form(std::span<const Scalar> scalars) {
    BigInteger factor;
    for (std::size_t i = 0; i < scalars.size(); ++i) factor = factor + BigInteger(scalars[i]) * (i + 1);
    return multiply(generator<C>(), (factor % BigInteger(group_order<C>())).template limbs<4>());
}

/// In any processor's way and in the vector unit's, where there is one for the curve.
template <Curve C>
AffinePoint<C> run(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                   HostMsmLimits limits = {}) {
    const AffinePoint<C> sum = to_affine(msm_on_host<C>(scalars, points, config, limits));
    if (base_field_degree<C> == 1) {
        limits.vectors = false;
        CHECK(to_affine(msm_on_host<C>(scalars, points, config, limits)) == sum);
    }
    return sum;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("host MSMs equal the sum term by term", CUPOOL_EACH_CURVE) {
    const auto points = generator_multiples<C>(5, 20);
    const auto scalars = random_scalars(20);
    AffinePoint<C> sum;
    for (std::size_t count = 0;; ++count) {
        CHECK(run<C>(std::span(scalars).first(count), std::span(points).first(count), on_threads(2)) == sum);
        if (count == points.size()) break;
        sum = add(sum, multiply(points[count], scalars[count]));
    }
}

TEMPLATE_TEST_CASE_SIG("host MSMs equal the closed form on any number of threads", CUPOOL_EACH_CURVE) {
    const auto points = generator_multiples<C>(1, is_costly<C> ? 4097 : 1 << 14);
    const auto scalars = random_scalars(points.size());
    for (const std::size_t count : {33, 255, 256, 1000, 4097, 1 << 14}) {
        if (count > points.size()) continue;
        const auto some = std::span(scalars).first(count);
        const auto expected = closed_form<C>(some);
        for (const unsigned threads : {1, 2, 3, 7}) {
            INFO(count << " terms on " << threads << " threads");
            CHECK(run<C>(some, std::span(points).first(count), on_threads(threads)) == expected);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("host MSMs with windows of every width", CUPOOL_EACH_CURVE) {
    const std::size_t count = 2000;
    const auto points = generator_multiples<C>(1, count);
    const auto scalars = random_scalars(count);
    const auto expected = closed_form<C>(scalars);
    for (int width = 1; width <= 21; width += is_costly<C> || is_sanitized ? 6 : 1) {
        MsmConfig config = on_threads(static_cast<unsigned>(width) % 4 + 1);
        config.c = width;
        INFO("width " << width);
        CHECK(run<C>(scalars, points, config) == expected);
    }
}

TEMPLATE_TEST_CASE_SIG("host MSMs in chunks and in groups of windows", CUPOOL_EACH_CURVE) {
    const std::size_t count = 1001;
    const auto points = generator_multiples<C>(1, count);
    const auto scalars = random_scalars(count);
    const auto expected = closed_form<C>(scalars);
    for (const std::size_t chunk : {100, 1000, 1001, 5000}) {
        for (const std::size_t sorted : {1, 3500}) {
            CHECK(run<C>(scalars, points, on_threads(3), {.chunk_terms = chunk, .sorted_terms = sorted}) == expected);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("host MSMs of skewed scalars and repeated points", CUPOOL_EACH_CURVE) {
    const std::size_t count = 3000;
    const BigInteger r(group_order<C>());
    const auto points = generator_multiples<C>(1, count);
    for (const BigInteger& value :
         {BigInteger(0), BigInteger(1), r - 1, r, r + 1, BigInteger::power_of_two(256) - 1, BigInteger::power_of_two(200)}) {
        const std::vector<Scalar> alike(count, value.limbs<4>());
        CHECK(run<C>(alike, points, on_threads(3)) == closed_form<C>(alike));
    }
    auto scalars = random_scalars(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 3 != 0) scalars[i] = scalar_of(i % 3 - 1);  // as provers have them: many zeros and ones
    }
    CHECK(run<C>(scalars, points, on_threads(3)) == closed_form<C>(scalars));

    const AffinePoint<C> g = generator<C>();
    BigInteger factor;
    std::vector<AffinePoint<C>> repeated;
    for (std::size_t i = 0; i < count; ++i) {
        const std::array<AffinePoint<C>, 3> choice = {g, infinity<C>(), negate(g)};
        repeated.push_back(choice[i % 3]);
        if (i % 3 == 0) factor = factor + BigInteger(scalars[i]);
        if (i % 3 == 2) factor = factor + r - BigInteger(scalars[i]) % r;
    }
    CHECK(run<C>(scalars, repeated, on_threads(2)) == multiply(g, (factor % r).template limbs<4>()));
}

TEMPLATE_TEST_CASE_SIG("host MSMs of scalars of few bits", CUPOOL_EACH_CURVE) {
    const std::size_t count = 3000;
    const auto points = generator_multiples<C>(1, count);
    for (const int bits : {1, 7, 64, 128, static_cast<int>(scalar_bits<C>) - 1, static_cast<int>(scalar_bits<C>), 256}) {
        auto scalars = random_scalars(count);
        for (Scalar& scalar : scalars) {
            const BigInteger reduced = BigInteger(scalar) % BigInteger(group_order<C>());
            scalar = (reduced % BigInteger::power_of_two(static_cast<std::size_t>(bits))).template limbs<4>();
        }
        scalars[7] = BigInteger(group_order<C>()).limbs<4>();  // zero modulo r
        MsmConfig config = on_threads(3);
        config.bitsize = bits;
        INFO(bits << " bits");
        CHECK(run<C>(scalars, points, config) == closed_form<C>(scalars));
        if (bits >= static_cast<int>(scalar_bits<C>)) continue;

        for (const std::size_t index : {2900, 2100, 1}) {  // lower ones as we go
            scalars[index] = BigInteger::power_of_two(static_cast<std::size_t>(bits)).limbs<4>();
            try {
                run<C>(scalars, points, config, {.chunk_terms = 2050});
                FAIL("nothing was thrown");
            } catch (const Error& error) {
                CHECK(error.category() == ErrorCategory::invalid_argument);
                CHECK_THAT(error.what(), contains_text("scalar " + std::to_string(index) + " "));
            }
        }
    }
}

TEMPLATE_TEST_CASE_SIG("host MSMs of operands in Montgomery form", CUPOOL_EACH_CURVE) {
    const std::size_t count = 1500;
    const auto points = generator_multiples<C>(1, count);
    const auto scalars = random_scalars(count);
    const auto expected = closed_form<C>(scalars);
    auto converted_points = points;
    points_to_montgomery_form<C>(converted_points);
    auto converted_scalars = scalars;
    scalars_to_montgomery_form<C>(converted_scalars);

    MsmConfig config = on_threads(2);
    config.are_scalars_montgomery_form = true;
    CHECK(run<C>(converted_scalars, points, config) == expected);
    config.are_points_montgomery_form = true;
    const JacobianPoint<C> sum = msm_on_host<C>(converted_scalars, converted_points, config);
    std::vector<AffinePoint<C>> coordinates = {{sum.x, sum.y}, {sum.z, {}}};  // the result has the points' form
    points_from_montgomery_form<C>(coordinates);
    CHECK(to_affine(JacobianPoint<C>{coordinates[0].x, coordinates[0].y, coordinates[1].x}) == expected);
}

TEMPLATE_TEST_CASE_SIG("msm refuses what contradicts itself", CUPOOL_EACH_CURVE) {
    const std::vector<Scalar> scalars(2);
    const std::vector<AffinePoint<C>> points(2);
    JacobianPoint<C> result;
    const auto refused = [&](const Operand<Scalar>& some_scalars, const Operand<AffinePoint<C>>& some_points, const MsmConfig& config,
                             const std::string& words) {
        try {
            msm<C>(some_scalars, some_points, config, result);
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::invalid_argument);
            CHECK_THAT(error.what(), contains_text(words));
            return;
        }
        FAIL_CHECK("not refused: " << words);
    };
    const Operand<Scalar> host_scalars = std::span(scalars);
    const Operand<AffinePoint<C>> host_points = std::span(points);
    refused(host_scalars, std::span(points).first(1), {}, "2 scalars, but 1 points");
    MsmConfig config;
    for (const int c : {-1, 22}) {
        config.c = c;
        refused(host_scalars, host_points, config, "c is " + std::to_string(c));
    }
    config = {};
    for (const int bitsize : {-1, 257}) {
        config.bitsize = bitsize;
        refused(host_scalars, host_points, config, "bitsize is " + std::to_string(bitsize));
    }
    config = {};
    config.are_scalars_on_device = true;
    refused(host_scalars, host_points, config, "are_scalars_on_device is set");
    refused(DeviceSpan<const Scalar>(0x1000, 2, 1), host_points, config, "the scalars are on device 1, but config.ctx is the host");
    config = {};
    config.are_points_on_device = true;
    refused(host_scalars, host_points, config, "are_points_on_device is set");
    refused(host_scalars, DeviceSpan<const AffinePoint<C>>(0x1000, 2, 1), {}, "are_points_on_device is not set");
}

TEST_CASE("msm on the host says so", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const auto points = generator_multiples<C>(1, 2);
    JacobianPoint<C> result = to_jacobian(points[0]);
    const RunReport report = msm<C>(std::span<const Scalar>(), std::span<const AffinePoint<C>>(), MsmConfig::default_for_host(), result);
    CHECK(is_infinity(to_affine(result)));
    CHECK(report.engine == Engine::host);
    CHECK(report.devices.empty());
    const std::vector<Scalar> ones(2, scalar_of(1));
    CHECK(msm<C>(std::span(ones), std::span(points), {}, result).milliseconds > 0);
    CHECK(to_affine(result) == multiply(points[0], scalar_of(3)));
}
