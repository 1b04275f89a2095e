#pragma once

/// \file
/// Prime fields on the host, eight elements side by side, by AVX-512 IFMA: limbs of 52 bits, a vector register each, Montgomery form with
/// R = 2^(52 limbs). An element is any number below 1.1 p that is right modulo p, unless a function says otherwise; over the scalar field
/// of BLS12-381 below 1.2 p.
///
/// The limbs leave room above the modulus (R > 64 p, over the scalar field of BLS12-381 R > 32 p), so that products of elements, and of
/// sums and differences of a few of them, are elements without a final subtraction: (a b + q p) / R < a b / R + p. Method: Gueron and
/// Krasnov, "Software Implementation of Modular Exponentiation, Using Advanced Vector Instructions Architectures" (WAIFI 2012); Edamatsu
/// and Takahashi, "Accelerating Large Integer Multiplication Using Intel AVX-512IFMA" (ICA3PP 2019). Not constant-time: cupool's inputs are
/// public.
///
/// Each function is compiled for these instructions, whatever the rest of the library is compiled for, and is to be called only where
/// has_vector_unit() says so. No lambdas in them: GCC compiles those for the rest's.

#if defined(__x86_64__)
#define CUPOOL_HAS_VECTOR_FIELD 1

#include <array>

#include "field/host_field.hpp"
#include "field/x86_intrinsics.hpp"

#if !defined(CUPOOL_VECTOR)  // tests define both to run this code without a vector unit
#define CUPOOL_VECTOR [[gnu::target("avx512f,avx512dq,avx512ifma")]]
#define CUPOOL_VECTOR_INLINE [[gnu::target("avx512f,avx512dq,avx512ifma"), gnu::always_inline]] inline
#endif

namespace cupool::detail {

/// Whether this processor has the instructions, and its system saves their registers.
inline bool has_vector_unit() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512ifma");
}

/// Elements in a vector.
constexpr std::size_t vector_lanes = 8;

/// An integer of eight limbs of 52 bits, least significant first.
using VectorLimbs = std::array<std::uint64_t, 8>;

constexpr unsigned vector_limb_bits = 52;
constexpr std::uint64_t vector_limb_mask = (std::uint64_t{1} << vector_limb_bits) - 1;

template <std::size_t N>
constexpr VectorLimbs to_vector_limbs(const Limbs<N>& integer) {
    VectorLimbs result{};
    for (std::size_t i = 0; i < result.size() && i * vector_limb_bits < 64 * N; ++i) {
        const std::size_t limb = i * vector_limb_bits / 64;
        const std::size_t shift = i * vector_limb_bits % 64;
        result[i] = integer.limbs[limb] >> shift;
        if (shift > 64 - vector_limb_bits && limb + 1 < N) result[i] |= integer.limbs[limb + 1] << (64 - shift);
        result[i] &= vector_limb_mask;
    }
    return result;
}

/// \pre limbs < 2^(64 N)
template <std::size_t N>
constexpr Limbs<N> from_vector_limbs(const VectorLimbs& limbs) {
    Limbs<N> result;
    for (std::size_t i = 0; i < limbs.size() && i * vector_limb_bits < 64 * N; ++i) {
        const std::size_t limb = i * vector_limb_bits / 64;
        const std::size_t shift = i * vector_limb_bits % 64;
        result.limbs[limb] |= limbs[i] << shift;
        if (shift > 64 - vector_limb_bits && limb + 1 < N) result.limbs[limb + 1] |= limbs[i] >> (64 - shift);
    }
    return result;
}

/// Turns rows into columns: element i of row j becomes element j of row i.
CUPOOL_VECTOR_INLINE void transpose(__m512i (&rows)[8]) {
    __m512i pairs[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        pairs[2 * i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);  // its columns 0, 2, 4, 6 of two rows
        pairs[2 * i + 1] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
    }
#pragma GCC unroll 2
    for (int odd = 0; odd < 2; ++odd) {
        const __m512i upper_low = _mm512_shuffle_i64x2(pairs[odd], pairs[odd + 2], 0x88);  // columns 0 and 4 of rows 0 to 3
        const __m512i upper_high = _mm512_shuffle_i64x2(pairs[odd], pairs[odd + 2], 0xdd);
        const __m512i lower_low = _mm512_shuffle_i64x2(pairs[odd + 4], pairs[odd + 6], 0x88);
        const __m512i lower_high = _mm512_shuffle_i64x2(pairs[odd + 4], pairs[odd + 6], 0xdd);
        rows[odd] = _mm512_shuffle_i64x2(upper_low, lower_low, 0x88);
        rows[odd + 2] = _mm512_shuffle_i64x2(upper_high, lower_high, 0x88);
        rows[odd + 4] = _mm512_shuffle_i64x2(upper_low, lower_low, 0xdd);
        rows[odd + 6] = _mm512_shuffle_i64x2(upper_high, lower_high, 0xdd);
    }
}

