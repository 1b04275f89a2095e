#pragma once

/// \file
/// The permutations on the host, in the forms that the device computes: see poseidon.cuh and poseidon2.cuh.

#include <algorithm>
#include <array>
#include <span>

#include "poseidon/constants_layout.hpp"
#include "poseidon/state.hpp"

namespace cupool::detail {

template <class Field>
Field fifth_power(const Field& element) {
    return element.square().square() * element;
}

template <class Field>
Field dot(std::span<const Field> left, const Field* right) {
    Field sum = Field::zero();
    for (std::size_t i = 0; i < left.size(); ++i) sum = sum + left[i] * right[i];
    return sum;
}

/// A state and its permutation by Poseidon.
template <Curve C>
class HostPoseidon {
public:
    using Field = ScalarField<C>;

    explicit HostPoseidon(const PoseidonState<C>& poseidon)
        : constants_(poseidon.constants.data()), layout_{poseidon.width, poseidon.partial_rounds} {}

    std::span<Field> state() { return std::span(state_).first(layout_.width); }

    void permute() {
        full_rounds(layout_.first_rounds(), layout_.entering_matrix());
        partial_rounds();
        full_rounds(layout_.last_rounds(), layout_.matrix());
    }

private:
    void full_rounds(std::size_t round_constants, std::size_t last_matrix) {
        for (std::size_t round = 0; round < poseidon_half_full_rounds; ++round) {
            std::array<Field, poseidon_max_width> powers;
            for (std::size_t i = 0; i < layout_.width; ++i)
                powers[i] = fifth_power(state_[i] + constants_[round_constants + round * layout_.width + i]);
            const std::size_t matrix = round + 1 == poseidon_half_full_rounds ? last_matrix : layout_.matrix();
            for (std::size_t i = 0; i < layout_.width; ++i)
                state_[i] = dot<Field>(std::span(powers).first(layout_.width), constants_ + matrix + i * layout_.row_size());
        }
    }

    void partial_rounds() {
        const std::size_t others = layout_.width - 1;
        // The latest first elements, then the latest powers: the newest first in both.
        std::array<Field, 2 * poseidon_max_width> latest;
        latest.fill(Field::zero());
        const std::span<Field> elements = std::span(latest).first(others);
        const std::span<Field> powers = std::span(latest).subspan(others, layout_.width);
        std::copy_n(state_.begin() + 1, others, elements.begin());
        for (std::size_t round = 0; round < layout_.partial_rounds; ++round) {
            std::shift_right(powers.begin(), powers.end(), 1);
            powers[0] = fifth_power(state_[0] + constants_[layout_.partial_constants() + round]);
            state_[0] = dot<Field>(powers, constants_ + layout_.power_coefficients() + poseidon_dot_terms) +
                        dot<Field>(elements, constants_ + layout_.element_coefficients() + poseidon_dot_terms);
            std::shift_right(elements.begin(), elements.end(), 1);
            elements[0] = state_[0];
        }
        for (std::size_t i = 0; i < others; ++i) {
            state_[1 + i] =
                dot<Field>(std::span(latest).first(2 * others), constants_ + layout_.leaving_matrix() + i * layout_.leaving_row_size());
        }
    }

    const Field* constants_;
    PoseidonLayout layout_;
    std::array<Field, poseidon_max_width> state_;
};

/// A state and its permutation by Poseidon2.
template <Curve C>
class HostPoseidon2 {
public:
    using Field = ScalarField<C>;

    explicit HostPoseidon2(const PoseidonState<C>& poseidon)
        : constants_(poseidon.constants.data()), layout_{poseidon.width, poseidon.partial_rounds} {}

    std::span<Field> state() { return std::span(state_).first(layout_.width); }

    void permute() {
        multiply_external();
        full_rounds(layout_.first_rounds());
        for (std::size_t round = 0; round < layout_.partial_rounds; ++round) {
            state_[0] = fifth_power(state_[0] + constants_[layout_.partial_constants() + round]);
            multiply_internal();
        }
        full_rounds(layout_.last_rounds());
    }

private:
    void full_rounds(std::size_t round_constants) {
        for (std::size_t round = 0; round < poseidon_half_full_rounds; ++round) {
            for (std::size_t i = 0; i < layout_.width; ++i)
                state_[i] = fifth_power(state_[i] + constants_[round_constants + round * layout_.width + i]);
            multiply_external();
        }
    }

    Field sum_of_state() const {
        Field sum = state_[0];
        for (std::size_t i = 1; i < layout_.width; ++i) sum = sum + state_[i];
        return sum;
    }

    void multiply_external() {
        if (layout_.width < 4) {
            const Field sum = sum_of_state();
            for (Field& element : state()) element = element + sum;
            return;
        }
        for (std::size_t i = 0; i < layout_.width; i += 4) multiply_four(state().subspan(i, 4));
        if (layout_.width > 4) add_columns();
    }

    static void multiply_four(std::span<Field> four) {
        const Field first_two = four[0] + four[1];
        const Field last_two = four[2] + four[3];
        const Field second = four[1].doubled() + last_two;
        const Field fourth = four[3].doubled() + first_two;
        four[3] = last_two.doubled().doubled() + fourth;
        four[1] = first_two.doubled().doubled() + second;
        four[0] = fourth + four[1];
        four[2] = second + four[3];
    }

    void add_columns() {
        for (std::size_t column = 0; column < 4; ++column) {
            Field sum = Field::zero();
            for (std::size_t i = column; i < layout_.width; i += 4) sum = sum + state_[i];
            for (std::size_t i = column; i < layout_.width; i += 4) state_[i] = state_[i] + sum;
        }
    }

    void multiply_internal() {
        const Field sum = sum_of_state();
        for (std::size_t i = 0; i < layout_.width; ++i) state_[i] = state_[i] * constants_[layout_.diagonal() + i] + sum;
    }

    const Field* constants_;
    Poseidon2Layout layout_;
    std::array<Field, poseidon_max_width> state_;
};

}  // namespace cupool::detail
