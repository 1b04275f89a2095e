// Stands in for the vector registers and instructions of AVX-512 IFMA that vector_field.hpp uses: each lane holds all numbers from `least`
// to `most`. Where both are the same, the instructions do exactly what the processor's do. Includes vector_field.hpp, which then needs no
// vector unit. An instruction that would lose bits fails the test.
#pragma once

#include "field/host_field.hpp"
#include "field/x86_intrinsics.hpp"

#if defined(__x86_64__)

#include "decisions.hpp"

namespace cupool::test {

__extension__ using Int128 = __int128;

constexpr Int128 limb_end = Int128{1} << 52;

struct Interval {
    Int128 least = 0;
    Int128 most = 0;

    bool is_number() const { return least == most; }
    bool is_within(Int128 first, Int128 last) const { return first <= least && most <= last; }
};

/// The interval, which a lane has room for.
inline Interval checked(Interval interval) {
    require_bound(interval.is_within(-(Int128{1} << 63), (Int128{1} << 63) - 1), "a lane overflows");
    return interval;
}

struct IntervalRegister {
    Interval lane[8];
};

/// The register whose lane i is function(i).
template <class Function>
IntervalRegister each_lane(const Function& function) {
    IntervalRegister result;
    for (int i = 0; i < 8; ++i) result.lane[i] = checked(function(i));
    return result;
}

/// The one constant whose multiplication means to look at the other factor's low 52 bits alone.
inline std::uint64_t truncating_factor = 0;

inline Interval low_limb(Interval number) {
    if (number.is_number()) return {number.least & (limb_end - 1), number.least & (limb_end - 1)};
    return number.is_within(0, limb_end - 1) ? number : Interval{0, limb_end - 1};
}

inline Interval limb_product(Interval left, Interval right) {
    const Interval limb{0, limb_end - 1};
    if (right.is_number() && right.least == static_cast<Int128>(truncating_factor)) left = low_limb(left);
    require_bound(left.is_within(limb.least, limb.most) && right.is_within(limb.least, limb.most), "a factor has more than 52 bits");
    return {left.least * right.least, left.most * right.most};
}

}  // namespace cupool::test

// Some of these are macros with some compilers and settings.
#undef _mm512_srai_epi64
#undef _mm512_srli_epi64
#undef _mm512_shuffle_i64x2
#undef _mm512_alignr_epi64
#undef _mm512_permutexvar_epi64
#undef _mm512_cmpeq_epi64_mask
#undef _mm512_mask_cmpeq_epi64_mask

namespace cupool::detail {

using test::each_lane;
using test::Interval;
using test::IntervalRegister;

inline IntervalRegister _mm512_setzero_si512() { return {}; }
inline IntervalRegister _mm512_set1_epi64(long long value) {
    return each_lane([=](int) { return Interval{value, value}; });
}
inline IntervalRegister _mm512_load_si512(const std::uint64_t* words) {
    return each_lane([=](int i) { return Interval{static_cast<test::Int128>(words[i]), static_cast<test::Int128>(words[i])}; });
}
inline IntervalRegister _mm512_add_epi64(const IntervalRegister& a, const IntervalRegister& b) {
    return each_lane([&](int i) { return Interval{a.lane[i].least + b.lane[i].least, a.lane[i].most + b.lane[i].most}; });
}
inline IntervalRegister _mm512_sub_epi64(const IntervalRegister& a, const IntervalRegister& b) {
    return each_lane([&](int i) { return Interval{a.lane[i].least - b.lane[i].most, a.lane[i].most - b.lane[i].least}; });
}
inline IntervalRegister _mm512_srai_epi64(const IntervalRegister& a, unsigned count) {
    return each_lane([&](int i) { return Interval{a.lane[i].least >> count, a.lane[i].most >> count}; });
}
inline IntervalRegister _mm512_srli_epi64(const IntervalRegister& a, unsigned count) {
    for (const Interval& lane : a.lane) test::require_bound(lane.least >= 0, "a negative lane is shifted without its sign");
    return _mm512_srai_epi64(a, count);
}
/// Of the mask of a limb.
inline IntervalRegister _mm512_and_si512(const IntervalRegister& a, const IntervalRegister& mask) {
    for (const Interval& lane : mask.lane)
        test::require_bound(lane.is_number() && lane.least + 1 == test::limb_end, "another mask is used");
    return each_lane([&](int i) { return test::low_limb(a.lane[i]); });
}
inline IntervalRegister _mm512_madd52lo_epu64(const IntervalRegister& sum, const IntervalRegister& a, const IntervalRegister& b) {
    return each_lane([&](int i) {
        const Interval low = test::low_limb(test::limb_product(a.lane[i], b.lane[i]));
        return Interval{sum.lane[i].least + low.least, sum.lane[i].most + low.most};
    });
}
inline IntervalRegister _mm512_madd52hi_epu64(const IntervalRegister& sum, const IntervalRegister& a, const IntervalRegister& b) {
    return each_lane([&](int i) {
        const Interval product = test::limb_product(a.lane[i], b.lane[i]);
        return Interval{sum.lane[i].least + (product.least >> 52), sum.lane[i].most + (product.most >> 52)};
    });
}
inline IntervalRegister _mm512_permutexvar_epi64(const IntervalRegister& index, const IntervalRegister& table) {
    return each_lane([&](int i) {
        test::require_bound(index.lane[i].is_within(0, 7), "a table has no such place");
        Interval hull = table.lane[static_cast<int>(index.lane[i].least)];
        for (auto k = static_cast<int>(index.lane[i].least); k <= static_cast<int>(index.lane[i].most); ++k) {
            hull = {std::min(hull.least, table.lane[k].least), std::max(hull.most, table.lane[k].most)};
        }
        return hull;
    });
}

// Of functions that no test calls.
IntervalRegister _mm512_or_si512(const IntervalRegister&, const IntervalRegister&);
IntervalRegister _mm512_mask_sub_epi64(const IntervalRegister&, __mmask8, const IntervalRegister&, const IntervalRegister&);
IntervalRegister _mm512_mask_mov_epi64(const IntervalRegister&, __mmask8, const IntervalRegister&);
IntervalRegister _mm512_unpacklo_epi64(const IntervalRegister&, const IntervalRegister&);
IntervalRegister _mm512_unpackhi_epi64(const IntervalRegister&, const IntervalRegister&);
IntervalRegister _mm512_shuffle_i64x2(const IntervalRegister&, const IntervalRegister&, int);
IntervalRegister _mm512_alignr_epi64(const IntervalRegister&, const IntervalRegister&, int);
__mmask8 _mm512_testn_epi64_mask(const IntervalRegister&, const IntervalRegister&);
__mmask8 _mm512_cmpeq_epi64_mask(const IntervalRegister&, const IntervalRegister&);
__mmask8 _mm512_mask_cmpeq_epi64_mask(__mmask8, const IntervalRegister&, const IntervalRegister&);
void _mm512_store_si512(std::uint64_t*, const IntervalRegister&);
__m128i _mm512_castsi512_si128(const IntervalRegister&);

}  // namespace cupool::detail

#define CUPOOL_VECTOR
#define CUPOOL_VECTOR_INLINE inline
#define __m512i cupool::test::IntervalRegister
#include "field/vector_field.hpp"
#undef __m512i

#endif
