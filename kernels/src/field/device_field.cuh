#pragma once

/// \file
/// Prime fields on the device: Montgomery form on 32-bit limbs, R = 2^(32 N).
///
/// The product is the operand-scanning (CIOS) one of Koc, Acar and Kaliski, "Analyzing and Comparing Montgomery Multiplication
/// Algorithms" (IEEE Micro 16(3), 1996), its columns split in two accumulators: products with the even limbs of an operand land in one,
/// with the odd limbs in the other. So each chain of multiply-adds runs over disjoint 64-bit pairs, and ptxas makes one IMAD.WIDE of each
/// pair. The moduli leave the top bit of the top limb free, so no accumulator overflows its N limbs.

#include "field/carry_chain.cuh"
#include "field/field_parameters.hpp"
#include "field/quadratic_element.hpp"
#include "support/device.cuh"

namespace cupool::device {

/// Minus one, which no compiler may know: ptxas makes a negation of a product with it, and then no longer joins the halves of the products
/// that follow into one IMAD.WIDE each. (Zero less the limb, with a zero that it does not know, is 3% slower.)
extern "C" __attribute__((constant)) std::uint32_t cupool_minus_one = 0xffffffff;

/// Whether a product's several hundred instructions stand wherever it is used, or once, in a function. The first is for the loop that
/// decides an MSM's time; the second keeps the rest small, and with it the driver's JIT time. Inlined ones leave the last subtraction out,
/// which moduli below R / 4 allow; reduced ones do not.
enum class Product { inlined, called, inlined_reduced };

/// The inlined products of any field. Sums of two elements below twice the modulus fit the limbs if the modulus is below a quarter of them.
template <class Parameters>
inline constexpr Product inlined_product_of =
    Parameters::modulus.limb[Parameters::limbs - 1] >> 62 == 0 ? Product::inlined : Product::inlined_reduced;

template <class Field, int terms>
class DotProduct;

/// An element of the field that Parameters describes, in Montgomery form unless said otherwise.
///
/// With called or reduced products it is below the modulus. With inlined ones it is below twice the modulus, and every value that low may
/// stand: the moduli are below R / 4, so a product of two such is one again without a subtraction (Walter, "Montgomery Exponentiation Needs
/// No Final Subtractions", Electronics Letters 35(21), 1999).
template <class Parameters, Product product = Product::called>
struct alignas(16) DeviceField {
    static constexpr int limb_count = 2 * Parameters::limbs;

    std::uint32_t limbs[limb_count];

    CUPOOL_DEVICE static constexpr std::uint32_t modulus_limb(int i) { return limb_of(Parameters::modulus, i); }
    /// Of (modulus - 1) / 2.
    CUPOOL_DEVICE static constexpr std::uint32_t half_modulus_limb(int i) {
        return modulus_limb(i) >> 1 | (i + 1 < limb_count ? modulus_limb(i + 1) << 31 : 0);
    }
    /// Of what every element is below.
    CUPOOL_DEVICE static constexpr std::uint32_t bound_limb(int i) {
        if constexpr (product != Product::inlined) return modulus_limb(i);
        return modulus_limb(i) << 1 | (i == 0 ? 0 : modulus_limb(i - 1) >> 31);
    }

    CUPOOL_DEVICE static DeviceField zero() {
        DeviceField r;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = 0;
        return r;
    }

    /// One in Montgomery form: R modulo the modulus.
    CUPOOL_DEVICE static DeviceField one() {
        DeviceField r;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = limb_of(Parameters::montgomery_one, i);
        return r;
    }

    /// The modulus: zero as an operand, where a plain zero would mean something else.
    CUPOOL_DEVICE static DeviceField zero_as_modulus() {
        DeviceField r;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = modulus_limb(i);
        return r;
    }

    /// Whether no bit is set: the one way to write zero where elements are below the modulus, one of two where they are not.
    CUPOOL_DEVICE bool is_plain_zero() const {
        std::uint32_t any = 0;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) any |= limbs[i];
        return any == 0;
    }

