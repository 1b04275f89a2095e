#include "msm/device/digits.hpp"

#include <algorithm>
#include <bit>

#include "msm/device/rounding.hpp"

namespace cupool::detail {

namespace {

/// An upper bound of the magnitudes of scalars, or of their parts: its highest limb, and the bit at which that begins.
struct LargestMagnitude {
    std::uint64_t head;
    unsigned position;

    unsigned bits() const { return position + static_cast<unsigned>(std::bit_width(head)); }
    /// The largest last digit: the bits of the magnitude there, plus a carry.
    std::uint32_t of_last_digit(unsigned digit_position) const {
        return static_cast<std::uint32_t>(head >> (digit_position - position)) + 1;
    }
};

LargestMagnitude largest_magnitude(const ScalarRange& scalars, bool are_split) {
    return are_split ? LargestMagnitude{scalars.part_head, 64} : LargestMagnitude{scalars.order_head >> 1, 192};
}

/// How many digits of magnitudes below 2^bits have a bit less: so many that the last digit has values for all buckets, but one digit keeps
/// the whole width. Only if all digits share one window, each with a table of its own: otherwise digits must be whole windows apart.
unsigned narrow_digits(unsigned bits, unsigned width, unsigned digit_count, unsigned tables) {
    const unsigned spare_bits = digit_count * width - bits;
    if (tables < digit_count || digit_count <= 2 || spare_bits <= 1) return 0;
    return std::min(spare_bits - 1, digit_count - 2);
}

}  // namespace

MsmDigits msm_digits(const ScalarRange& scalars, DigitChoice choice, unsigned tables) {
    const unsigned width = choice.width;
    const std::uint32_t half = 1u << (width - 1);
    MsmDigits digits{};
    digits.terms_a_scalar = choice.terms_a_scalar();
    const LargestMagnitude largest = largest_magnitude(scalars, choice.are_scalars_split);
    const unsigned bits = scalars.spans_all() ? largest.bits() : scalars.bits;
    digits.digit_count = scalars.spans_all() ? divided_up(bits, width) : bits / width + 1;
    const unsigned narrow = narrow_digits(bits, width, digits.digit_count, tables);
    const unsigned last_position = (digits.digit_count - 1) * width - narrow;
    digits.first_narrow = narrow == 0 ? digits.digit_count : digits.digit_count - 1 - narrow;
    if (scalars.spans_all()) {
        digits.lowest_last = largest.of_last_digit(last_position);
        digits.largest_last = digits.lowest_last;
    } else {
        digits.largest_last = 1u << (bits - last_position);
    }
    digits.window_count = divided_up(digits.digit_count, tables);
    digits.half = half;
    digits.largest = std::max(half, digits.lowest_last);
    return digits;
}

unsigned doublings_to_next_table(const MsmDigits& digits, unsigned width, unsigned table) {
    const bool is_narrow = table >= digits.first_narrow;  // if any digit is narrow, each has a table
    return width * digits.window_count - (is_narrow ? 1 : 0);
}

std::uint32_t last_copy_bits(const MsmDigits& digits) { return static_cast<std::uint32_t>(std::bit_width(digits.largest_last)); }
std::uint32_t last_copies(const MsmDigits& digits) { return std::max(digits.largest >> last_copy_bits(digits), 1u); }

WindowRange windows_of_partition(unsigned window_count, unsigned partition, unsigned partition_count) {
    const unsigned first = partition * window_count / partition_count;
    return {first, divided_up((partition + 1) * window_count, partition_count) - first};
}

}  // namespace cupool::detail
