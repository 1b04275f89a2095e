#pragma once

#include "curve/scalar_split.hpp"
#include "field/device_field.cuh"
#include "msm/device/kernel_params.hpp"

namespace cupool::device {

/// The two parts of a scalar, modulo 2^128: see scalar_split.hpp.
template <class Curve>
class ScalarParts {
public:
    static constexpr int word_count = detail::scalar_part_words;
    std::uint32_t first[word_count];
    std::uint32_t second[word_count];

    /// \param scalar  in standard form and below r
    CUPOOL_DEVICE explicit ScalarParts(const DeviceField<typename Curve::ScalarField>& scalar) {
        std::uint32_t q1[word_count];
        std::uint32_t q2[word_count];
        multiply_by_fraction<Split::q1_factor>(q1, scalar.limbs);
        multiply_by_fraction<Split::q2_factor>(q2, scalar.limbs);
#pragma unroll
        for (int i = 0; i < word_count; ++i) first[i] = scalar.limbs[i];
        subtract(first, LowProduct<Split::a1>(q1));
        subtract(first, LowProduct<Split::a2>(q2));
        const LowProduct<Split::minus_b1> positive(q1);
#pragma unroll
        for (int i = 0; i < word_count; ++i) second[i] = positive.words[i];
        subtract(second, LowProduct<Split::b2>(q2));
    }

private:
    using Split = detail::ScalarSplit<Curve>;
    static constexpr int scalar_words = 8;
    static constexpr int factor_words = 7;  ///< a factor is below 2^194
    static constexpr int fraction_words = detail::quotient_fraction_bits / 32;
    static constexpr int lowest_word = fraction_words - 2;  ///< of a product; lower ones are not computed

    /// Word i of a factor in 64-bit limbs.
    template <const auto& Words>
    CUPOOL_DEVICE static constexpr std::uint32_t word_of(int i) {
        return static_cast<std::uint32_t>(Words.limb[i / 2] >> (i % 2 * 32));
    }

    /// quotient = factor * scalar / 2^quotient_fraction_bits, rounded; omitting the products of lower words loses less than 2^-28 of it.
    template <const auto& Factor>
    CUPOOL_DEVICE static void multiply_by_fraction(std::uint32_t* quotient, const std::uint32_t* scalar) {
        std::uint32_t product[scalar_words + factor_words] = {};
        product[fraction_words - 1] = 0x80000000;  // rounds
#pragma unroll
        for (int j = 0; j < factor_words; ++j) {
            if (word_of<Factor>(j) == 0) continue;
            std::uint32_t carry = 0;
#pragma unroll
            for (int i = lowest_word - j; i < scalar_words; ++i) {
                if (i >= 0) carry = add_product(product[i + j], scalar[i], word_of<Factor>(j), carry);
            }
#pragma unroll
            for (int i = scalar_words + j; i < scalar_words + factor_words; ++i) carry = add_product(product[i], 0, 0, carry);
        }
#pragma unroll
        for (int i = 0; i < word_count; ++i) quotient[i] = product[fraction_words + i];
    }

    /// factor * multiplier, modulo 2^128.
    template <const auto& Factor>
    struct LowProduct {
        std::uint32_t words[word_count] = {};

        CUPOOL_DEVICE explicit LowProduct(const std::uint32_t* multiplier) {
#pragma unroll
            for (int j = 0; j < word_count; ++j) {
                std::uint32_t carry = 0;
#pragma unroll
                for (int i = 0; i + j < word_count; ++i) carry = add_product(words[i + j], multiplier[i], word_of<Factor>(j), carry);
            }
        }
    };

    template <class LowProduct>
    CUPOOL_DEVICE static void subtract(std::uint32_t* value, const LowProduct& product) {
        value[0] = sub_cc(value[0], product.words[0]);
#pragma unroll
        for (int i = 1; i < word_count; ++i) value[i] = subc_cc(value[i], product.words[i]);
    }

    /// word += a b + carry. \return the carry
    CUPOOL_DEVICE static std::uint32_t add_product(std::uint32_t& word, std::uint32_t a, std::uint32_t b, std::uint32_t carry) {
        const std::uint64_t sum = std::uint64_t{a} * b + word + carry;
        word = static_cast<std::uint32_t>(sum);
        return static_cast<std::uint32_t>(sum >> 32);
    }
};

}  // namespace cupool::device
