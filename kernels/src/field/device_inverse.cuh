#pragma once

/// \file
/// Inversion in a prime field on the device, by the division steps of Bernstein and Yang, "Fast constant-time gcd computation and modular
/// inversion" (IACR TCHES 2019(3)), in the variant that starts from delta = 1/2 (Wuille, 2021). Thirty steps at a time work on the lowest
/// bits alone and give a matrix, which is then applied to the whole numbers, held in signed limbs of 30 bits. All lanes of a warp take the
/// same steps.

#include "field/device_field.cuh"

namespace cupool::device {

/// A signed number of 30-bit limbs, least significant first; all limbs but the highest lie in [0, 2^30).
template <int Count>
struct SignedLimbs {
    std::int32_t limb[Count];

    CUPOOL_DEVICE bool is_zero() const {
        std::int32_t any = 0;
#pragma unroll
        for (int i = 0; i < Count; ++i) any |= limb[i];
        return any == 0;
    }
    CUPOOL_DEVICE bool is_negative() const { return limb[Count - 1] < 0; }
};

/// 2^30 times the change that thirty division steps make: f becomes (u f + v g) / 2^30 and g becomes (q f + r g) / 2^30.
struct DivisionSteps {
    std::int32_t u, v, q, r;
};

template <class Parameters>
class DeviceInverse {
    static constexpr int step_bits = 30;
    static constexpr int words = Parameters::limbs;
    /// Room for numbers between -2 and 2 times the modulus.
    static constexpr int count = (64 * words + step_bits - 1) / step_bits;
    static constexpr std::int32_t mask = (1 << step_bits) - 1;
    using Number = SignedLimbs<count>;

    /// Bits [30 i, 30 i + 30) of the modulus.
    CUPOOL_DEVICE static constexpr std::int32_t modulus_limb(int i) {
        const int bit = step_bits * i;
        std::uint64_t bits = Parameters::modulus.limb[bit / 64] >> (bit % 64);
        if (bit % 64 > 64 - step_bits && bit / 64 + 1 < words) bits |= Parameters::modulus.limb[bit / 64 + 1] << (64 - bit % 64);
        return static_cast<std::int32_t>(bits & mask);
    }
    /// 1 / modulus modulo 2^30.
    static constexpr std::uint32_t inverse = static_cast<std::uint32_t>(0 - Parameters::negated_inverse) & mask;

    CUPOOL_DEVICE static DivisionSteps divide(std::int32_t& zeta, std::uint32_t f, std::uint32_t g) {
        std::uint32_t u = 1, v = 0, q = 0, r = 1;
#pragma unroll 6
        for (int i = 0; i < step_bits; ++i) {
            const std::uint32_t is_swap = static_cast<std::uint32_t>(zeta >> 31);  // all ones or none, as the following
            const std::uint32_t is_odd = 0 - (g & 1);
            g += ((f ^ is_swap) - is_swap) & is_odd;
            q += ((u ^ is_swap) - is_swap) & is_odd;
            r += ((v ^ is_swap) - is_swap) & is_odd;
            const std::uint32_t swaps = is_swap & is_odd;
            zeta = static_cast<std::int32_t>((static_cast<std::uint32_t>(zeta) ^ swaps) - 1);
            f += g & swaps;
            u += q & swaps;
            v += r & swaps;
            g >>= 1;
            u <<= 1;
            v <<= 1;
        }
        return {static_cast<std::int32_t>(u), static_cast<std::int32_t>(v), static_cast<std::int32_t>(q), static_cast<std::int32_t>(r)};
    }

    CUPOOL_DEVICE static void apply(const DivisionSteps& steps, Number& f, Number& g) {
        std::int64_t new_f = std::int64_t{steps.u} * f.limb[0] + std::int64_t{steps.v} * g.limb[0];
        std::int64_t new_g = std::int64_t{steps.q} * f.limb[0] + std::int64_t{steps.r} * g.limb[0];
#pragma unroll
        for (int i = 1; i < count; ++i) {
            new_f = (new_f >> step_bits) + std::int64_t{steps.u} * f.limb[i] + std::int64_t{steps.v} * g.limb[i];
            new_g = (new_g >> step_bits) + std::int64_t{steps.q} * f.limb[i] + std::int64_t{steps.r} * g.limb[i];
            f.limb[i - 1] = static_cast<std::int32_t>(new_f) & mask;
            g.limb[i - 1] = static_cast<std::int32_t>(new_g) & mask;
        }
        f.limb[count - 1] = static_cast<std::int32_t>(new_f >> step_bits);
        g.limb[count - 1] = static_cast<std::int32_t>(new_g >> step_bits);
    }

