#pragma once

/// \file
/// The passes of a transform, and which elements each of them reads and writes. Host and device follow the same ones. Device code includes
/// this too: no standard library here but <cstdint>.
///
/// A transform of N = N1 N2 N3 elements (some of them 1) takes one pass for each factor. With an input index i = (i1 N2 + i2) N3 + i3 and
/// an output index k = k1 + N1 (k2 + N2 k3), the first pass transforms over i1, the second over i2, the third over i3, and between them the
/// elements are multiplied by powers of the root (Gentleman and Sande, "Fast Fourier Transforms - for fun and profit", AFIPS 1966). A pass
/// replaces its digit of i by that of k where it is. Only the last one moves elements: to where the ordering wants them.

#include <cstdint>

#include "support/host_device.hpp"

namespace cupool::detail {

inline constexpr unsigned max_ntt_passes = 3;
inline constexpr unsigned max_ntt_pass_bits = 10;  ///< the elements of a line fit in a block's shared memory
inline constexpr unsigned max_ntt_log_size = max_ntt_passes * max_ntt_pass_bits;

/// Where the element with an index is: at the index, at the index with its bits reversed, or with its digits reversed (mixed_position).
enum class NttOrder : std::uint32_t { natural, reversed, mixed };

/// The binary logarithms of N1, N2 and N3.
struct NttDigits {
    std::uint32_t bits[max_ntt_passes];

    CUPOOL_HOST_DEVICE std::uint32_t log_size() const { return bits[0] + bits[1] + bits[2]; }
};

CUPOOL_HOST_DEVICE std::uint32_t low_bits_of(std::uint32_t value, std::uint32_t bits) { return value & ((std::uint32_t{1} << bits) - 1); }

/// \pre bits < 32
CUPOOL_HOST_DEVICE std::uint32_t reversed_bits(std::uint32_t value, std::uint32_t bits) {
    value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
    value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
    value = (value & 0x0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f);
    value = (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);
    value = value << 16 | value >> 16;
    return bits == 0 ? 0 : value >> (32 - bits);
}

/// k1 + N1 (k2 + N2 k3) at (k1 N2 + k2) N3 + k3.
CUPOOL_HOST_DEVICE std::uint32_t mixed_position(const NttDigits& digits, std::uint32_t index) {
    const std::uint32_t first = low_bits_of(index, digits.bits[0]);
    const std::uint32_t second = low_bits_of(index >> digits.bits[0], digits.bits[1]);
    const std::uint32_t third = index >> (digits.bits[0] + digits.bits[1]);
    return (first << digits.bits[1] | second) << digits.bits[2] | third;
}

/// The inverse of mixed_position().
CUPOOL_HOST_DEVICE std::uint32_t mixed_index(const NttDigits& digits, std::uint32_t position) {
    const std::uint32_t third = low_bits_of(position, digits.bits[2]);
    const std::uint32_t second = low_bits_of(position >> digits.bits[2], digits.bits[1]);
    const std::uint32_t first = position >> (digits.bits[1] + digits.bits[2]);
    return first | second << digits.bits[0] | third << (digits.bits[0] + digits.bits[1]);
}

CUPOOL_HOST_DEVICE std::uint32_t position_of(NttOrder order, const NttDigits& digits, std::uint32_t index) {
    if (order == NttOrder::reversed) return reversed_bits(index, digits.log_size());
    if (order == NttOrder::mixed) return mixed_position(digits, index);
    return index;
}

/// The elements that one pass transforms together: those that differ in its digit only.
struct NttLine {
    std::uint32_t batch;     ///< which transform of the batch
    std::uint32_t position;  ///< of the element whose digit is 0, before the pass; digits of later passes are those of i, earlier ones of k
};

/// One pass over all transforms of a batch.
struct NttPassShape {
    NttDigits digits;
    std::uint32_t row_bits;     ///< the bits of this pass's digit
    std::uint32_t stride_bits;  ///< the bits of the digits of later passes
    std::uint32_t batch_size;
    std::uint32_t is_columns_batch;  ///< element i of transform b is at i * batch_size + b, not at b * N + i
    std::uint32_t is_first;
    std::uint32_t is_last;
    NttOrder input_order;   ///< of the first pass
    NttOrder output_order;  ///< of the last pass

