#include "curve/subgroup.hpp"

#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

template <Curve C>
void check_membership(const AffinePoint<C>& point, int& members, int& strangers) {
    const bool expected = is_infinity(multiply(point, group_order<C>()));
    CHECK(is_in_subgroup(point) == expected);
    ++(expected ? members : strangers);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("the subgroup check agrees with multiplication by r", CUPOOL_EACH_CURVE) {
    int members = 0;
    int strangers = 0;
    check_membership(infinity<C>(), members, strangers);
    for (const auto& point : points_by_x<C>(25)) {
        check_membership(point, members, strangers);
        check_membership(negate(point), members, strangers);
        // r * point lies in the cofactor's part of the group, if not at infinity; its sum with a member is no member.
        const auto cofactor_part = multiply(point, group_order<C>());
        check_membership(cofactor_part, members, strangers);
        check_membership(add(cofactor_part, generator<C>()), members, strangers);
    }
    for (const auto& point : generator_multiples<C>(1, 10)) check_membership(point, members, strangers);
    CHECK(members >= 11);
    CHECK((strangers > 20) == (C != Curve::bn254));
}

TEMPLATE_TEST_CASE_SIG("the subgroup check agrees with multiplication by r for points of small order", "[kernels]", ((Curve C), C),
                       Curve::bls12_381, Curve::bls12_377) {
    // The curve has (1 + u)^2 / 3 or (1 - u)^2 / 3 times r points: multiplying by parts of that leaves points of small order.
    const std::uint64_t root = C == Curve::bls12_381 ? Parameters<C>::u + 1 : Parameters<C>::u - 1;  // of 3 * cofactor
    int members = 0;
    int strangers = 0;
    for (const auto& point : points_by_x<C>(10)) {
        AffinePoint<C> small = multiply(point, group_order<C>());
        for (const std::uint64_t prime : {2u, 3u, 11u}) {
            std::uint64_t rest = root;
            while (rest % prime == 0) rest /= prime;
            check_membership(multiply(multiply(small, scalar_of(rest)), scalar_of(rest)), members, strangers);
        }
    }
    const auto at_zero = points_with_x<C>({});  // of order 3
    REQUIRE(at_zero);
    CHECK(is_infinity(multiply((*at_zero)[0], scalar_of(3))));
    check_membership((*at_zero)[0], members, strangers);
    CHECK(strangers > 5);
}

TEMPLATE_TEST_CASE_SIG("the subgroup check of G2 agrees with multiplication by r for points of small order", "[kernels]", ((Curve C), C),
                       Curve::bn254_g2, Curve::bls12_381_g2) {
    // The twists have 2 p - r and (u^8 - 4 u^7 + 5 u^6 - 4 u^4 + 6 u^3 - 4 u^2 - 4 u + 13) / 9 times r points: their small primes, and what
    // is left without those.
    std::vector<std::uint64_t> primes = {10069, 5864401};
    Limbs<7> rest{{0xaf6cd49c00d8fc09, 0x5a33b9e8abb3d17a, 0x30bfcb44c899abde, 0x00000000038513a8}};
    if constexpr (C == Curve::bls12_381_g2) {
        primes = {13, 13, 23, 23, 2713, 11953, 262069};
        rest = {{0x826d177200c0d3b1, 0x77d87384d026cd73, 0xfab9c0da5cf222c3, 0xa9d75bb98b95878a, 0xe0490c5afca1eeb2, 0x423572788bea4d6a,
                 0x8d9f503deeeb5d5c}};
    }
    int members = 0;
    int strangers = 0;
    for (const auto& point : points_by_x<C>(5)) {
        const HostXyzz<C> of_small_primes = multiply(HostXyzz<C>::from(load(multiply(point, group_order<C>()), false)), rest);
        for (std::size_t kept = 0; kept <= primes.size(); ++kept) {
            HostXyzz<C> small = of_small_primes;
            for (std::size_t i = 0; i < primes.size(); ++i) {
                if (i != kept) small = multiply(small, primes[i]);
            }
            const auto affine = store_affine<C>(normalized(small), false);
            CHECK(is_infinity(multiply(affine, scalar_of(kept < primes.size() ? primes[kept] : 1))));
            check_membership(affine, members, strangers);
            check_membership(add(affine, generator<C>()), members, strangers);
        }
    }
    CHECK(strangers > 5);
    CHECK(members > 5);
}