    /// (a d + b e) / 2^30 modulo the modulus; between -2 and 1 times the modulus if d and e are.
    CUPOOL_DEVICE static Number combined(std::int32_t a, std::int32_t b, const Number& d, const Number& e) {
        // The multiple of the modulus that brings negative numbers back into range, and then clears the lowest 30 bits.
        std::int32_t multiple = (a & (d.limb[count - 1] >> 31)) + (b & (e.limb[count - 1] >> 31));
        std::int64_t sum = std::int64_t{a} * d.limb[0] + std::int64_t{b} * e.limb[0];
        const std::uint32_t low =
            static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(multiple) * static_cast<std::uint32_t>(modulus_limb(0));
        multiple -= static_cast<std::int32_t>((low * inverse) & mask);
        sum += std::int64_t{modulus_limb(0)} * multiple;
        Number result;
#pragma unroll
        for (int i = 1; i < count; ++i) {
            sum = (sum >> step_bits) + std::int64_t{a} * d.limb[i] + std::int64_t{b} * e.limb[i] + std::int64_t{modulus_limb(i)} * multiple;
            result.limb[i - 1] = static_cast<std::int32_t>(sum) & mask;
        }
        result.limb[count - 1] = static_cast<std::int32_t>(sum >> step_bits);
        return result;
    }

    /// (d + modulus) where `adds`, negated where `negates`.
    CUPOOL_DEVICE static Number adjusted(const Number& d, bool adds, bool negates) {
        Number result;
        std::int32_t carry = 0;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const std::int32_t limb = d.limb[i] + (adds ? modulus_limb(i) : 0);
            carry += negates ? -limb : limb;
            result.limb[i] = i + 1 < count ? carry & mask : carry;
            carry >>= step_bits;
        }
        return result;
    }

    template <class Field>
    CUPOOL_DEVICE static Number split(const Field& value) {
        Number number;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int bit = step_bits * i;
            const std::uint32_t low = bit / 32 < Field::limb_count ? value.limbs[bit / 32] : 0;
            const std::uint32_t high = bit / 32 + 1 < Field::limb_count ? value.limbs[bit / 32 + 1] : 0;
            const std::uint64_t both = std::uint64_t{high} << 32 | low;
            number.limb[i] = static_cast<std::int32_t>(both >> bit % 32) & mask;
        }
        return number;
    }

    /// \pre 0 <= number < modulus
    template <class Field>
    CUPOOL_DEVICE static Field joined(const Number& number) {
        Field value;
#pragma unroll
        for (int i = 0; i < Field::limb_count; ++i) {
            const int first = 32 * i / step_bits;
            const int shift = 32 * i % step_bits;
            std::uint64_t bits = static_cast<std::uint32_t>(number.limb[first]) >> shift;
            if (first + 1 < count) bits |= std::uint64_t{static_cast<std::uint32_t>(number.limb[first + 1])} << (step_bits - shift);
            if (first + 2 < count && 2 * step_bits - shift < 32)
                bits |= std::uint64_t{static_cast<std::uint32_t>(number.limb[first + 2])} << (2 * step_bits - shift);
            value.limbs[i] = static_cast<std::uint32_t>(bits);
        }
        return value;
    }

public:
    /// The inverse of a value in Montgomery form, in Montgomery form. \pre value is not zero
    template <class Field>
    CUPOOL_DEVICE static Field of(const Field& value) {
        Number f;
        Number d;
        Number e;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            f.limb[i] = modulus_limb(i);
            d.limb[i] = 0;
            e.limb[i] = i == 0 ? 1 : 0;
        }
        Number g = split(value);
        std::int32_t zeta = -1;
#pragma unroll 1
        while (!g.is_zero()) {
            const auto low = [](const Number& n) {
                return static_cast<std::uint32_t>(n.limb[0]) | static_cast<std::uint32_t>(n.limb[1]) << step_bits;
            };
            const DivisionSteps steps = divide(zeta, low(f), low(g));
            apply(steps, f, g);
            const Number new_d = combined(steps.u, steps.v, d, e);
            e = combined(steps.q, steps.r, d, e);
            d = new_d;
        }
        // Now f is 1 or -1, and d f is the inverse of the value's bytes.
        d = adjusted(d, d.is_negative(), f.is_negative());
        d = adjusted(d, d.is_negative(), false);
        return joined<Field>(d).to_montgomery_form().to_montgomery_form();
    }
};

/// \pre value is not zero
template <class Parameters>
CUPOOL_DEVICE DeviceField<Parameters> inverse_of(const DeviceField<Parameters>& value) {
    return DeviceInverse<Parameters>::of(value);
}
template <class Field>
CUPOOL_DEVICE detail::QuadraticElement<Field> inverse_of(const detail::QuadraticElement<Field>& value) {
    return value.inverse(inverse_of(value.norm()));
}

}  // namespace cupool::device
