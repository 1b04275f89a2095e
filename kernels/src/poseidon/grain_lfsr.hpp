#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "field/integer.hpp"

namespace cupool::detail {

/// The bits of the instance that the generator starts from.
struct GrainSeed {
    unsigned sbox;        ///< four bits
    unsigned field_bits;  ///< of the modulus
    unsigned width;
    unsigned full_rounds;
    unsigned partial_rounds;
};

/// The stream of bits of which the constants of Poseidon are made, so that nobody chose them: the LFSR of Grain in self-shrinking mode
/// (Grassi et al., "Poseidon", USENIX Security 2021, appendix E).
class GrainLfsr {
public:
    explicit GrainLfsr(const GrainSeed& seed) {
        append(1, 2);  // a prime field
        append(seed.sbox, 4);
        append(seed.field_bits, 12);
        append(seed.width, 12);
        append(seed.full_rounds, 10);
        append(seed.partial_rounds, 10);
        append((1u << 30) - 1, 30);
        for (int i = 0; i < 160; ++i) step();
    }

    /// The next `bits` bits, the highest one first. \pre bits <= 256
    Limbs<4> next(unsigned bits) {
        Limbs<4> number;
        for (unsigned bit = bits; bit-- > 0;) {
            if (next_bit()) number.limbs[bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
        return number;
    }

    /// The next number below the modulus.
    Limbs<4> next_below(const Limbs<4>& modulus) {
        for (;;) {
            const Limbs<4> number = next(bit_length(modulus));
            if (is_less(number, modulus)) return number;
        }
    }

private:
    static constexpr std::size_t size = 80;

    void append(unsigned value, unsigned bits) {
        for (unsigned bit = bits; bit-- > 0;) bits_[begin_++] = (value >> bit & 1) != 0;
        begin_ %= size;
    }

    bool bit(std::size_t i) const { return bits_[(begin_ + i) % size]; }

    bool step() {
        const bool bit_now = (bit(62) ^ bit(51) ^ bit(38) ^ bit(23) ^ bit(13) ^ bit(0)) != 0;
        bits_[begin_] = bit_now;
        begin_ = (begin_ + 1) % size;
        return bit_now;
    }

    /// Of each pair of bits, the second one if the first one is set.
    bool next_bit() {
        while (!step()) step();
        return step();
    }

    std::array<bool, size> bits_{};
    std::size_t begin_ = 0;  ///< of the oldest bit
};

}  // namespace cupool::detail
