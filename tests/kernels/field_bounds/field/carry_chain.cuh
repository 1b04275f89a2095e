#pragma once

// Stands in for kernels/src/field/carry_chain.cuh: the same instructions with a model of the carry flag.

#include "support/device.cuh"

namespace cupool::device {

inline std::uint32_t carry_flag = 0;  // 0 or 1; a borrow sets it, too

inline std::uint32_t low_word_with_carry_out(std::uint64_t sum) {
    carry_flag = static_cast<std::uint32_t>(sum >> 32) & 1;
    return static_cast<std::uint32_t>(sum);
}
inline std::uint64_t high_word_of_product(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} * b >> 32; }
inline std::uint64_t low_word_of_product(std::uint32_t a, std::uint32_t b) { return a * b; }

inline std::uint32_t add_cc(std::uint32_t a, std::uint32_t b) { return low_word_with_carry_out(std::uint64_t{a} + b); }
inline std::uint32_t addc_cc(std::uint32_t a, std::uint32_t b) { return low_word_with_carry_out(std::uint64_t{a} + b + carry_flag); }
inline std::uint32_t addc(std::uint32_t a, std::uint32_t b) { return a + b + carry_flag; }
inline std::uint32_t sub_cc(std::uint32_t a, std::uint32_t b) { return low_word_with_carry_out(std::uint64_t{a} - b); }
inline std::uint32_t subc_cc(std::uint32_t a, std::uint32_t b) { return low_word_with_carry_out(std::uint64_t{a} - b - carry_flag); }
inline std::uint32_t subc(std::uint32_t a, std::uint32_t b) { return a - b - carry_flag; }
inline std::uint32_t mad_lo_cc(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return low_word_with_carry_out(low_word_of_product(a, b) + c);
}
inline std::uint32_t madc_lo_cc(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return low_word_with_carry_out(low_word_of_product(a, b) + c + carry_flag);
}
inline std::uint32_t madc_hi_cc(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return low_word_with_carry_out(high_word_of_product(a, b) + c + carry_flag);
}
inline std::uint32_t madc_hi(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return static_cast<std::uint32_t>(high_word_of_product(a, b)) + c + carry_flag;
}

}  // namespace cupool::device
