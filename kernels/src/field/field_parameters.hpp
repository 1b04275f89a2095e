#pragma once

/// \file
/// The constants of the prime fields and curves, as 64-bit limbs, least significant first. Device code includes this too: no standard
/// library here but <cstdint>.
///
/// Sources of the moduli: BN254, EIP-196; BLS12-381, RFC 9380 section 8.8.1 and draft-irtf-cfrg-pairing-friendly-curves; BLS12-377, Bowe et
/// al., "Zexe" (IACR ePrint 2018/962). Everything else about a field follows from its modulus and is computed here, at compile time.

#include <cstdint>

#include "support/host_device.hpp"

namespace cupool::detail {

__extension__ using Uint128 = unsigned __int128;

/// An integer of N limbs.
template <int N>
struct Words {
    std::uint64_t limb[N];
};

/// An element c0 + c1 u of a quadratic extension.
template <int N>
struct QuadraticWords {
    Words<N> c0;
    Words<N> c1;
};

/// -modulus^-1 mod 2^64 for an odd modulus, by Newton's iteration: each step doubles the number of right bits, of which there are 3 to
/// start with.
CUPOOL_HOST_DEVICE constexpr std::uint64_t negated_inverse_modulo_word(std::uint64_t modulus) {
    std::uint64_t inverse = modulus;
    for (int right_bits = 3; right_bits < 64; right_bits *= 2) inverse *= 2 - modulus * inverse;
    return 0 - inverse;
}

/// 2^exponent mod modulus, for a modulus with its top bit clear.
template <int N>
CUPOOL_HOST_DEVICE constexpr Words<N> power_of_two_modulo(int exponent, const Words<N>& modulus) {
    Words<N> power{{1}};
    for (int step = 0; step < exponent; ++step) {
        Words<N> doubled{};
        Words<N> reduced{};
        std::uint64_t carry = 0;
        std::uint64_t borrow = 0;
        for (int i = 0; i < N; ++i) {
            doubled.limb[i] = power.limb[i] << 1 | carry;
            carry = power.limb[i] >> 63;
            reduced.limb[i] = doubled.limb[i] - modulus.limb[i] - borrow;
            borrow = doubled.limb[i] < modulus.limb[i] || (doubled.limb[i] == modulus.limb[i] && borrow) ? 1 : 0;
        }
        power = borrow ? doubled : reduced;
    }
    return power;
}

/// A prime field given by the limbs of its modulus. Montgomery's R is 2^(64 limbs).
template <std::uint64_t... ModulusLimbs>
struct PrimeField {
    static constexpr int limbs = sizeof...(ModulusLimbs);
    static constexpr Words<limbs> modulus{{ModulusLimbs...}};
    static constexpr Words<limbs> montgomery_one = power_of_two_modulo<limbs>(64 * limbs, modulus);      ///< R mod p
    static constexpr Words<limbs> montgomery_square = power_of_two_modulo<limbs>(128 * limbs, modulus);  ///< R^2 mod p
    static constexpr std::uint64_t negated_inverse = negated_inverse_modulo_word(modulus.limb[0]);       ///< -p^-1 mod 2^64
};

/// The quadratic extension of a prime field by u, u^2 = -1, which is a field as the modulus is 3 modulo 4.
template <class Field>
struct QuadraticExtension {
    using PrimeField = Field;
    static_assert(Field::modulus.limb[0] % 4 == 3);
};

struct Bn254BaseField : PrimeField<0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029> {};

struct Bn254ScalarField : PrimeField<0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029> {};

struct Bls12381BaseField : PrimeField<0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,  //
                                      0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a> {};

struct Bls12381ScalarField : PrimeField<0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48> {};

struct Bls12377BaseField : PrimeField<0x8508c00000000001, 0x170b5d4430000000, 0x1ef3622fba094800,  //
                                      0x1a22d9f300f5138f, 0xc63b05c06ca1493b, 0x01ae3a4617c510ea> {};

struct Bls12377ScalarField : PrimeField<0x0a11800000000001, 0x59aa76fed0000001, 0x60b44d1e5c37b001, 0x12ab655e9a2ca556> {};

/// Families of pairing-friendly curves, in which the group's order is a polynomial in the family's parameter.
enum class CurveFamily { bn, bls12 };

/// EIP-196's curve; the generator is the one named there.
struct Bn254 {
    static constexpr CurveFamily family = CurveFamily::bn;
    using BaseField = Bn254BaseField;
    using ScalarField = Bn254ScalarField;
    static constexpr std::uint64_t b = 3;
    static constexpr std::uint64_t u = 4965661367192848881;  ///< the family's parameter
    static constexpr Words<4> generator_x{{1}};
    static constexpr Words<4> generator_y{{2}};
};

/// EIP-197's twist and its generator. b is 3 / (9 + u).
struct Bn254G2 {
    using G1 = Bn254;
    using BaseField = QuadraticExtension<Bn254BaseField>;
    using ScalarField = Bn254ScalarField;
    static constexpr QuadraticWords<4> b{{{0x3267e6dc24a138e5, 0xb5b4c5e559dbefa3, 0x81be18991be06ac3, 0x2b149d40ceb8aaae}},
                                         {{0xe4a2bd0685c315d2, 0xa74fa084e52d1852, 0xcd2cafadeed8fdf4, 0x009713b03af0fed4}}};
    static constexpr QuadraticWords<4> generator_x{{{0x46debd5cd992f6ed, 0x674322d4f75edadd, 0x426a00665e5c4479, 0x1800deef121f1e76}},
                                                   {{0x97e485b7aef312c2, 0xf1aa493335a9e712, 0x7260bfb731fb5d25, 0x198e9393920d483a}}};
    static constexpr QuadraticWords<4> generator_y{{{0x4ce6cc0166fa7daa, 0xe3d1e7690c43d37b, 0x4aab71808dcb408f, 0x12c85ea5db8c6deb}},
                                                   {{0x55acdadcd122975b, 0xbc4b313370b38ef3, 0xec9e99ad690c3395, 0x090689d0585ff075}}};
};

/// The generator is that of draft-irtf-cfrg-pairing-friendly-curves section 4.2.1, which EIP-2537 uses too.
struct Bls12381 {
    static constexpr CurveFamily family = CurveFamily::bls12;
    using BaseField = Bls12381BaseField;
    using ScalarField = Bls12381ScalarField;
    static constexpr std::uint64_t b = 4;
    static constexpr std::uint64_t u = 0xd201000000010000;                                              ///< the family's parameter is -u
    static constexpr Words<6> generator_x{{0xfb3af00adb22c6bb, 0x6c55e83ff97a1aef, 0xa14e3a3f171bac58,  //
                                           0xc3688c4f9774b905, 0x2695638c4fa9ac0f, 0x17f1d3a73197d794}};
    static constexpr Words<6> generator_y{{0x0caa232946c5e7e1, 0xd03cc744a2888ae4, 0x00db18cb2c04b3ed,  //
                                           0xfcf5e095d5d00af6, 0xa09e30ed741d8ae4, 0x08b3f481e3aaa0f1}};
};

/// The twist and the generator of the same draft and EIP. b is 4 (1 + u).
struct Bls12381G2 {
    using G1 = Bls12381;
    using BaseField = QuadraticExtension<Bls12381BaseField>;
    using ScalarField = Bls12381ScalarField;
    static constexpr QuadraticWords<6> b{{{4}}, {{4}}};
    static constexpr QuadraticWords<6> generator_x{{{0xd48056c8c121bdb8, 0x0bac0326a805bbef, 0xb4510b647ae3d177,  //
                                                     0xc6e47ad4fa403b02, 0x260805272dc51051, 0x024aa2b2f08f0a91}},
                                                   {{0xe5ac7d055d042b7e, 0x334cf11213945d57, 0xb5da61bbdc7f5049,  //
                                                     0x596bd0d09920b61a, 0x7dacd3a088274f65, 0x13e02b6052719f60}}};
    static constexpr QuadraticWords<6> generator_y{{{0xe193548608b82801, 0x923ac9cc3baca289, 0x6d429a695160d12c,  //
                                                     0xadfd9baa8cbdd3a7, 0x8cc9cdc6da2e351a, 0x0ce5d527727d6e11}},
                                                   {{0xaaa9075ff05f79be, 0x3f370d275cec1da1, 0x267492ab572e99ab,  //
                                                     0xcb3e287e85a763af, 0x32acd2b02bc28b99, 0x0606c4a02ea734cc}}};
};

/// The generator is the one that arkworks and gnark use; others (Aleo's) exist.
struct Bls12377 {
    static constexpr CurveFamily family = CurveFamily::bls12;
    using BaseField = Bls12377BaseField;
    using ScalarField = Bls12377ScalarField;
    static constexpr std::uint64_t b = 1;
    static constexpr std::uint64_t u = 0x8508c00000000001;                                              ///< the family's parameter
    static constexpr Words<6> generator_x{{0xeab9b16eb21be9ef, 0xd5481512ffcd394e, 0x188282c8bd37cb5c,  //
                                           0x85951e2caa9d41bb, 0xc8fc6225bf87ff54, 0x008848defe740a67}};
    static constexpr Words<6> generator_y{{0xfd82de55559c8ea6, 0xc2fe3d3634a9591a, 0x6d182ad44fb82305,  //
                                           0xbd7fb348ca3e52d9, 0x1f674f5d30afeec4, 0x01914a69c5102eff}};
};

}  // namespace cupool::detail