/// Eight elements of the field with these PrimeField parameters.
template <class Parameters>
class alignas(64) VectorField {  // which GCC takes to be 16 where the code around is compiled for smaller vectors
public:
    using Element = HostField<Parameters>;
    using Integer = typename Element::Integer;
    using LaneMask = __mmask8;

    static constexpr std::size_t limbs = (bit_length(Element::modulus) + 5 + vector_limb_bits - 1) / vector_limb_bits;

    CUPOOL_VECTOR_INLINE static VectorField zero() {
        VectorField result;
#pragma GCC unroll 8
        for (__m512i& limb : result.limb_) limb = _mm512_setzero_si512();
        return result;
    }

    /// The same number in each lane: in Montgomery form, an element.
    CUPOOL_VECTOR_INLINE static VectorField broadcast(const VectorLimbs& value) {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = _mm512_set1_epi64(static_cast<long long>(value[i]));
        return result;
    }
    CUPOOL_VECTOR_INLINE static VectorField one() { return broadcast(montgomery_one); }

    /// Of limbs of 52 bits, least significant first.
    CUPOOL_VECTOR_INLINE static VectorField from_limbs(const __m512i (&values)[limbs]) {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = values[i];
        return result;
    }
    CUPOOL_VECTOR_INLINE const __m512i& limb(std::size_t i) const { return limb_[i]; }

