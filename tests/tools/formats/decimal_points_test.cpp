// The 3000 points of a public BN254 string, compressed and in decimal.
#include "formats/decimal_points.hpp"
#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "files.hpp"
#include "formats/compressed_point.hpp"
#include "test_data.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::require_fault;

namespace {

constexpr Curve bn = Curve::bn254;

}  // namespace

TEST_CASE("the compressed BN254 points are those in decimal, and their MSM is the host's") {
    CUPOOL_TEST_DATA_OR_SKIP(compressed, "bn254/g1.point");
    CUPOOL_TEST_DATA_OR_SKIP(decimal, "bn254/srs.g1.points.string");
    const auto points = parse_compressed_bn254(test::as_bytes(test::read_text(compressed)));
    REQUIRE(points.size() == 3000);
    CHECK(points == parse_decimal_points<bn>(test::read_text(decimal)));
    CHECK_FALSE(find_faulty_point<bn>(points, true).has_value());

    std::mt19937_64 random(3);
    const auto scalars = test::random_scalars(points.size(), random);
    const auto result = test::msm_on<bn>(test::engine_under_test(), points, scalars);
    CHECK(result == test::msm_on<bn>(DevicePool::host(), points, scalars));
    CHECK(result == test::sum_term_by_term<bn>(points, scalars));
}

TEST_CASE("decimal points are read, and refused with their line and column") {
    CHECK(parse_decimal_points<bn>("1,2\n01,2\r\n") == std::vector<AffinePoint<bn>>{generator<bn>(), generator<bn>()});
    const auto refuse = [](const std::string& text, InputFault fault, const std::string& where) {
        INFO(text);
        require_fault([&] { parse_decimal_points<bn>(text); }, fault, where);
    };
    refuse("", InputFault::empty, "");
    refuse("1,2\n1\n", InputFault::length, "line 2, column 2");
    refuse("1,\n", InputFault::length, "line 1, column 3");
    refuse("1,2a\n", InputFault::digit, "line 1, column 4");
    refuse("1, 2\n", InputFault::digit, "line 1, column 3");
    refuse("1,2,3\n", InputFault::digit, "line 1, column 4");
    refuse("1,3\n", InputFault::not_on_curve, "line 1, column 1");
    refuse("21888242871839275222246405745257275088696311157297823662689037894645226208583,2\n", InputFault::not_reduced,
           "line 1, column 1");
    refuse("1," + std::string(200, '9') + "\n", InputFault::not_reduced, "line 1, column 3");
    refuse("1,115792089237316195423570985008687907853269984665640564039457584007913129639938\n", InputFault::not_reduced,
           "line 1, column 3");  // 2^256 + 2, which would be 2 if the carry were lost
}