    CUPOOL_DEVICE bool is_zero() const {
        std::uint32_t any = 0;
        std::uint32_t other = 0;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) {
            any |= limbs[i];
            other |= limbs[i] ^ modulus_limb(i);
        }
        return any == 0 || (product == Product::inlined && other == 0);
    }

    CUPOOL_DEVICE std::uint32_t lowest_limb() const { return limbs[0]; }
    /// Whether this may be zero, by a look at its lowest limb alone.
    CUPOOL_DEVICE bool may_be_zero() const { return limbs[0] == 0 || (product == Product::inlined && limbs[0] == modulus_limb(0)); }

    CUPOOL_DEVICE friend DeviceField operator+(const DeviceField a, const DeviceField b) {
        DeviceField r;
        r.limbs[0] = add_cc(a.limbs[0], b.limbs[0]);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) r.limbs[i] = addc_cc(a.limbs[i], b.limbs[i]);
        return r.below_bound();
    }

    CUPOOL_DEVICE friend DeviceField operator-(const DeviceField a, const DeviceField b) {
        DeviceField r;
        r.limbs[0] = sub_cc(a.limbs[0], b.limbs[0]);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) r.limbs[i] = subc_cc(a.limbs[i], b.limbs[i]);
        const std::uint32_t borrow = subc(0, 0);
        r.limbs[0] = add_cc(r.limbs[0], borrow & bound_limb(0));
