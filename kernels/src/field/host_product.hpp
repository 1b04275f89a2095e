#pragma once

/// \file
/// Montgomery's product of the host's prime fields, left * right / R with R = 2^(64 limbs): in C++ for any processor, and in assembler for
/// x86-64 with BMI2 and ADX (Broadwell, Zen and later), since neither GCC nor Clang makes use of two carry flags. Results are the same.
///
/// Both interleave the rows of the multiplication with those of the reduction (CIOS: Koc, Acar and Kaliski, "Analyzing and Comparing
/// Montgomery Multiplication Algorithms", IEEE Micro 1996). As the modulus has its top bit clear, the partial result stays below twice the
/// modulus and needs no word above the limbs; this holds for `left` below the modulus and any `right`, reduced or not.

#include "field/integer.hpp"

#if defined(__x86_64__)
#define CUPOOL_HAS_ASSEMBLED_PRODUCT 1
#include <cpuid.h>
#endif

namespace cupool::detail {

/// The number below twice the modulus, reduced. Rarely needed, since the moduli are small beside R: a predicted branch beats a select.
template <class Parameters>
[[gnu::always_inline]] inline Limbs<Parameters::limbs> reduced_once(Limbs<Parameters::limbs> number) {
    constexpr std::size_t top = Parameters::limbs - 1;
    constexpr auto modulus = to_limbs(Parameters::modulus);
    if (__builtin_expect(number.limbs[top] < modulus.limbs[top], 1)) return number;
    if (!is_less(number, modulus)) subtract_from(number, modulus);
    return number;
}

template <class Parameters>
[[gnu::always_inline]] inline Limbs<Parameters::limbs> portable_product(const Limbs<Parameters::limbs>& left,
                                                                        const Limbs<Parameters::limbs>& right) {
    constexpr std::size_t limbs = Parameters::limbs;
    constexpr auto modulus = to_limbs(Parameters::modulus);
    Limbs<Parameters::limbs> result;
    auto& sum = result.limbs;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < limbs; ++i) {
        const std::uint64_t digit = right.limbs[i];
        std::uint64_t product_carry = 0;
        std::uint64_t reduction_carry = 0;
        const std::uint64_t lowest = multiply_add(left.limbs[0], digit, sum[0], product_carry);
        const std::uint64_t quotient = lowest * Parameters::negated_inverse;
        multiply_add(quotient, modulus.limbs[0], lowest, reduction_carry);
#pragma GCC unroll 8
        for (std::size_t j = 1; j < limbs; ++j) {
            const std::uint64_t column = multiply_add(left.limbs[j], digit, sum[j], product_carry);
            sum[j - 1] = multiply_add(quotient, modulus.limbs[j], column, reduction_carry);
        }
        sum[limbs - 1] = product_carry + reduction_carry;
    }
    return reduced_once<Parameters>(result);
}

#if defined(CUPOOL_HAS_ASSEMBLED_PRODUCT)

/// Whether this processor has mulx (BMI2), adcx and adox (ADX). By cpuid, since Clang 14's __builtin_cpu_supports does not know ADX; they
/// work on general registers, which every system saves. False while a program's other variables of static storage are not yet initialised,
/// which costs time alone.
inline const bool has_two_carry_chains = [] {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_BMI2) != 0 && (ebx & bit_ADX) != 0;
}();

// clang-format off

// The partial result lies in one register more than there are limbs, lowest first. Each round drops its lowest limb, whose register holds
// the next round's highest: the registers change names by one place a round, and nothing is moved.

// The partial result += rdx * limb j of `factor`, its low word by the carry flag and its high word by the overflow flag.
#define CUPOOL_COLUMN(j, factor, low_to, high_to)           \
    "mulxq 8*" #j "(%[" #factor "]), %[low], %[high]\n\t"   \
    "adcxq %[low], %[" #low_to "]\n\t"                      \
    "adoxq %[high], %[" #high_to "]\n\t"

// Limb i of `right` into rdx, and both flags cleared.
#define CUPOOL_BEGIN_PRODUCT_ROW(i)                         \
    "movq 8*" #i "(%[right]), %%rdx\n\t"                    \
    "xorl %k[low], %k[low]\n\t"