    /// Lane i from rows[i].
    CUPOOL_VECTOR_INLINE static VectorField load(const std::uint64_t* const (&rows)[vector_lanes]) {
        __m512i columns[vector_lanes];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < vector_lanes; ++i) columns[i] = _mm512_load_si512(rows[i]);
        transpose(columns);
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = columns[i];
        return result;
    }

    /// Lane i to rows[i]; what lies above the limbs becomes zero.
    CUPOOL_VECTOR_INLINE void store(std::uint64_t* const (&rows)[vector_lanes]) const {
        __m512i columns[vector_lanes];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < vector_lanes; ++i) columns[i] = i < limbs ? limb_[i] : _mm512_setzero_si512();
        transpose(columns);
        for (std::size_t i = 0; i < vector_lanes; ++i) _mm512_store_si512(rows[i], columns[i]);
    }

    /// left * right / R. \pre left * right < 6 p^2; over the scalar field of BLS12-381 6.5 p^2
    CUPOOL_VECTOR [[gnu::noinline]] static VectorField product(const VectorField& left, const VectorField& right) {
        __m512i columns[2 * limbs];
#pragma GCC unroll 8
        for (__m512i& column : columns) column = _mm512_setzero_si512();
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            const __m512i digit = left.limb_[i];
#pragma GCC unroll 8
            for (std::size_t j = 0; j < limbs; ++j) columns[i + j] = _mm512_madd52lo_epu64(columns[i + j], digit, right.limb_[j]);
#pragma GCC unroll 8
            for (std::size_t j = 0; j < limbs; ++j) columns[i + j + 1] = _mm512_madd52hi_epu64(columns[i + j + 1], digit, right.limb_[j]);
        }
        return montgomery_reduced(columns);
    }

    /// Each product of two different limbs is made once and counts twice.
    CUPOOL_VECTOR [[gnu::noinline]] VectorField square() const {
        __m512i columns[2 * limbs];
#pragma GCC unroll 8
        for (__m512i& column : columns) column = _mm512_setzero_si512();
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
#pragma GCC unroll 8
            for (std::size_t j = i + 1; j < limbs; ++j) {
                columns[i + j] = _mm512_madd52lo_epu64(columns[i + j], limb_[i], limb_[j]);
                columns[i + j + 1] = _mm512_madd52hi_epu64(columns[i + j + 1], limb_[i], limb_[j]);
            }
        }
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            columns[2 * i] = _mm512_madd52lo_epu64(_mm512_add_epi64(columns[2 * i], columns[2 * i]), limb_[i], limb_[i]);
            columns[2 * i + 1] = _mm512_madd52hi_epu64(_mm512_add_epi64(columns[2 * i + 1], columns[2 * i + 1]), limb_[i], limb_[i]);
        }
        return montgomery_reduced(columns);
    }

    // Sums of limbs, without carries: to be normalized() or reduced() after a few of these.

    CUPOOL_VECTOR_INLINE VectorField plus(const VectorField& other) const {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = _mm512_add_epi64(limb_[i], other.limb_[i]);
        return result;
    }
    CUPOOL_VECTOR_INLINE VectorField minus(const VectorField& other) const {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = _mm512_sub_epi64(limb_[i], other.limb_[i]);
        return result;
    }
    CUPOOL_VECTOR_INLINE VectorField negated_where(LaneMask mask) const {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            result.limb_[i] = _mm512_mask_sub_epi64(limb_[i], mask, _mm512_setzero_si512(), limb_[i]);
        }
        return result;
    }
    template <unsigned Multiple>
    CUPOOL_VECTOR_INLINE VectorField plus_moduli() const {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            result.limb_[i] = _mm512_add_epi64(limb_[i], _mm512_set1_epi64(static_cast<long long>(multiples[i][Multiple])));
        }
        return result;
    }

    /// The same number with its carries done. \pre it is not negative
    CUPOOL_VECTOR_INLINE VectorField normalized() const {
        VectorField result = *this;
#pragma GCC unroll 8
        for (std::size_t i = 0; i + 1 < limbs; ++i) {
            result.limb_[i + 1] = _mm512_add_epi64(result.limb_[i + 1], _mm512_srai_epi64(result.limb_[i], vector_limb_bits));
            result.limb_[i] = _mm512_and_si512(result.limb_[i], _mm512_set1_epi64(vector_limb_mask));
        }
        return result;
    }

    /// The number modulo p, an element: less as many times p as its highest limb shows it to have. \pre it lies from p / 2 to 7 p
    CUPOOL_VECTOR_INLINE VectorField reduced() const {
        // With the carry from the limb below and less one, the highest limb is at most what it would be with all carries done.
        const __m512i carry = _mm512_srai_epi64(limb_[limbs - 2], vector_limb_bits);
        const __m512i highest = _mm512_sub_epi64(_mm512_add_epi64(limb_[limbs - 1], carry), _mm512_set1_epi64(1));
        const __m512i quotient =
            _mm512_madd52hi_epu64(_mm512_setzero_si512(), highest, _mm512_set1_epi64(static_cast<long long>(highest_limb_inverse)));
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            result.limb_[i] = _mm512_sub_epi64(limb_[i], _mm512_permutexvar_epi64(quotient, _mm512_load_si512(multiples[i].data())));
        }
        return result.normalized();
    }

    /// The lanes that may hold a multiple of p up to 3 p: all that do, and one in 2^50 of the others. \pre normalized
    CUPOOL_VECTOR_INLINE LaneMask may_be_zero() const {
        LaneMask mask = _mm512_testn_epi64_mask(limb_[0], limb_[0]);
        for (std::size_t k = 1; k <= 3; ++k) {
            mask =
                static_cast<LaneMask>(mask | _mm512_cmpeq_epi64_mask(limb_[0], _mm512_set1_epi64(static_cast<long long>(multiples[0][k]))));
        }
        return mask;
    }

    /// The lanes that hold a multiple of p, up to 7 p. \pre normalized
    CUPOOL_VECTOR LaneMask is_zero() const {
        LaneMask any = 0;
        for (std::size_t k = 0; k < 8; ++k) {
            LaneMask all = 0xff;
#pragma GCC unroll 8
            for (std::size_t i = 0; i < limbs; ++i) {
                all = _mm512_mask_cmpeq_epi64_mask(all, limb_[i], _mm512_set1_epi64(static_cast<long long>(multiples[i][k])));
            }
            any = static_cast<LaneMask>(any | all);
        }
        return any;
    }

    /// The lanes that hold the number 0.
    CUPOOL_VECTOR_INLINE LaneMask is_exactly_zero() const {
        __m512i bits = limb_[0];
#pragma GCC unroll 8
        for (std::size_t i = 1; i < limbs; ++i) bits = _mm512_or_si512(bits, limb_[i]);
        return _mm512_testn_epi64_mask(bits, bits);
    }
    /// The same by the lowest limb: all such lanes, and few others.
    CUPOOL_VECTOR_INLINE LaneMask may_be_exactly_zero() const { return _mm512_testn_epi64_mask(limb_[0], limb_[0]); }

    /// In the lanes of the mask `other`, else this.
    CUPOOL_VECTOR_INLINE VectorField with(LaneMask mask, const VectorField& other) const {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = _mm512_mask_mov_epi64(limb_[i], mask, other.limb_[i]);
        return result;
    }

    /// All lanes' inverses, by one inversion. \pre no lane is zero
    CUPOOL_VECTOR [[gnu::noinline]] VectorField inverse() const {
        // Products of lanes 4, 2 and 1 apart: each lane of the last holds the product of all eight.
        const VectorField apart4 = rotated<4>();
        const VectorField pairs = product(*this, apart4);
        const VectorField apart2 = pairs.template rotated<2>();
        const VectorField quadruples = product(pairs, apart2);
        const VectorField apart1 = quadruples.template rotated<1>();
        const Element all = product(quadruples, apart1).first_lane();
        const VectorField inverse_of_all =
            product(broadcast(to_vector_limbs(all.inverse().montgomery())), broadcast(from_montgomery_factor));
        return product(product(inverse_of_all, apart1), product(apart2, apart4));
    }

    /// One lane's value.
    static Element to_element(const VectorLimbs& lane) {
        Integer value = from_vector_limbs<Element::limbs>(lane);
        if (!is_less(value, Element::modulus)) subtract_from(value, Element::modulus);
        return Element::from_montgomery(value) * Element::from_montgomery(to_limbs(power_of_two(128 * Parameters::limbs - total_bits)));
    }

    /// What takes integers to Montgomery form, times the integer; and those that are in HostField's form.
    static constexpr int total_bits = static_cast<int>(limbs * vector_limb_bits);
    static constexpr Words<Parameters::limbs> power_of_two(int exponent) {
        return power_of_two_modulo<Parameters::limbs>(exponent, Parameters::modulus);
    }
    static constexpr VectorLimbs montgomery_one = to_vector_limbs(to_limbs(power_of_two(total_bits)));
    static constexpr VectorLimbs from_standard_factor = to_vector_limbs(to_limbs(power_of_two(2 * total_bits)));
    static constexpr VectorLimbs from_montgomery_factor = to_vector_limbs(to_limbs(power_of_two(2 * total_bits - 64 * Parameters::limbs)));