#pragma unroll
        for (int i = 1; i < limb_count; ++i) r.limbs[i] = addc_cc(r.limbs[i], borrow & bound_limb(i));
        return r;
    }

    /// A difference that a product takes as its one such operand: where the modulus is below R / 8 it is not brought below the bound, but
    /// only below twice that, which costs a third less and makes no product larger.
    CUPOOL_DEVICE static DeviceField rough_difference(const DeviceField a, const DeviceField b) {
        if constexpr (!has_rough_differences()) return a - b;
        DeviceField r;
        r.limbs[0] = sub_cc(a.limbs[0], b.limbs[0]);
#pragma unroll
        for (int i = 1; i < limb_count - 1; ++i) r.limbs[i] = subc_cc(a.limbs[i], b.limbs[i]);
        r.limbs[limb_count - 1] = subc(a.limbs[limb_count - 1], b.limbs[limb_count - 1]);
        r.limbs[0] = add_cc(r.limbs[0], bound_limb(0));
#pragma unroll
        for (int i = 1; i < limb_count - 1; ++i) r.limbs[i] = addc_cc(r.limbs[i], bound_limb(i));
        r.limbs[limb_count - 1] = addc(r.limbs[limb_count - 1], bound_limb(limb_count - 1));
        return r;
    }
    /// Whether a rough difference may be zero, by a look at its lowest limb alone.
    CUPOOL_DEVICE bool may_be_rough_zero() const {
        if constexpr (!has_rough_differences()) return may_be_zero();
        return limbs[0] == modulus_limb(0) || limbs[0] == 2 * modulus_limb(0) || limbs[0] == 3 * modulus_limb(0);
    }

    CUPOOL_DEVICE DeviceField negated() const { return negated_if(true); }
    CUPOOL_DEVICE DeviceField negated_if(bool condition) const { return negated_to_bound_if(condition && !is_zero()); }
    /// The same, but for zero, which becomes the bound itself: differences and products take that, too.
    CUPOOL_DEVICE DeviceField negated_to_bound_if(bool condition) const {
        DeviceField r;
        r.limbs[0] = sub_cc(bound_limb(0), limbs[0]);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) r.limbs[i] = subc_cc(bound_limb(i), limbs[i]);
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = condition ? r.limbs[i] : limbs[i];
        return r;
    }
    CUPOOL_DEVICE DeviceField doubled() const { return *this + *this; }
    CUPOOL_DEVICE DeviceField square() const {
        if constexpr (product != Product::called) return inlined_square(*this);
        return *this * *this;
    }

    CUPOOL_DEVICE friend DeviceField operator*(const DeviceField& a, const DeviceField& b) {
        if constexpr (product == Product::called) return called_product(a, b);
        return inlined_product(a, b);
    }

    /// The element whose limbs are function(limb) for each of this one's.
    template <class Function>
    CUPOOL_DEVICE DeviceField with_each_limb(const Function& function) const {
        DeviceField r;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = function(limbs[i]);
        return r;
    }

    CUPOOL_DEVICE static constexpr int vec4_count() { return limb_count / 4; }
    CUPOOL_DEVICE Vec4 vec4(int i) const { return {limbs[4 * i], limbs[4 * i + 1], limbs[4 * i + 2], limbs[4 * i + 3]}; }

    CUPOOL_DEVICE void set_vec4(int i, Vec4 vec4) {
#pragma unroll
        for (int j = 0; j < 4; ++j) limbs[4 * i + j] = vec4[j];
    }

    /// The product by a function call.
    CUPOOL_DEVICE static DeviceField called_product(const DeviceField& a, const DeviceField& b) {
        if constexpr (limb_count == 8) {
            return product_of_vec4s(a.vec4(0), a.vec4(1), b.vec4(0), b.vec4(1));
        } else {
            return product_of_vec4s(a.vec4(0), a.vec4(1), a.vec4(2), b.vec4(0), b.vec4(1), b.vec4(2));
        }
    }

    /// The standard form of this element: its product with the plain integer 1.
    CUPOOL_DEVICE DeviceField from_montgomery_form() const {
        DeviceField one_limb = zero();
        one_limb.limbs[0] = 1;
        return *this * one_limb;
    }

    /// R^2 modulo the modulus.
    CUPOOL_DEVICE static DeviceField r_squared() {
        DeviceField r;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = limb_of(Parameters::montgomery_square, i);
        return r;
    }
    /// The Montgomery form of an element in standard form.
    CUPOOL_DEVICE DeviceField to_montgomery_form() const { return *this * r_squared(); }

    /// This value less the bound, where it is not below it: one step only.
    CUPOOL_DEVICE DeviceField below_bound() const {
        return less_once([](int i) { return bound_limb(i); });
    }
    /// This value less the modulus, where it is not below it: one step only.
    CUPOOL_DEVICE DeviceField reduced_once() const {
        return less_once([](int i) { return modulus_limb(i); });
    }

    /// Whether this value, an integer below the modulus, is above half of it.
    CUPOOL_DEVICE bool is_above_half() const {
        (void)sub_cc(half_modulus_limb(0), limbs[0]);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) (void)subc_cc(half_modulus_limb(i), limbs[i]);
        return subc(0, 0) != 0;
    }

    /// Whether this value, any integer of N limbs, is below the modulus.
    CUPOOL_DEVICE bool is_reduced() const {
        (void)sub_cc(limbs[0], modulus_limb(0));
#pragma unroll
        for (int i = 1; i < limb_count; ++i) (void)subc_cc(limbs[i], modulus_limb(i));
        return subc(0, 0) != 0;
    }

    /// whole / R modulo the modulus, for whole below R times the modulus.
    CUPOOL_DEVICE static DeviceField reduced_whole(const std::uint32_t* whole) {
        std::uint32_t even[limb_count];
        std::uint32_t odd[limb_count];
#pragma unroll
        for (int i = 0; i < limb_count; ++i) {
            even[i] = whole[i];
            odd[i] = 0;
        }
        reduce_row(even, odd);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) reduce_shifted_row(i % 2 == 0 ? even : odd, i % 2 == 0 ? odd : even);
        DeviceField r = merged(odd, even);
        r.limbs[0] = add_cc(r.limbs[0], whole[limb_count]);
