#include <cupool/kernels/point.hpp>

#include "big_integer.hpp"
#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::test;

TEMPLATE_TEST_CASE_SIG("points form a group", CUPOOL_EACH_CURVE) {
    const auto points = points_by_x<C>(6);
    for (const auto& a : points) {
        CHECK(is_on_curve(a));
        CHECK(add(a, infinity<C>()) == a);
        CHECK(add(infinity<C>(), a) == a);
        CHECK(is_infinity(add(a, negate(a))));
        CHECK(negate(negate(a)) == a);
        for (const auto& b : points) {
            CHECK(is_on_curve(add(a, b)));
            CHECK(add(a, b) == add(b, a));
            CHECK(add(add(a, b), negate(b)) == a);
            for (const auto& c : points) CHECK(add(add(a, b), c) == add(a, add(b, c)));
        }
    }
    CHECK(is_infinity(negate(infinity<C>())));
}

TEMPLATE_TEST_CASE_SIG("multiplication is repeated addition, of all the scalar's bits", CUPOOL_EACH_CURVE) {
    const auto point = points_by_x<C>(1)[0];
    AffinePoint<C> multiple;
    for (std::uint64_t i = 0; i < 20; ++i) {
        CHECK(multiply(point, scalar_of(i)) == multiple);
        multiple = add(multiple, point);
    }
    const BigInteger r(group_order<C>());
    const auto g = generator<C>();
    CHECK(multiply(g, (r - 1).limbs<4>()) == negate(g));
    CHECK(multiply(g, (r + 5).limbs<4>()) == multiply(g, scalar_of(5)));
    const Scalar largest{{~0ull, ~0ull, ~0ull, ~0ull}};
    CHECK(multiply(g, largest) == multiply(g, (BigInteger(largest) % r).limbs<4>()));
    CHECK(add(multiply(point, largest), point) == multiply(multiply(point, Scalar{{0, 0, 1, 0}}), Scalar{{0, 0, 1, 0}}));
}

TEST_CASE("known multiples of the generators", "[kernels]") {
    // EIP-196's curve: 2 G is in every implementation's tests.
    const AffinePoint<Curve::bn254> bn254 = multiply(generator<Curve::bn254>(), scalar_of(2));
    CHECK(BigInteger(bn254.x) == BigInteger::decimal("1368015179489954701390400359078579693043519447331113978918064868415326638035"));
    CHECK(BigInteger(bn254.y) == BigInteger::decimal("9918110051302171585080402603319702774565515993150576347155970296011118125764"));
    // The double of EIP-197's generator, as verifiers on Ethereum that have it for a constant spell it.
    const AffinePoint<Curve::bn254_g2> bn254_g2 = add(generator<Curve::bn254_g2>(), generator<Curve::bn254_g2>());
    CHECK(BigInteger(bn254_g2.x.c0) ==
          BigInteger::decimal("18029695676650738226693292988307914797657423701064905010927197838374790804409"));
    CHECK(BigInteger(bn254_g2.x.c1) ==
          BigInteger::decimal("14583779054894525174450323658765874724019480979794335525732096752006891875705"));
    CHECK(BigInteger(bn254_g2.y.c0) == BigInteger::decimal("2140229616977736810657479771656733941598412651537078903776637920509952744750"));
    CHECK(BigInteger(bn254_g2.y.c1) ==
          BigInteger::decimal("11474861747383700316476719153975578001603231366361248090558603872215261634898"));
    // EIP-2537's vectors: bls_g1add_(g1+g1=2*g1).
    const AffinePoint<Curve::bls12_381> bls = multiply(generator<Curve::bls12_381>(), scalar_of(2));
    CHECK(bls ==
          AffinePoint<Curve::bls12_381>{
              {{0xc39a8c5529bf0f4e, 0xe28f75bb8f1c7c42, 0x43902d0ac358a62a, 0x9721db3091280125, 0x8808c8eb50a9450c, 0x0572cbea904d6746}},
              {{0xba86881979749d28, 0x4c56d9d4cd16bd1b, 0xf73bb9021d5fd76a, 0x22ba3ecb8670e461, 0x22fda673779d8e38, 0x166a9d8cabc673a3}}});
    // bls_g2add_(g2+g2=2*g2) and bls_g2mul_random*g2.
    const AffinePoint<Curve::bls12_381_g2> g2 = generator<Curve::bls12_381_g2>();
    const Scalar random{{0x1c278fe1462040e3, 0x86af0d3ac7b977f2, 0x7ed85f8938c0f295, 0x263dbd792f5b1be4}};
    CHECK(
        multiply(g2, random) ==
        AffinePoint<Curve::bls12_381_g2>{
            {{{0x85fb09d4bd2733bb, 0xae0a1b9c38f48b55, 0xfc915769d3cc5ab7, 0xe738373b14172f06, 0x7c720e963eedc999, 0x14856c22d8cdb296}},
             {{0xfaab3e8b949d2488, 0x5313fe5845e3a575, 0xb4286a14df7e0313, 0xf3be4d8eefbd42ce, 0x648f5c126cce5417, 0x0c400b70f6f8cd35}}},
            {{{0xec96d7136de81544, 0xf4e73e6b9ea65fe3, 0x8e4ab1c3fd331e80, 0xe76e373194714f10, 0xbeb2f2a19a440166, 0x149a0aacc34beba2}},
             {{0x45cc1a34708285e4, 0xb09a3fd4fa7e2426, 0x4b6a761e676b8799, 0x5b73164500c1ee22, 0x1e8ef6591a7cc99f, 0x0e4622fef26bdb9b}}}});
    CHECK(
        add(g2, g2) ==
        AffinePoint<Curve::bls12_381_g2>{
            {{{0xc952aacab827a053, 0x81f14b0bf3611b78, 0xe1ea1e1e4d00dbae, 0x3bc0b995b8825e0e, 0xd2370f17cc7ed586, 0x1638533957d540a9}},
             {{0x6178288c47c33577, 0xc6c886f6b57ec72a, 0x728114d1031e1572, 0xd70662a904ba1074, 0x9f520e47730a124f, 0x0a4edef9c1ed7f72}}},
            {{{0x999d95d71e4c9899, 0xe88dece9764bf3bd, 0xbfe6bd221e47aa8a, 0x9a66da69bf91009c, 0x0aeb8dca2b525678, 0x0468fb440d82b063}},
             {{0xacdefd8b6e36ccf3, 0x422e1aa0a59c8967, 0x97003f7a13c308f5, 0xa43253d9c66c4116, 0x38b361543f887136, 0x0f6d4552fa65dd26}}}});
}

