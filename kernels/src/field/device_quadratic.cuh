#pragma once

/// \file
/// Products in the quadratic extension on the device: three products of integers and two reductions where Karatsuba's three products of the
/// prime field have three (Aranha et al., "Faster explicit formulas for computing pairings over ordinary curves", Eurocrypt 2011, section
/// 3).

#include "field/device_field.cuh"

namespace cupool::device {

template <class Parameters>
class DeviceQuadraticProduct {
    using Field = DeviceField<Parameters>;
    using Element = detail::QuadraticElement<Field>;
    static constexpr int limb_count = Field::limb_count;

    /// An integer of twice the limbs.
    struct Whole {
        std::uint32_t limbs[2 * limb_count];
    };

    /// No carry leaves the top: the moduli leave the top bits free.
    CUPOOL_DEVICE static Field unreduced_sum(const Field& a, const Field& b) {
        Field r;
        r.limbs[0] = add_cc(a.limbs[0], b.limbs[0]);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) r.limbs[i] = addc_cc(a.limbs[i], b.limbs[i]);
        return r;
    }

    /// a * b, its partial products in two accumulators as those of DeviceField's product.
    CUPOOL_DEVICE static Whole whole_product(const Field& a, const Field& b) {
        constexpr int width = 2 * limb_count + 2;
        std::uint32_t even[width];  // pairs that begin at even weights
        std::uint32_t odd[width];   // and at odd ones
#pragma unroll
        for (int i = 0; i < width; ++i) even[i] = odd[i] = 0;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) {
            multiply_add_every_second(i % 2 == 0 ? even : odd, a.limbs[i], b, i, 0);
            multiply_add_every_second(i % 2 == 0 ? odd : even, a.limbs[i], b, i, 1);
        }
        Whole whole;
        whole.limbs[0] = even[0];
        whole.limbs[1] = add_cc(even[1], odd[1]);
#pragma unroll
        for (int i = 2; i < 2 * limb_count; ++i) whole.limbs[i] = addc_cc(even[i], odd[i]);
        return whole;
    }

    /// Adds factor * (every second limb of b, from `first` on) * 2^(32 weight).
    CUPOOL_DEVICE static void multiply_add_every_second(std::uint32_t* accumulator, std::uint32_t factor, const Field& b, int weight,
                                                        int first) {
        std::uint32_t* const sum = accumulator + weight;
        sum[first] = mad_lo_cc(factor, b.limbs[first], sum[first]);
        sum[first + 1] = madc_hi_cc(factor, b.limbs[first], sum[first + 1]);
#pragma unroll
        for (int j = first + 2; j < limb_count; j += 2) {
            sum[j] = madc_lo_cc(factor, b.limbs[j], sum[j]);
            sum[j + 1] = madc_hi_cc(factor, b.limbs[j], sum[j + 1]);
        }
        sum[first + limb_count] = addc(sum[first + limb_count], 0);
    }

    /// a -= b. \return all ones where that is below zero, else 0
    CUPOOL_DEVICE static std::uint32_t subtract(Whole& a, const Whole& b) {
        a.limbs[0] = sub_cc(a.limbs[0], b.limbs[0]);
#pragma unroll
        for (int i = 1; i < 2 * limb_count; ++i) a.limbs[i] = subc_cc(a.limbs[i], b.limbs[i]);
        return subc(0, 0);
    }

    /// Adds R times the modulus where `mask` is all ones.
    CUPOOL_DEVICE static void add_multiple_of_modulus(Whole& a, std::uint32_t mask) {
        std::uint32_t* const upper = a.limbs + limb_count;
        upper[0] = add_cc(upper[0], mask & Field::modulus_limb(0));
#pragma unroll
        for (int i = 1; i < limb_count; ++i) upper[i] = addc_cc(upper[i], mask & Field::modulus_limb(i));
    }

    /// Half of the vec4s are those of the left factor.
    template <class... Vec4s>
    __attribute__((device, noinline)) static Element of_vec4s(Vec4s... vec4s) {
        const Vec4 all[] = {vec4s...};
        Element left;
        Element right;
#pragma unroll
        for (int i = 0; i < Element::vec4_count(); ++i) {
            left.set_vec4(i, all[i]);
            right.set_vec4(i, all[i + Element::vec4_count()]);
        }
        Whole low = whole_product(left.c0, right.c0);
        const Whole high = whole_product(left.c1, right.c1);
        Whole cross = whole_product(unreduced_sum(left.c0, left.c1), unreduced_sum(right.c0, right.c1));
        (void)subtract(cross, low);
        (void)subtract(cross, high);
        add_multiple_of_modulus(low, subtract(low, high));
        return {Field::reduced_whole(low.limbs), Field::reduced_whole(cross.limbs)};
    }

public:
    template <int... I>
    CUPOOL_DEVICE static Element of(const Element& left, const Element& right, NumberSequence<int, I...>) {
        return of_vec4s(left.vec4(I)..., right.vec4(I)...);
    }
};

/// What QuadraticElement's product is on the device, by a call.
template <class Parameters>
CUPOOL_DEVICE detail::QuadraticElement<DeviceField<Parameters>> product(const detail::QuadraticElement<DeviceField<Parameters>>& left,
                                                                        const detail::QuadraticElement<DeviceField<Parameters>>& right) {
    using Element = detail::QuadraticElement<DeviceField<Parameters>>;
    return DeviceQuadraticProduct<Parameters>::of(left, right, Numbers<Element::vec4_count()>{});
}

}  // namespace cupool::device
