#pragma once

#include <cstdint>
#include <cupool/kernels/curve.hpp>

#include "field/integer.hpp"

namespace cupool::detail {

/// Signed-digit recoding of scalars below 2^scalar_bits into `count` digits of `width` bits: the lower ones from
/// -2^(width - 1) to 2^(width - 1) - 1; the highest, which takes the remaining carry, from 0 to 2^(width - 1).
///
/// 2^(width - 1) is added once at the position of every lower digit; each signed digit is then an
/// unsigned one minus 2^(width - 1), so digits can be read in any order, without carries.
class SignedDigits {
public:
    SignedDigits(unsigned width, unsigned scalar_bits) : width_(width), count_(scalar_bits / width + 1) {
        for (unsigned window = 0; window + 1 < count_; ++window) {
            const unsigned position = window * width + width - 1;
            offset_.limbs[position / 64] |= std::uint64_t{1} << (position % 64);
        }
    }

    unsigned width() const { return width_; }
    unsigned count() const { return count_; }
    std::uint32_t largest_magnitude() const { return 1u << (width_ - 1); }

    /// The scalar plus the offset, as digit() expects it. \pre scalar < 2^scalar_bits, and scalar_bits < 256
    Scalar prepared(Scalar scalar) const {
        add_to(scalar, offset_);
        return scalar;
    }

    std::int32_t digit(const Scalar& prepared_scalar, unsigned window) const {
        const unsigned position = window * width_;
        const unsigned limb = position / 64;
        const unsigned shift = position % 64;
        std::uint64_t bits = prepared_scalar.limbs[limb] >> shift;
        if (shift + width_ > 64 && limb + 1 < prepared_scalar.limbs.size()) bits |= prepared_scalar.limbs[limb + 1] << (64 - shift);
        const auto value = static_cast<std::int32_t>(bits & ((std::uint64_t{1} << width_) - 1));
        return window + 1 < count_ ? value - static_cast<std::int32_t>(largest_magnitude()) : value;
    }

private:
    unsigned width_;
    unsigned count_;
    Scalar offset_;
};

}  // namespace cupool::detail