TEMPLATE_TEST_CASE_SIG("points are refused by what is wrong with them", CUPOOL_EACH_CURVE) {
    const auto p = base_field_modulus<C>();
    const auto g = generator<C>();
    CHECK(is_on_curve(infinity<C>()));
    CHECK(is_on_curve(g));
    CHECK_FALSE(is_on_curve(AffinePoint<C>{g.y, g.x}));
    constexpr auto limbs = base_field_limbs<C>;
    auto unreduced = g;
    for (auto* coordinate : {&unreduced.x, &unreduced.y}) {
        for (auto* coefficient : coefficients(*coordinate)) {
            const auto kept = *coefficient;
            *coefficient = (BigInteger(p) - 1).template limbs<limbs>();
            CHECK(is_reduced<C>(*coordinate));
            *coefficient = p;
            CHECK_FALSE(is_reduced<C>(*coordinate));
            CHECK_FALSE(points_with_x<C>(*coordinate).has_value());
            *coefficient = (BigInteger(kept) + BigInteger(p)).template limbs<limbs>();
            CHECK_FALSE(is_on_curve(unreduced));
            if (coefficient != coefficients(unreduced.y).back()) *coefficient = kept;
        }
    }
    CHECK(is_reduced_scalar<C>((BigInteger(group_order<C>()) - 1).limbs<4>()));
    CHECK_FALSE(is_reduced_scalar<C>(group_order<C>()));

    auto points = generator_multiples<C>(1, 2100);
    const auto fault_at = [&](bool in_subgroup) { return find_faulty_point<C>(points, in_subgroup); };
    CHECK_FALSE(fault_at(true).has_value());
    CHECK_FALSE(find_faulty_point<C>({}, true).has_value());
    points[2099].y = {};
    REQUIRE(fault_at(false).has_value());
    CHECK(fault_at(false)->index == 2099);
    CHECK(fault_at(false)->fault == PointFault::not_on_curve);
    points[1100] = unreduced;
    CHECK(fault_at(true)->index == 1100);
    CHECK(fault_at(true)->fault == PointFault::coordinate_not_reduced);
    points[1099] = infinity<C>();
    CHECK(fault_at(true)->index == 1100);
    if constexpr (C != Curve::bn254) {
        std::size_t at = 100;
        for (const auto& point : points_by_x<C>(10)) {
            if (!is_in_subgroup(point)) points[at--] = point;
        }
        CHECK(fault_at(true)->index == at + 1);
        CHECK(fault_at(true)->fault == PointFault::not_in_subgroup);
        CHECK(fault_at(false)->index == 1100);
    }
}

