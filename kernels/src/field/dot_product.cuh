#pragma once

#include "field/device_field.cuh"

namespace cupool::device {

/// The sum of `terms` products left[i] * right[i] in Montgomery form, with one reduction for all of them: half the work of as many
/// products. The right factors are below the modulus, the left ones below the field's bound; so is the sum.
///
/// Rows as those of DeviceField's product: the sum over the terms of left[i] times one limb of right[i], then the multiple of the modulus
/// that clears the lowest limb. A row may exceed the limbs by a few bits, which `top_` takes.
template <class Field, int terms>
class DotProduct {
public:
    CUPOOL_DEVICE static Field of(const Field* left, const Field* right) {
        DotProduct rows;
        rows.multiply_first(left[0], right[0].limbs[0], rows.even_, rows.odd_);
        rows.finish_row(left, right, 0, rows.even_, rows.odd_);
#pragma unroll
        for (int row = 1; row < limb_count; ++row) {
            std::uint32_t* low = row % 2 == 0 ? rows.even_ : rows.odd_;
            std::uint32_t* high = row % 2 == 0 ? rows.odd_ : rows.even_;
            rows.multiply_shifted(left[0], right[0].limbs[row], low, high);
            rows.finish_row(left, right, row, low, high);
        }
        return rows.merged();
    }

private:
    static constexpr int limb_count = Field::limb_count;
    static_assert(limb_count % 2 == 0);

    /// low + 2^32 high = a * b.
    CUPOOL_DEVICE void multiply_first(const Field& a, std::uint32_t b, std::uint32_t* low, std::uint32_t* high) {
        Field::multiply_row(low, high, a.limbs, b);
        top_ = 0;
    }

    /// low + 2^32 high = the previous row's value / 2^32 + a * b.
    CUPOOL_DEVICE void multiply_shifted(const Field& a, std::uint32_t b, std::uint32_t* low, std::uint32_t* high) {
        low[0] = add_cc(low[0], high[1]);
#pragma unroll
        for (int i = 0; i < limb_count - 2; i += 2) {
            high[i] = madc_lo_cc(a.limbs[i + 1], b, high[i + 2]);
            high[i + 1] = madc_hi_cc(a.limbs[i + 1], b, high[i + 3]);
        }
        high[limb_count - 2] = madc_lo_cc(a.limbs[limb_count - 1], b, 0);
        high[limb_count - 1] = madc_hi(a.limbs[limb_count - 1], b, top_);
        top_ = 0;
        Field::multiply_add_even_limbs(low, a.limbs, b);
        carry_from_low(high);
    }

    /// Adds the row's products of the other terms, and clears its lowest limb.
    CUPOOL_DEVICE void finish_row(const Field* left, const Field* right, int row, std::uint32_t* low, std::uint32_t* high) {
#pragma unroll
        for (int term = 1; term < terms; ++term) multiply_add(left[term], right[term].limbs[row], low, high);
        reduce(low, high);
    }

    /// low + 2^32 high += a * b.
    CUPOOL_DEVICE void multiply_add(const Field& a, std::uint32_t b, std::uint32_t* low, std::uint32_t* high) {
        high[0] = mad_lo_cc(a.limbs[1], b, high[0]);
        high[1] = madc_hi_cc(a.limbs[1], b, high[1]);
#pragma unroll
        for (int i = 2; i < limb_count; i += 2) {
            high[i] = madc_lo_cc(a.limbs[i + 1], b, high[i]);
            high[i + 1] = madc_hi_cc(a.limbs[i + 1], b, high[i + 1]);
        }
        top_ = addc(top_, 0);
        Field::multiply_add_even_limbs(low, a.limbs, b);
        carry_from_low(high);
    }

    /// Adds the multiple of the modulus that clears low[0].
    CUPOOL_DEVICE void reduce(std::uint32_t* low, std::uint32_t* high) {
        const std::uint32_t factor = Field::clearing_factor(low[0]);
        high[0] = mad_lo_cc(Field::modulus_limb(1), factor, high[0]);
        high[1] = madc_hi_cc(Field::modulus_limb(1), factor, high[1]);
#pragma unroll
        for (int i = 2; i < limb_count; i += 2) {
            high[i] = madc_lo_cc(Field::modulus_limb(i + 1), factor, high[i]);
            high[i + 1] = madc_hi_cc(Field::modulus_limb(i + 1), factor, high[i + 1]);
        }
        top_ = addc(top_, 0);
        Field::add_even_limbs_of_modulus(low, factor);
        carry_from_low(high);
    }

    CUPOOL_DEVICE void carry_from_low(std::uint32_t* high) {
        high[limb_count - 1] = addc_cc(high[limb_count - 1], 0);
        top_ = addc(top_, 0);
    }

    /// The value / 2^32 after the last row, below the bound.
    CUPOOL_DEVICE Field merged() {
        Field sum;
        sum.limbs[0] = add_cc(even_[0], odd_[1]);
#pragma unroll
        for (int i = 1; i < limb_count - 1; ++i) sum.limbs[i] = addc_cc(even_[i], odd_[i + 1]);
        sum.limbs[limb_count - 1] = addc_cc(even_[limb_count - 1], 0);
        top_ = addc(top_, 0);
        if constexpr (bound_of_sum() > 2 * bound()) subtract_if_not_below<2>(sum);
        if constexpr (bound_of_sum() > bound()) subtract_if_not_below<1>(sum);
        return sum;
    }

    /// Less `multiple` times the field's bound, where that leaves no negative value.
    template <int multiple>
    CUPOOL_DEVICE void subtract_if_not_below(Field& sum) {
        Field less;
        less.limbs[0] = sub_cc(sum.limbs[0], limb_of_bound<multiple>(0));
#pragma unroll
        for (int i = 1; i < limb_count; ++i) less.limbs[i] = subc_cc(sum.limbs[i], limb_of_bound<multiple>(i));
        const std::uint32_t top = subc(top_, 0);
        const bool is_below = top == 0xffffffff;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) sum.limbs[i] = is_below ? sum.limbs[i] : less.limbs[i];
        top_ = is_below ? top_ : top;
    }
    template <int multiple>
    CUPOOL_DEVICE static constexpr std::uint32_t limb_of_bound(int i) {
        if constexpr (multiple == 1) return Field::bound_limb(i);
        return Field::bound_limb(i) << 1 | (i == 0 ? 0 : Field::bound_limb(i - 1) >> 31);
    }

    /// The bounds of elements and of the sum, as multiples of the modulus: the sum of the products / R, and the multiple of the modulus
    /// that clears what is below R, which is less than R times the modulus.
    CUPOOL_DEVICE static constexpr double bound() {
        return Field::bound_limb(limb_count - 1) == Field::modulus_limb(limb_count - 1) ? 1 : 2;
    }
    CUPOOL_DEVICE static constexpr double modulus_over_r() { return (Field::modulus_limb(limb_count - 1) + 1.0) / 4294967296.0; }
    CUPOOL_DEVICE static constexpr double bound_of_sum() { return terms * bound() * modulus_over_r() + 1; }
    static_assert(bound_of_sum() <= 4 * bound() && 2 * bound() * modulus_over_r() <= 1,
                  "the last subtractions leave a value below the bound");

    std::uint32_t even_[limb_count];
    std::uint32_t odd_[limb_count];
    std::uint32_t top_;
};

}  // namespace cupool::device