    CUPOOL_HOST_DEVICE std::uint32_t line_count() const { return batch_size << (digits.log_size() - row_bits); }

    /// Lines with neighbouring numbers are neighbours in memory: the last pass counts them by their output index.
    CUPOOL_HOST_DEVICE NttLine line(std::uint32_t number) const {
        const std::uint32_t line_bits = digits.log_size() - row_bits;
        const std::uint32_t batch = is_columns_batch != 0 ? number % batch_size : number >> line_bits;
        std::uint32_t within = is_columns_batch != 0 ? number / batch_size : low_bits_of(number, line_bits);
        if (is_last != 0 && output_order == NttOrder::natural) within = mixed_position(digits, within) >> row_bits;
        return {batch, (within >> stride_bits) << (stride_bits + row_bits) | low_bits_of(within, stride_bits)};
    }

    /// The digits of later passes.
    CUPOOL_HOST_DEVICE std::uint32_t column(const NttLine& line) const { return low_bits_of(line.position, stride_bits); }
    CUPOOL_HOST_DEVICE std::uint32_t position(const NttLine& line, std::uint32_t row) const { return line.position | row << stride_bits; }
    /// The output index of an element of the last pass.
    CUPOOL_HOST_DEVICE std::uint32_t output_index(const NttLine& line, std::uint32_t row) const {
        return mixed_index(digits, position(line, row));
    }

    /// The power of the transform's root that an element with an output digit is multiplied by after a pass other than the last. The root
    /// of the later passes is that of a smaller transform, hence the bits of earlier digits.
    CUPOOL_HOST_DEVICE std::uint32_t twiddle_exponent(const NttLine& line, std::uint32_t digit) const {
        return column(line) * digit << (digits.log_size() - row_bits - stride_bits);
    }

    /// The place in the array that the pass reads.
    CUPOOL_HOST_DEVICE std::uint64_t input_place(const NttLine& line, std::uint32_t row) const {
        const std::uint32_t index = position(line, row);
        return place(line.batch, is_first != 0 ? position_of(input_order, digits, index) : index);
    }
    /// The place in the array that it writes.
    CUPOOL_HOST_DEVICE std::uint64_t output_place(const NttLine& line, std::uint32_t row) const {
        const std::uint32_t position_in_line = position(line, row);
        if (is_last == 0 || output_order == NttOrder::mixed) return place(line.batch, position_in_line);
        return place(line.batch, position_of(output_order, digits, mixed_index(digits, position_in_line)));
    }

private:
    CUPOOL_HOST_DEVICE std::uint64_t place(std::uint32_t batch, std::uint32_t position) const {
        if (is_columns_batch != 0) return std::uint64_t{position} * batch_size + batch;
        return (std::uint64_t{batch} << digits.log_size()) + position;
    }
};

/// Converts powers of a transform's root to powers of the domain's root.
struct NttExponents {
    std::uint32_t shift;  ///< the logarithm of the domain's size over that of the transform
    std::uint32_t mask;   ///< the size of the domain less 1
    std::uint32_t sign;   ///< all bits set for an inverse transform

    CUPOOL_HOST_DEVICE std::uint32_t of_domain(std::uint32_t exponent) const { return (((exponent << shift) ^ sign) - sign) & mask; }
};

/// The powers of an element: power e is high[e >> low_bits] * low[e mod 2^low_bits], or high[e] alone where low_bits is 0.
template <class Element>
struct NttPowers {
    const Element* high;
    const Element* low;
    std::uint32_t low_bits;
};

/// The arguments of the kernel of a pass.
template <class Element>
struct NttPass {
    NttPassShape shape;
    std::uint32_t line_bits;  ///< a block transforms 2^line_bits lines
    std::uint32_t scale_log;  ///< results are divided by 2^scale_log; 0 except in the last pass of an inverse transform
    const Element* input;
    Element* output;
    const Element* roots;  ///< half of the powers of the 2^root_bits-th root of unity, or its inverse
    std::uint32_t root_bits;
    NttExponents exponents;
    NttPowers<Element> twiddles;  ///< of the domain's root
    NttPowers<Element> coset;     ///< inputs of the first pass are multiplied by them, or outputs of the last; high is null without coset
};

}  // namespace cupool::detail