// The last column, the high word of which begins a new highest limb, and what both flags hold.
#define CUPOOL_END_PRODUCT_ROW(j, low_to, highest)          \
    "mulxq 8*" #j "(%[left]), %[low], %[" #highest "]\n\t"  \
    "adcxq %[low], %[" #low_to "]\n\t"                      \
    "movl $0, %k[low]\n\t"                                  \
    "adoxq %[low], %[" #highest "]\n\t"                     \
    "adcxq %[low], %[" #highest "]\n\t"

// Into rdx how many times the modulus makes the lowest limb zero, and both flags cleared.
#define CUPOOL_BEGIN_REDUCTION_ROW(lowest)                  \
    "movabsq %[negated_inverse], %%rdx\n\t"                 \
    "imulq %[" #lowest "], %%rdx\n\t"                       \
    "xorl %k[low], %k[low]\n\t"

// The carry flag into the highest limb; the lowest one is zero by now.
#define CUPOOL_END_REDUCTION_ROW(lowest, highest)           \
    "adcxq %[" #lowest "], %[" #highest "]\n\t"

// The first row adds to nothing: its registers are new, and one flag is enough.
#define CUPOOL_BEGIN_FIRST_ROW                              \
    "movq (%[right]), %%rdx\n\t"                            \
    "mulxq (%[left]), %[s0], %[s1]\n\t"
#define CUPOOL_FIRST_ROW_COLUMN(add, j, to, above)          \
    "mulxq 8*" #j "(%[left]), %[low], %[" #above "]\n\t"    \
    #add " %[low], %[" #to "]\n\t"
#define CUPOOL_END_FIRST_ROW(highest)                       \
    "adcq $0, %[" #highest "]\n\t"

#define CUPOOL_REDUCTION_OF_4(s0, s1, s2, s3, s4)                   \
    CUPOOL_BEGIN_REDUCTION_ROW(s0)                                  \
    CUPOOL_COLUMN(0, modulus, s0, s1)                               \
    CUPOOL_COLUMN(1, modulus, s1, s2)                               \
    CUPOOL_COLUMN(2, modulus, s2, s3)                               \
    CUPOOL_COLUMN(3, modulus, s3, s4)                               \
    CUPOOL_END_REDUCTION_ROW(s0, s4)

#define CUPOOL_ROUND_OF_4(i, s0, s1, s2, s3, s4)                    \
    CUPOOL_BEGIN_PRODUCT_ROW(i)                                     \
    CUPOOL_COLUMN(0, left, s0, s1)                                  \
    CUPOOL_COLUMN(1, left, s1, s2)                                  \
    CUPOOL_COLUMN(2, left, s2, s3)                                  \
    CUPOOL_END_PRODUCT_ROW(3, s3, s4)                               \
    CUPOOL_REDUCTION_OF_4(s0, s1, s2, s3, s4)

#define CUPOOL_REDUCTION_OF_6(s0, s1, s2, s3, s4, s5, s6)           \
    CUPOOL_BEGIN_REDUCTION_ROW(s0)                                  \
    CUPOOL_COLUMN(0, modulus, s0, s1)                               \
    CUPOOL_COLUMN(1, modulus, s1, s2)                               \
    CUPOOL_COLUMN(2, modulus, s2, s3)                               \
    CUPOOL_COLUMN(3, modulus, s3, s4)                               \
    CUPOOL_COLUMN(4, modulus, s4, s5)                               \
    CUPOOL_COLUMN(5, modulus, s5, s6)                               \
    CUPOOL_END_REDUCTION_ROW(s0, s6)

#define CUPOOL_ROUND_OF_6(i, s0, s1, s2, s3, s4, s5, s6)            \
    CUPOOL_BEGIN_PRODUCT_ROW(i)                                     \
    CUPOOL_COLUMN(0, left, s0, s1)                                  \
    CUPOOL_COLUMN(1, left, s1, s2)                                  \
    CUPOOL_COLUMN(2, left, s2, s3)                                  \
    CUPOOL_COLUMN(3, left, s3, s4)                                  \
    CUPOOL_COLUMN(4, left, s4, s5)                                  \
    CUPOOL_END_PRODUCT_ROW(5, s5, s6)                               \
    CUPOOL_REDUCTION_OF_6(s0, s1, s2, s3, s4, s5, s6)