TEMPLATE_TEST_CASE_SIG("points are found by their x, the smaller y first", CUPOOL_EACH_CURVE) {
    int found = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
        const auto x = coordinate_of<C>(i);
        const auto points = points_with_x<C>(x);
        if (!points) continue;
        ++found;
        for (const auto& point : *points) CHECK((point.x == x && is_on_curve(point)));
        CHECK((*points)[0] == negate((*points)[1]));
        const auto higher_first = [](BaseFieldElement<C> y) {
            std::vector<BigInteger> numbers;
            for (const auto* coefficient : coefficients(y)) numbers.insert(numbers.begin(), BigInteger(*coefficient));
            return numbers;
        };
        CHECK_FALSE(higher_first((*points)[1].y) < higher_first((*points)[0].y));
    }
    CHECK(found > 10);
    CHECK(found < 30);
    for (const auto& g : generator_multiples<C>(1, 10)) {
        const auto points = points_with_x<C>(g.x);
        REQUIRE(points);
        CHECK(((*points)[0] == g || (*points)[1] == g));
    }
}

TEMPLATE_TEST_CASE_SIG("Jacobian points are summed, and go to affine form and back", CUPOOL_EACH_CURVE) {
    const auto points = generator_multiples<C>(1, 6);
    std::vector<JacobianPoint<C>> jacobian;
    for (const auto& point : points) {
        jacobian.push_back(to_jacobian(point));
        CHECK(to_affine(jacobian.back()) == point);
    }
    CHECK(to_affine(sum<C>(jacobian)) == multiply(generator<C>(), scalar_of(21)));
    const JacobianPoint<C> unnormalized = sum<C>(jacobian);
    CHECK(to_affine(sum<C>(std::vector{unnormalized, unnormalized})) == multiply(generator<C>(), scalar_of(42)));
    CHECK(to_affine(sum<C>(std::vector{unnormalized, to_jacobian(infinity<C>())})) == multiply(generator<C>(), scalar_of(21)));
    CHECK(is_infinity(to_affine(sum<C>({}))));
    CHECK(is_infinity(to_affine(to_jacobian(infinity<C>()))));
    CHECK(to_jacobian(infinity<C>()).z == BaseFieldElement<C>{});
}

TEMPLATE_TEST_CASE_SIG("multiples of the generator follow each other", CUPOOL_EACH_CURVE) {
    CHECK(generator_multiples<C>(1, 0).empty());
    const auto points = generator_multiples<C>(0, 2500);
    CHECK(is_infinity(points[0]));
    CHECK(points[1] == generator<C>());
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i] != add(points[i - 1], generator<C>())) FAIL("multiple " << i << " is wrong");
    }
    const auto far = generator_multiples<C>(~std::uint64_t{0} - 1023, 1025);
    CHECK(far[1024] == multiply(generator<C>(), Scalar{{0, 1, 0, 0}}));
}

TEMPLATE_TEST_CASE_SIG("arrays go to Montgomery form and back", CUPOOL_EACH_CURVE) {
    constexpr auto limbs = base_field_limbs<C>;
    const auto points = generator_multiples<C>(0, 1500);
    auto converted = points;
    points_to_montgomery_form<C>(converted);
    const BigInteger p(base_field_modulus<C>());
    for (const std::size_t i : {0, 1, 1023, 1024, 1499}) {
        auto before = points[i];
        for (auto [from, to] : {std::pair(&before.x, &converted[i].x), std::pair(&before.y, &converted[i].y)}) {
            for (std::size_t j = 0; j < coefficients(*from).size(); ++j) {
                CHECK(BigInteger(*coefficients(*to)[j]) == BigInteger(*coefficients(*from)[j]) * BigInteger::power_of_two(64 * limbs) % p);
            }
        }
    }
    points_from_montgomery_form<C>(converted);
    CHECK(converted == points);

    const BigInteger r(group_order<C>());
    std::mt19937_64 bits(5);
    std::vector<Scalar> scalars = {scalar_of(0), scalar_of(1), group_order<C>(), Scalar{{~0ull, ~0ull, ~0ull, ~0ull}}};
    while (scalars.size() < 1100) scalars.push_back(random_limbs<4>(bits));
    auto scaled = scalars;
    scalars_to_montgomery_form<C>(scaled);
    for (const std::size_t i : {0, 1, 2, 3, 4, 1099})
        CHECK(BigInteger(scaled[i]) == BigInteger(scalars[i]) * BigInteger::power_of_two(256) % r);
    scalars_from_montgomery_form<C>(scaled);
    for (const std::size_t i : {0, 1, 2, 3, 4, 1099}) CHECK(BigInteger(scaled[i]) == BigInteger(scalars[i]) % r);
}
