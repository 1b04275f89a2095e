#pragma once

/// \file
/// Eight integers of 256 bits in memory to and from the lanes of a VectorField.

#include "field/vector_field.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

namespace cupool::detail {

CUPOOL_VECTOR_INLINE __m512i two_integers(const Limbs<4>& lower, const Limbs<4>& upper) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&lower));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&upper));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/// Lane i from *integers[i]. Five limbs hold 256 bits.
template <class Vector>
CUPOOL_VECTOR_INLINE Vector load_integers(const Limbs<4>* const (&integers)[vector_lanes]) {
    const __m512i rows[4] = {two_integers(*integers[0], *integers[2]), two_integers(*integers[1], *integers[3]),
                             two_integers(*integers[4], *integers[6]), two_integers(*integers[5], *integers[7])};
    const __m512i even_low = _mm512_unpacklo_epi64(rows[0], rows[1]);  // words 0 and 2 of integers 0 to 3
    const __m512i even_high = _mm512_unpacklo_epi64(rows[2], rows[3]);
    const __m512i odd_low = _mm512_unpackhi_epi64(rows[0], rows[1]);
    const __m512i odd_high = _mm512_unpackhi_epi64(rows[2], rows[3]);
    const __m512i words[4] = {_mm512_shuffle_i64x2(even_low, even_high, 0x88), _mm512_shuffle_i64x2(odd_low, odd_high, 0x88),
                              _mm512_shuffle_i64x2(even_low, even_high, 0xdd), _mm512_shuffle_i64x2(odd_low, odd_high, 0xdd)};
    const __m512i mask = _mm512_set1_epi64(vector_limb_mask);
    __m512i limbs[Vector::limbs];
    limbs[0] = _mm512_and_si512(words[0], mask);
    limbs[1] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(words[0], 52), _mm512_slli_epi64(words[1], 12)), mask);
    limbs[2] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(words[1], 40), _mm512_slli_epi64(words[2], 24)), mask);
    limbs[3] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(words[2], 28), _mm512_slli_epi64(words[3], 36)), mask);
    limbs[4] = _mm512_srli_epi64(words[3], 16);
    for (std::size_t i = 5; i < Vector::limbs; ++i) limbs[i] = _mm512_setzero_si512();
    return Vector::from_limbs(limbs);
}

CUPOOL_VECTOR_INLINE void store_two(Limbs<4>& lower, Limbs<4>& upper, __m512i integers) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(&lower), _mm512_castsi512_si256(integers));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(&upper), _mm512_extracti64x4_epi64(integers, 1));
}

/// Lane i to integers[i]. \pre normalized, and below 2^256
template <class Vector>
CUPOOL_VECTOR_INLINE void store_integers(const Vector& vector, Limbs<4> (&integers)[vector_lanes]) {
    const __m512i words[4] = {_mm512_or_si512(vector.limb(0), _mm512_slli_epi64(vector.limb(1), 52)),
                              _mm512_or_si512(_mm512_srli_epi64(vector.limb(1), 12), _mm512_slli_epi64(vector.limb(2), 40)),
                              _mm512_or_si512(_mm512_srli_epi64(vector.limb(2), 24), _mm512_slli_epi64(vector.limb(3), 28)),
                              _mm512_or_si512(_mm512_srli_epi64(vector.limb(3), 36), _mm512_slli_epi64(vector.limb(4), 16))};
    const __m512i even_low = _mm512_unpacklo_epi64(words[0], words[1]);  // words 0 and 1 of integers 0, 2, 4, 6
    const __m512i even_high = _mm512_unpacklo_epi64(words[2], words[3]);
    const __m512i odd_low = _mm512_unpackhi_epi64(words[0], words[1]);
    const __m512i odd_high = _mm512_unpackhi_epi64(words[2], words[3]);
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    store_two(integers[0], integers[2], _mm512_permutex2var_epi64(even_low, first, even_high));
    store_two(integers[1], integers[3], _mm512_permutex2var_epi64(odd_low, first, odd_high));
    store_two(integers[4], integers[6], _mm512_permutex2var_epi64(even_low, second, even_high));
    store_two(integers[5], integers[7], _mm512_permutex2var_epi64(odd_low, second, odd_high));
}

}  // namespace cupool::detail

#endif