#pragma unroll
        for (int i = 1; i < limb_count - 1; ++i) r.limbs[i] = addc_cc(r.limbs[i], whole[limb_count + i]);
        r.limbs[limb_count - 1] = addc(r.limbs[limb_count - 1], whole[2 * limb_count - 1]);
        return r.product_below_bound();
    }

private:
    template <class, int>
    friend class DotProduct;

    CUPOOL_DEVICE static constexpr bool has_rough_differences() {
        return product == Product::inlined && modulus_limb(limb_count - 1) >> 29 == 0;
    }

    template <class LimbOf>
    CUPOOL_DEVICE DeviceField less_once(LimbOf limb) const {
        DeviceField r;
        r.limbs[0] = sub_cc(limbs[0], limb(0));
#pragma unroll
        for (int i = 1; i < limb_count; ++i) r.limbs[i] = subc_cc(limbs[i], limb(i));
        const bool is_below = subc(0, 0) != 0;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) r.limbs[i] = is_below ? limbs[i] : r.limbs[i];
        return r;
    }

    /// What a reduced product or square is, given that its operands were below the bound.
    CUPOOL_DEVICE DeviceField product_below_bound() const {
        if constexpr (product != Product::inlined) return reduced_once();
        return *this;
    }

    CUPOOL_DEVICE static DeviceField inlined_product(const DeviceField a, const DeviceField b) {
        std::uint32_t even[limb_count];
        std::uint32_t odd[limb_count];
        multiply_row(even, odd, a.limbs, b.limbs[0]);
        reduce_row(even, odd);
#pragma unroll
        for (int i = 1; i < limb_count; ++i) {
            std::uint32_t* low = i % 2 == 0 ? even : odd;
            std::uint32_t* high = i % 2 == 0 ? odd : even;
            multiply_add_row(low, high, a.limbs, b.limbs[i]);
            reduce_row(low, high);
        }
        return merged(odd, even).product_below_bound();
    }

    /// The square: each product of two different limbs is formed once, with one of them doubled, N (N + 1) / 2 products for N^2; then the
    /// lower half is reduced row by row, as a product's rows are.
    CUPOOL_DEVICE static DeviceField inlined_square(const DeviceField a) {
        std::uint32_t whole[2 * limb_count];
        square_whole(whole, a);
        return reduced_whole(whole);
    }

    /// whole = a * a, with no carry out of the top: the moduli leave the top bit free, so that a doubled limb loses none.
    CUPOOL_DEVICE static void square_whole(std::uint32_t* whole, const DeviceField& a) {
        constexpr int width = 2 * limb_count + 2;
        std::uint32_t even[width];  // pairs that begin at even weights
        std::uint32_t odd[width];   // and at odd ones
#pragma unroll
        for (int i = 0; i < width; ++i) even[i] = odd[i] = 0;
        std::uint32_t doubled[limb_count];  // of 2a, and the lowest one of each shifted tail
#pragma unroll
        for (int i = 1; i < limb_count; ++i) doubled[i] = a.limbs[i] << 1 | a.limbs[i - 1] >> 31;
#pragma unroll
        for (int i = 0; i < limb_count; ++i) {
            // a[i] * a[i] at 2i, then a[i] * doubled[i + 2], ... at every second weight above.
            even[2 * i] = mad_lo_cc(a.limbs[i], a.limbs[i], even[2 * i]);
            even[2 * i + 1] = madc_hi_cc(a.limbs[i], a.limbs[i], even[2 * i + 1]);
            int end = 2 * i + 2;
#pragma unroll
            for (int j = i + 2; j < limb_count; j += 2) {
                even[i + j] = madc_lo_cc(a.limbs[i], doubled[j], even[i + j]);
                even[i + j + 1] = madc_hi_cc(a.limbs[i], doubled[j], even[i + j + 1]);
                end = i + j + 2;
            }
            even[end] = addc(even[end], 0);
            if (i + 1 == limb_count) break;
            const std::uint32_t first = a.limbs[i + 1] << 1;
            odd[2 * i + 1] = mad_lo_cc(a.limbs[i], first, odd[2 * i + 1]);
            odd[2 * i + 2] = madc_hi_cc(a.limbs[i], first, odd[2 * i + 2]);
            end = 2 * i + 3;
#pragma unroll
            for (int j = i + 3; j < limb_count; j += 2) {
                odd[i + j] = madc_lo_cc(a.limbs[i], doubled[j], odd[i + j]);
                odd[i + j + 1] = madc_hi_cc(a.limbs[i], doubled[j], odd[i + j + 1]);
                end = i + j + 2;
            }
            odd[end] = addc(odd[end], 0);
        }
        whole[0] = even[0];
        whole[1] = add_cc(even[1], odd[1]);
#pragma unroll
        for (int i = 2; i < 2 * limb_count - 1; ++i) whole[i] = addc_cc(even[i], odd[i]);
        whole[2 * limb_count - 1] = addc(even[2 * limb_count - 1], odd[2 * limb_count - 1]);
    }

    /// As reduce_row, from the state that a row leaves: see multiply_add_row, whose product is nothing here.
    CUPOOL_DEVICE static void reduce_shifted_row(std::uint32_t* low, std::uint32_t* high) {
        low[0] = add_cc(low[0], high[1]);
        const std::uint32_t factor = clearing_factor(low[0]);
#pragma unroll
        for (int i = 0; i < limb_count - 2; i += 2) {
            high[i] = madc_lo_cc(modulus_limb(i + 1), factor, high[i + 2]);
            high[i + 1] = madc_hi_cc(modulus_limb(i + 1), factor, high[i + 3]);
        }
        high[limb_count - 2] = madc_lo_cc(modulus_limb(limb_count - 1), factor, 0);
        high[limb_count - 1] = madc_hi(modulus_limb(limb_count - 1), factor, 0);
        add_even_limbs_of_modulus(low, factor);
        high[limb_count - 1] = addc(high[limb_count - 1], 0);
    }

    template <class... Vec4s>
    __attribute__((device, noinline)) static DeviceField product_of_vec4s(Vec4s... vec4s) {
        const Vec4 all[] = {vec4s...};
        DeviceField a;
        DeviceField b;
#pragma unroll
        for (int i = 0; i < limb_count / 4; ++i) {
            a.set_vec4(i, all[i]);
            b.set_vec4(i, all[i + limb_count / 4]);
        }
        return inlined_product(a, b);
    }

    CUPOOL_DEVICE static constexpr std::uint32_t limb_of(const detail::Words<Parameters::limbs>& words, int i) {
        return static_cast<std::uint32_t>(words.limb[i / 2] >> (32 * (i % 2)));
    }

    /// low + 2^32 high = a * b.
    CUPOOL_DEVICE static void multiply_row(std::uint32_t* low, std::uint32_t* high, const std::uint32_t* a, std::uint32_t b) {
#pragma unroll
        for (int i = 0; i < limb_count; i += 2) {
            low[i] = mad_lo_cc(a[i], b, 0);
            low[i + 1] = madc_hi(a[i], b, 0);
            high[i] = mad_lo_cc(a[i + 1], b, 0);
            high[i + 1] = madc_hi(a[i + 1], b, 0);
        }
    }

    /// On entry low holds the previous row's high half and high its low half, whose lowest limb has been cleared: the value is
    /// (low 2^32 + high) / 2^32. On return low + 2^32 high is that value plus a * b.
    CUPOOL_DEVICE static void multiply_add_row(std::uint32_t* low, std::uint32_t* high, const std::uint32_t* a, std::uint32_t b) {
        low[0] = add_cc(low[0], high[1]);
#pragma unroll
        for (int i = 0; i < limb_count - 2; i += 2) {
            high[i] = madc_lo_cc(a[i + 1], b, high[i + 2]);
            high[i + 1] = madc_hi_cc(a[i + 1], b, high[i + 3]);
        }
        high[limb_count - 2] = madc_lo_cc(a[limb_count - 1], b, 0);
        high[limb_count - 1] = madc_hi(a[limb_count - 1], b, 0);
        multiply_add_even_limbs(low, a, b);
        high[limb_count - 1] = addc(high[limb_count - 1], 0);
    }

    /// What the modulus must be multiplied by for the product to clear this lowest limb.
    CUPOOL_DEVICE static std::uint32_t clearing_factor(std::uint32_t limb) {
        constexpr auto negated_inverse = static_cast<std::uint32_t>(Parameters::negated_inverse);
        return limb * (negated_inverse == 0xffffffff ? cupool_minus_one : negated_inverse);
    }

    /// Adds the multiple of the modulus that clears low[0].
    CUPOOL_DEVICE static void reduce_row(std::uint32_t* low, std::uint32_t* high) {
        const std::uint32_t factor = clearing_factor(low[0]);
        high[0] = mad_lo_cc(modulus_limb(1), factor, high[0]);
        high[1] = madc_hi_cc(modulus_limb(1), factor, high[1]);
#pragma unroll
        for (int i = 2; i < limb_count; i += 2) {
            high[i] = madc_lo_cc(modulus_limb(i + 1), factor, high[i]);
            high[i + 1] = madc_hi_cc(modulus_limb(i + 1), factor, high[i + 1]);
        }
        add_even_limbs_of_modulus(low, factor);
        high[limb_count - 1] = addc(high[limb_count - 1], 0);
    }

    /// acc += (the even limbs of the modulus) * factor, which clears acc[0]; the carry flag holds the carry out.
    CUPOOL_DEVICE static void add_even_limbs_of_modulus(std::uint32_t* acc, std::uint32_t factor) {
        if constexpr (modulus_limb(0) == 1) {
            acc[0] = add_cc(acc[0], factor);
            acc[1] = addc_cc(acc[1], 0);
        } else {
            acc[0] = mad_lo_cc(modulus_limb(0), factor, acc[0]);
            acc[1] = madc_hi_cc(modulus_limb(0), factor, acc[1]);
        }
#pragma unroll
        for (int i = 2; i < limb_count; i += 2) {
            acc[i] = madc_lo_cc(modulus_limb(i), factor, acc[i]);
            acc[i + 1] = madc_hi_cc(modulus_limb(i), factor, acc[i + 1]);
        }
    }

    /// acc += (the even limbs of a) * b; the carry flag holds the carry out.
    CUPOOL_DEVICE static void multiply_add_even_limbs(std::uint32_t* acc, const std::uint32_t* a, std::uint32_t b) {
        acc[0] = mad_lo_cc(a[0], b, acc[0]);
        acc[1] = madc_hi_cc(a[0], b, acc[1]);
#pragma unroll
        for (int i = 2; i < limb_count; i += 2) {
            acc[i] = madc_lo_cc(a[i], b, acc[i]);
            acc[i + 1] = madc_hi_cc(a[i], b, acc[i + 1]);
        }
    }

    /// (low + 2^32 high) / 2^32, where low[0] is clear.
    CUPOOL_DEVICE static DeviceField merged(const std::uint32_t* low, const std::uint32_t* high) {
        DeviceField r;
        r.limbs[0] = add_cc(high[0], low[1]);
#pragma unroll
        for (int i = 1; i < limb_count - 1; ++i) r.limbs[i] = addc_cc(high[i], low[i + 1]);
        r.limbs[limb_count - 1] = addc(high[limb_count - 1], 0);
        return r;
    }
};

/// The elements of a field of field_parameters.hpp.
template <class Parameters, Product product = Product::called>
struct DeviceFieldOf {
    using Element = DeviceField<Parameters, product>;
};
/// With called products always: inlined ones would not fit the instruction cache.
template <class PrimeField, Product product>
struct DeviceFieldOf<detail::QuadraticExtension<PrimeField>, product> {
    using Element = detail::QuadraticElement<DeviceField<PrimeField>>;
};

}  // namespace cupool::device
