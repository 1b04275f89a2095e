#include "formats/usrs.hpp"

#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "files.hpp"
#include "formats/limbs.hpp"
#include "test_data.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::require_fault;

namespace {

constexpr Curve bls = Curve::bls12_377;

std::vector<std::uint8_t> usrs_of(const std::vector<AffinePoint<bls>>& points, std::uint64_t count) {
    std::vector<std::uint8_t> bytes;
    const auto append = [&](auto big_endian) { bytes.insert(bytes.end(), big_endian.rbegin(), big_endian.rend()); };
    append(to_big_endian(Limbs<1>{{count}}));
    for (const auto& point : points) {
        append(to_big_endian(point.x));
        append(to_big_endian(point.y));
    }
    return bytes;
}

}  // namespace

TEST_CASE("a reference string of BLS12-377 is read whole, and its MSM is the host's") {
    CUPOOL_TEST_DATA_OR_SKIP(file, "bls12_377/powers-of-beta-15.usrs");
    const auto points = parse_usrs(test::as_bytes(test::read_text(file)));  // which checks the curve and the subgroup
    REQUIRE(points.size() == 32768);

    std::mt19937_64 random(4);
    const auto scalars = test::random_scalars(points.size(), random);
    const auto result = test::msm_on<bls>(test::engine_under_test(), points, scalars);
    CHECK(result == test::msm_on<bls>(DevicePool::host(), points, scalars));

    const std::vector<AffinePoint<bls>> some(points.begin(), points.begin() + 500);
    const std::vector<Scalar> some_scalars(scalars.begin(), scalars.begin() + 500);
    CHECK(test::msm_on<bls>(test::engine_under_test(), some, some_scalars) == test::sum_term_by_term<bls>(some, some_scalars));
}

TEST_CASE("a .usrs file has as many points as it says, each a good one") {
    auto points = generator_multiples<bls>(5, 4);
    CHECK(parse_usrs(usrs_of(points, 4)) == points);
    CHECK(parse_usrs(usrs_of({}, 0)).empty());
    require_fault([] { parse_usrs({}); }, InputFault::empty, "");
    require_fault([] { parse_usrs(std::vector<std::uint8_t>(7)); }, InputFault::length, "byte 0");
    require_fault([&] { parse_usrs(usrs_of(points, 5)); }, InputFault::length, "byte 0");
    require_fault([&] { parse_usrs(usrs_of(points, 3)); }, InputFault::length, "byte 0");
    require_fault([&] { parse_usrs(usrs_of(points, ~std::uint64_t{0} / 96 + 5)); }, InputFault::length, "byte 0");
    auto bytes = usrs_of(points, 4);
    bytes.pop_back();
    require_fault([&] { parse_usrs(bytes); }, InputFault::length, "byte 0");

    points[2].y = base_field_modulus<bls>();
    require_fault([&] { parse_usrs(usrs_of(points, 4)); }, InputFault::not_reduced, "point 2 (byte 200)");
    points[2].y = points[1].y;
    require_fault([&] { parse_usrs(usrs_of(points, 4)); }, InputFault::not_on_curve, "point 2 (byte 200)");
    points[2] = {{{}}, {{1}}};  // on the curve, y^2 = x^3 + 1, and of order 3
    require_fault([&] { parse_usrs(usrs_of(points, 4)); }, InputFault::not_in_subgroup, "point 2 (byte 200)");
}