private:
    template <int Lanes>
    CUPOOL_VECTOR_INLINE VectorField rotated() const {
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = _mm512_alignr_epi64(limb_[i], limb_[i], Lanes);
        return result;
    }

    CUPOOL_VECTOR_INLINE Element first_lane() const {
        VectorLimbs lane{};
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            lane[i] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(limb_[i])));
        }
        return to_element(lane);
    }

    /// multiples[i][k] is limb i of k p.
    static constexpr std::array<VectorLimbs, limbs> multiples_of_modulus() {
        std::array<VectorLimbs, limbs> result{};
        const VectorLimbs modulus = to_vector_limbs(Element::modulus);
        for (std::size_t k = 0; k < 8; ++k) {
            std::uint64_t carry = 0;
            for (std::size_t i = 0; i < limbs; ++i) {
                const std::uint64_t sum = k * modulus[i] + carry;
                result[i][k] = sum & vector_limb_mask;
                carry = sum >> vector_limb_bits;
            }
        }
        return result;
    }
    alignas(64) static constexpr std::array<VectorLimbs, limbs> multiples = multiples_of_modulus();

    /// 2^52 / (the modulus's highest limb + 1), rounded down: at most 2^52 / that of p, and hardly less.
    static constexpr std::uint64_t highest_limb_inverse = (vector_limb_mask + 1) / (multiples[limbs - 1][1] + 1);

    /// columns / R, modulo p. Adding a multiple of p clears the lowest column but for its carry: one exactly if it was not zero.
    CUPOOL_VECTOR_INLINE static VectorField montgomery_reduced(__m512i (&columns)[2 * limbs]) {
        const __m512i negated_inverse = _mm512_set1_epi64(static_cast<long long>(Parameters::negated_inverse & vector_limb_mask));
        const __m512i mask = _mm512_set1_epi64(vector_limb_mask);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) {
            const __m512i quotient = _mm512_madd52lo_epu64(_mm512_setzero_si512(), columns[i], negated_inverse);
            const __m512i carry = _mm512_srli_epi64(_mm512_add_epi64(columns[i], mask), vector_limb_bits);
            columns[i + 1] = _mm512_add_epi64(columns[i + 1], carry);
#pragma GCC unroll 8
            for (std::size_t j = 0; j < limbs; ++j) {
                const __m512i modulus = _mm512_set1_epi64(static_cast<long long>(multiples[j][1]));
                if (j > 0) columns[i + j] = _mm512_madd52lo_epu64(columns[i + j], quotient, modulus);
                columns[i + j + 1] = _mm512_madd52hi_epu64(columns[i + j + 1], quotient, modulus);
            }
        }
        VectorField result;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < limbs; ++i) result.limb_[i] = columns[limbs + i];
        return result.normalized();
    }

    __m512i limb_[limbs];
};

}  // namespace cupool::detail

#endif
