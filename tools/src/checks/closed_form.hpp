#pragma once

#include <array>
#include <cstdint>
#include <cupool/kernels/point.hpp>
#include <span>

#include "formats/limbs.hpp"

namespace cupool::tools {

/// A number modulo r by schoolbook division, one bit at a time from the top. The top bit of r must
/// be clear, as on every curve here.
template <Curve C, std::size_t N>
Scalar modulo_order(const Limbs<N>& number) {
    const auto order = group_order<C>();
    Scalar remainder;
    for (std::size_t bit = 64 * N; bit-- > 0;) {
        std::uint64_t carry = number.limbs[bit / 64] >> (bit % 64) & 1;
        for (auto& limb : remainder.limbs) {
            const auto top = limb >> 63;
            limb = limb << 1 | carry;
            carry = top;
        }
        if (!is_less(remainder, order)) {
            std::uint64_t borrow = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                const auto minuend = remainder.limbs[i];
                remainder.limbs[i] = minuend - order.limbs[i] - borrow;
                borrow = minuend < order.limbs[i] || (minuend == order.limbs[i] && borrow != 0) ? 1 : 0;
            }
        }
    }
    return remainder;
}

/// sum of scalars[i] * weight(i) modulo r.
template <Curve C, class Weight>
Scalar weighted_sum(std::span<const Scalar> scalars, const Weight& weight) {
    __extension__ using DoubleWord = unsigned __int128;
    Limbs<6> sum;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        DoubleWord carry = 0;
        for (std::size_t limb = 0; limb < sum.limbs.size(); ++limb) {
            const std::uint64_t word = limb < 4 ? scalars[i].limbs[limb] : 0;
            carry += DoubleWord{word} * weight(i) + sum.limbs[limb];
            sum.limbs[limb] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }
    return modulo_order<C>(sum);
}

/// sum of scalars[i] * (i + 1) modulo r. The MSM of these scalars over (i + 1) * G is this times G.
template <Curve C>
Scalar weighted_sum(std::span<const Scalar> scalars) {
    return weighted_sum<C>(scalars, [](std::size_t i) { return std::uint64_t{i} + 1; });
}

/// sum of scalars[i] modulo r. The MSM of these scalars over one repeated point is this times the point.
template <Curve C>
Scalar plain_sum(std::span<const Scalar> scalars) {
    return weighted_sum<C>(scalars, [](std::size_t) { return std::uint64_t{1}; });
}

}  // namespace cupool::tools
