#include "formats/pairs.hpp"

#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "formats/hex.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::require_fault;

namespace {

constexpr Curve bn = Curve::bn254;
const std::string three(64, '3');

/// On y^2 = x^3 + 4, and of order 3.
const AffinePoint<Curve::bls12_381> outside_subgroup = {{}, {{2}}};

template <Curve C>
void check_round_trip() {
    std::mt19937_64 random(2);
    auto points = generator_multiples<C>(1, 50);
    points[7] = infinity<C>();
    const auto scalars = test::random_scalars(points.size(), random);
    std::string text;
    for (std::size_t i = 0; i < points.size(); ++i) text += pair_line(points[i], scalars[i]) + (i % 2 == 0 ? "\n" : "\r\n");
    const auto pairs = parse_pairs<C>(text);
    CHECK(pairs.points == points);
    CHECK(pairs.scalars == scalars);
    text.pop_back();
    CHECK(parse_pairs<C>(text).points == points);
}

}  // namespace

TEST_CASE("pairs survive printing and parsing on every curve") {
    check_round_trip<Curve::bn254>();
    check_round_trip<Curve::bls12_381>();
    check_round_trip<Curve::bls12_377>();
    check_round_trip<Curve::bn254_g2>();
    check_round_trip<Curve::bls12_381_g2>();
}

TEST_CASE("a pair may be written in short") {
    const auto pairs = parse_pairs<bn>("1 2 0x5\n\t0X01   0x2\tff \ninf 0\n0 0 7\n");
    CHECK(pairs.points == std::vector<AffinePoint<bn>>{generator<bn>(), generator<bn>(), {}, {}});
    CHECK(pairs.scalars == std::vector<Scalar>{{{5}}, {{255}}, {{0}}, {{7}}});
}

TEST_CASE("scalars up to 2^256 - 1 are kept as they are") {
    const auto pairs = parse_pairs<bn>("1 2 " + std::string(64, 'f') + "\n");
    CHECK(pairs.scalars[0] == Scalar{{~0ULL, ~0ULL, ~0ULL, ~0ULL}});
}

TEST_CASE("a faulty pair is refused with its line and column") {
    const std::string good = "1 2 3\n";
    const auto refuse = [&](const std::string& line, InputFault fault, const std::string& where) {
        INFO(line);
        require_fault([&] { parse_pairs<bn>(good + line); }, fault, where);
    };
    refuse("\n", InputFault::length, "line 2, column 1");
    refuse("   \n", InputFault::length, "line 2, column 4");
    refuse("1\n", InputFault::length, "line 2, column 2");
    refuse("1 2\n", InputFault::length, "line 2, column 4");
    refuse("inf\n", InputFault::length, "line 2, column 4");
    refuse("1 2 3 4\n", InputFault::length, "line 2, column 7");
    refuse("inf 3 4\n", InputFault::length, "line 2, column 7");
    refuse("1  2x 3\n", InputFault::digit, "line 2, column 5");
    refuse("1 2 0x\n", InputFault::length, "line 2, column 7");
    refuse("1 2 1" + three + "\n", InputFault::length, "line 2, column 5");
    refuse("1 1" + three + " 3\n", InputFault::length, "line 2, column 3");
    refuse("1 " + three + " 3\n", InputFault::not_reduced, "line 2, column 3");
    refuse(to_hex(base_field_modulus<bn>()) + " 2 3\n", InputFault::not_reduced, "line 2, column 1");
    refuse("1 3 3\n", InputFault::not_on_curve, "line 2, column 1");
    refuse("0 1 3\n", InputFault::not_on_curve, "line 2, column 1");
    refuse("1 2 3\n# a remark\n", InputFault::digit, "line 3, column 1");
}

TEST_CASE("a coordinate of G2 is two numbers, c0 and c1") {
    constexpr Curve twist = Curve::bls12_381_g2;
    const auto [x, y] = generator<twist>();
    CHECK(parse_pairs<twist>(to_hex(x.c0) + ',' + to_hex(x.c1) + ' ' + to_hex(y.c0) + ',' + to_hex(y.c1) + " 1\n0,0 0,0 2\n").points ==
          std::vector<AffinePoint<twist>>{generator<twist>(), infinity<twist>()});
    const auto refuse = [&](const std::string& line, InputFault fault, const std::string& where) {
        INFO(line);
        require_fault([&] { parse_pairs<twist>("inf 3\n" + line); }, fault, where);
    };
    const auto modulus = to_hex(base_field_modulus<twist>());
    refuse("1 2,3 4\n", InputFault::length, "line 2, column 2");
    refuse("1,2 3 4\n", InputFault::length, "line 2, column 6");
    refuse("1, 3,4 5\n", InputFault::length, "line 2, column 3");
    refuse(",1 3,4 5\n", InputFault::length, "line 2, column 1");
    refuse("1,2,3 3,4 5\n", InputFault::digit, "line 2, column 4");
    refuse("0,0 1," + modulus + " 5\n", InputFault::not_reduced, "line 2, column 5");
    refuse(modulus + ",0 0,0 5\n", InputFault::not_reduced, "line 2, column 1");
    refuse(to_hex(AffinePoint<twist>{x, y}.x) + ' ' + to_hex(x) + " 5\n", InputFault::not_on_curve, "line 2, column 1");
    const auto strangers = points_with_x<twist>({{{2}}, {}});
    REQUIRE(strangers);
    refuse(pair_line((*strangers)[0], {{1}}), InputFault::not_in_subgroup, "line 2, column 1");
}

TEST_CASE("no pairs are bad input") {
    require_fault([] { parse_pairs<bn>(""); }, InputFault::empty, "");
}

TEST_CASE("a point outside the subgroup is refused") {
    const auto line = pair_line(outside_subgroup, Scalar{{1}});
    const auto inside = pair_line(generator<Curve::bls12_381>(), Scalar{{1}});
    require_fault([&] { parse_pairs<Curve::bls12_381>(inside + '\n' + inside + '\n' + line); }, InputFault::not_in_subgroup,
                  "line 3, column 1");
}