/// As portable_product, for 4 or 6 limbs. Six take 13 of the 14 registers that code without optimisation leaves. \pre has_two_carry_chains
template <class Parameters>
[[gnu::always_inline]] inline Limbs<Parameters::limbs> assembled_product(const Limbs<Parameters::limbs>& left,
                                                                         const Limbs<Parameters::limbs>& right) {
    static_assert(Parameters::limbs == 4 || Parameters::limbs == 6);
    std::uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, low = 0, high = 0;
    if constexpr (Parameters::limbs == 4) {
        asm(CUPOOL_BEGIN_FIRST_ROW
            CUPOOL_FIRST_ROW_COLUMN(addq, 1, s1, s2)
            CUPOOL_FIRST_ROW_COLUMN(adcq, 2, s2, s3)
            CUPOOL_FIRST_ROW_COLUMN(adcq, 3, s3, s4)
            CUPOOL_END_FIRST_ROW(s4)
            CUPOOL_REDUCTION_OF_4(s0, s1, s2, s3, s4)
            CUPOOL_ROUND_OF_4(1, s1, s2, s3, s4, s0)
            CUPOOL_ROUND_OF_4(2, s2, s3, s4, s0, s1)
            CUPOOL_ROUND_OF_4(3, s3, s4, s0, s1, s2)
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4), [low] "=&r"(low), [high] "=&r"(high)
            : [left] "r"(left.limbs.data()), [right] "r"(right.limbs.data()), [modulus] "r"(Parameters::modulus.limb),
              [negated_inverse] "i"(Parameters::negated_inverse)
            : "rdx", "cc", "memory");
        return reduced_once<Parameters>({{s4, s0, s1, s2}});
    } else {
        std::uint64_t s5 = 0, s6 = 0;
        asm(CUPOOL_BEGIN_FIRST_ROW
            CUPOOL_FIRST_ROW_COLUMN(addq, 1, s1, s2)
            CUPOOL_FIRST_ROW_COLUMN(adcq, 2, s2, s3)
            CUPOOL_FIRST_ROW_COLUMN(adcq, 3, s3, s4)
            CUPOOL_FIRST_ROW_COLUMN(adcq, 4, s4, s5)
            CUPOOL_FIRST_ROW_COLUMN(adcq, 5, s5, s6)
            CUPOOL_END_FIRST_ROW(s6)
            CUPOOL_REDUCTION_OF_6(s0, s1, s2, s3, s4, s5, s6)
            CUPOOL_ROUND_OF_6(1, s1, s2, s3, s4, s5, s6, s0)
            CUPOOL_ROUND_OF_6(2, s2, s3, s4, s5, s6, s0, s1)
            CUPOOL_ROUND_OF_6(3, s3, s4, s5, s6, s0, s1, s2)
            CUPOOL_ROUND_OF_6(4, s4, s5, s6, s0, s1, s2, s3)
            CUPOOL_ROUND_OF_6(5, s5, s6, s0, s1, s2, s3, s4)
            : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5), [s6] "=&r"(s6),
              [low] "=&r"(low), [high] "=&r"(high)
            : [left] "r"(left.limbs.data()), [right] "r"(right.limbs.data()), [modulus] "r"(Parameters::modulus.limb),
              [negated_inverse] "i"(Parameters::negated_inverse)
            : "rdx", "cc", "memory");
        return reduced_once<Parameters>({{s6, s0, s1, s2, s3, s4}});
    }
}

// clang-format on

#undef CUPOOL_COLUMN
#undef CUPOOL_BEGIN_PRODUCT_ROW
#undef CUPOOL_END_PRODUCT_ROW
#undef CUPOOL_BEGIN_REDUCTION_ROW
#undef CUPOOL_END_REDUCTION_ROW
#undef CUPOOL_BEGIN_FIRST_ROW
#undef CUPOOL_FIRST_ROW_COLUMN
#undef CUPOOL_END_FIRST_ROW
#undef CUPOOL_REDUCTION_OF_4
#undef CUPOOL_ROUND_OF_4
#undef CUPOOL_REDUCTION_OF_6
#undef CUPOOL_ROUND_OF_6

#endif

/// left * right / R, reduced. \pre left < modulus
template <class Parameters>
[[gnu::always_inline]] inline Limbs<Parameters::limbs> montgomery_product(const Limbs<Parameters::limbs>& left,
                                                                          const Limbs<Parameters::limbs>& right) {
#if defined(CUPOOL_HAS_ASSEMBLED_PRODUCT)
    if (has_two_carry_chains) return assembled_product<Parameters>(left, right);
#endif
    return portable_product<Parameters>(left, right);
}

}  // namespace cupool::detail
