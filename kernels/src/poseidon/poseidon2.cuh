#pragma once

/// \file
/// The permutation of Poseidon2: Grassi, Khovratovich, Schofnegger, "Poseidon2: A Faster Version of the Poseidon Hash Function"
/// (AFRICACRYPT 2023, IACR ePrint 2023/323).

#include "field/element_memory.cuh"
#include "poseidon/constants_layout.hpp"
#include "poseidon/fifth_power.cuh"

namespace cupool::device {

/// A permutation whose state stays in registers.
template <class Element, int width>
class Poseidon2InRegisters {
public:
    CUPOOL_DEVICE Poseidon2InRegisters(const Element* constants, std::uint32_t partial_rounds)
        : constants_(constants), layout_{width, partial_rounds} {}

    template <class Function>
    CUPOOL_DEVICE void for_each_position(unsigned /*width*/, const Function& function) {
#pragma unroll
        for (unsigned position = 0; position < width; ++position) function(position, state_[position]);
    }

    CUPOOL_DEVICE void permute() {
        multiply_external();
#pragma unroll 1  // the code of full rounds stands once
        for (int half = 0; half < 2; ++half) {
            full_rounds(half == 0 ? layout_.first_rounds() : layout_.last_rounds());
            if (half == 0) partial_rounds();
        }
    }

private:
    CUPOOL_DEVICE void partial_rounds() {
#pragma unroll 1
        for (std::uint32_t round = 0; round < layout_.partial_rounds; ++round) {
            state_[0] = fifth_power(state_[0] + load_element(constants_ + layout_.partial_constants() + round));
            multiply_internal();
        }
    }

    CUPOOL_DEVICE void full_rounds(std::uint32_t round_constants) {
#pragma unroll 1
        for (std::uint32_t round = 0; round < detail::poseidon_half_full_rounds; ++round) {
#pragma unroll
            for (int i = 0; i < width; ++i)
                state_[i] = called_fifth_power(state_[i] + load_element(constants_ + round_constants + round * width + i));
            multiply_external();
        }
    }

    CUPOOL_DEVICE Element sum_of_state() const {
        Element sum = state_[0];
#pragma unroll
        for (int i = 1; i < width; ++i) sum = sum + state_[i];
        return sum;
    }

    /// By the circulant matrix of 2, 1, ... for 2 and 3 elements, and by that of section 5.1 of the paper for more.
    CUPOOL_DEVICE void multiply_external() {
        if constexpr (width < 4) {
            const Element sum = sum_of_state();
#pragma unroll
            for (int i = 0; i < width; ++i) state_[i] = state_[i] + sum;
        } else {
#pragma unroll
            for (int i = 0; i < width; i += 4) multiply_four(state_ + i);
            if constexpr (width > 4) add_columns();
        }
    }

    /// By the rows 5 7 1 3, 4 6 1 1, 1 3 5 7, 1 1 4 6: in eight sums and four doublings (section 5.1).
    CUPOOL_DEVICE static void multiply_four(Element* four) {
        const Element first_two = four[0] + four[1];
        const Element last_two = four[2] + four[3];
        const Element second = four[1].doubled() + last_two;
        const Element fourth = four[3].doubled() + first_two;
        const Element row_four = last_two.doubled().doubled() + fourth;
        const Element row_two = first_two.doubled().doubled() + second;
        four[0] = fourth + row_two;
        four[1] = row_two;
        four[2] = second + row_four;
        four[3] = row_four;
    }

    CUPOOL_DEVICE void add_columns() {
#pragma unroll
        for (int column = 0; column < 4; ++column) {
            Element sum = state_[column];
#pragma unroll
            for (int i = column + 4; i < width; i += 4) sum = sum + state_[i];
#pragma unroll
            for (int i = column; i < width; i += 4) state_[i] = state_[i] + sum;
        }
    }

    /// By the matrix of ones plus a diagonal: that of 1, 2 or 1, 1, 2 for 2 and 3 elements.
    CUPOOL_DEVICE void multiply_internal() {
        const Element sum = sum_of_state();
        if constexpr (width < 4) {
            state_[width - 1] = state_[width - 1].doubled();
#pragma unroll
            for (int i = 0; i < width; ++i) state_[i] = state_[i] + sum;
        } else {
#pragma unroll
            for (int i = 0; i < width; ++i) state_[i] = state_[i] * load_element(constants_ + layout_.diagonal() + i) + sum;
        }
    }

    const Element* constants_;
    detail::Poseidon2Layout layout_;
    Element state_[width];
};

}  // namespace cupool::device
